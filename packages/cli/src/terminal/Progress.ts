/**
 * Progress of a download: a bar that is redrawn on a terminal, and plain lines elsewhere.
 */
import { harmless } from "@sluice/core/PlainText"
import type * as Download from "@sluice/node/Download"
import * as Amount from "./Amount.ts"
import type { Side } from "./Screen.ts"
import * as Style from "./Style.ts"

/** Turns an event into text; empty where it is not shown. */
export type Show = (event: Download.Event) => string

const bar = (done: number, parts: number) => {
  const filled = parts === 0 ? 20 : Math.floor((20 * done) / parts)
  return "█".repeat(filled) + "░".repeat(20 - filled)
}

const waiting = ({ quota }: Download.Progress) =>
  quota.remaining === 0 && quota.reset !== null && quota.reset > 500 && quota.waiting > 0
    ? [`waiting ${Amount.duration(quota.reset)} for the rate limit`]
    : []

const quotaOf = ({ limit, remaining }: Download.Progress["quota"]) =>
  limit === null || remaining === null ? [] : [`quota ${Amount.count(remaining)}/${Amount.count(limit)}`]

const figures = (event: Download.Progress): ReadonlyArray<string> => [
  `${event.done}/${Amount.some(event.parts, "part")}`,
  ...(event.failed === 0 ? [] : [`${event.failed} failed`]),
  Amount.some(event.records, "record"),
  Amount.bytes(event.bytes),
  `${Amount.bytes(event.bytesPerSecond)}/s`,
  ...(event.left === null ? [] : [`${Amount.duration(event.left)} left`]),
  ...waiting(event),
  ...quotaOf(event.quota)
]

const verified = ({ bytes, files, verified }: Download.Verifying) =>
  `Verified ${Amount.count(verified)}/${Amount.some(files, "file")}, ${Amount.bytes(bytes)}`

const begun = ({ done, folder, parts, records, resumed }: Download.Started) => {
  if (done === parts) return `Nothing is left to do in ${folder}.`
  return resumed
    ? `Continuing in ${folder}: ${done} of ${Amount.some(parts, "part")} are done, with ${Amount.some(records, "record")}.`
    : `Downloading ${Amount.some(parts, "part")} into ${folder}.`
}

const finished = ({ bytes, files, folder, records }: Download.Finished) =>
  `Done: ${Amount.some(records, "record")}, ${Amount.bytes(bytes)}, in ${Amount.some(files, "file")} in ${folder}.`

const failed = ({ file, reason }: Download.PartFailed) => harmless(`${file} failed: ${reason}`)

/** Shows events on a terminal. */
export const onTerminal = ({ columns, style }: Side): Show => {
  const fit = (text: string) => Style.cut(text, columns - 1)
  return (event) => {
    switch (event._tag) {
      case "Verifying":
        return `${Style.wipe}${fit(verified(event))}${event.verified === event.files ? "\n" : ""}`
      case "Started":
        return `${begun(event)}\n`
      case "Progress":
        return `${Style.wipe}${fit(`${bar(event.done, event.parts)}  ${figures(event).join("  ")}`)}`
      case "PartFailed":
        return `${Style.wipe}${style.red(fit(failed(event)))}\n`
      case "Finished":
        return `${Style.wipe}${style.green(finished(event))}\n`
      default:
        return ""
    }
  }
}

/** Shows events in a file or a pipe: a line for each part, and a line of progress every ten seconds. */
export const inLines = (): Show => {
  let next = 10_000
  return (event) => {
    switch (event._tag) {
      case "Verifying":
        return event.verified === event.files ? `${verified(event)}.\n` : ""
      case "Started":
        return `${begun(event)}\n`
      case "PartDone":
        return `${event.file}: ${Amount.some(event.records, "record")}, ${Amount.bytes(event.bytes)}\n`
      case "PartFailed":
        return `${failed(event)}\n`
      case "Finished":
        return `${finished(event)}\n`
      case "Progress": {
        if (event.elapsed < next) return ""
        next = event.elapsed + 10_000
        return `${figures(event).join(", ")}\n`
      }
      default:
        return ""
    }
  }
}
