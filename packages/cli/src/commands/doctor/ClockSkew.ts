/** How far the clock of this machine is from that of the service, by the date of a reply. */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Amount from "../../terminal/Amount.ts"

/** What was found of one thing. */
export interface Check {
  readonly name: string
  readonly status: "ok" | "warn" | "fail"
  readonly message: string
  readonly next?: string | undefined
}

/** When a request was sent and its reply came, in milliseconds of this machine's clock, and the reply's own date. */
export interface Reply {
  readonly sent: number
  readonly received: number
  readonly date: string | undefined
}

/** The header has whole seconds. */
const second = 1_000

const noticeable = Duration.toMillis("5 seconds")

const wrong = Duration.toMillis("5 minutes")

/**
 * Milliseconds that this clock is certainly ahead, negative where it is behind. The reply was made between sending and
 * receiving, within the second that its date names; absent without a date.
 */
export const of = ({ date = "", received, sent }: Reply): number | undefined => {
  const dated = DateTime.make(date)
  if (Option.isNone(dated)) return undefined
  const at = DateTime.toEpochMillis(dated.value)
  const least = sent - (at + second)
  const most = received - at
  return least > 0 ? least : Math.min(0, most)
}

export const check = (reply: Reply): Check => {
  const ahead = of(reply)
  const name = "clock"
  if (ahead === undefined) return { name, status: "ok", message: "not compared: the reply has no date" }
  const far = Math.abs(ahead)
  if (far < noticeable) return { name, status: "ok", message: "in step with the service" }
  return {
    name,
    status: far < wrong ? "warn" : "fail",
    message: `${Amount.duration(far)} ${ahead > 0 ? "ahead of" : "behind"} the service`,
    next: "Set the clock of this machine: times such as -1h, and waits until a date, are told from it."
  }
}
