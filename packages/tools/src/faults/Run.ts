/** One run: a stream read through the real client, from a stand-in service that misbehaves as asked. */
import { ApiError, Client, JobError, Retry } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import { Cause, Duration, Effect, Exit, Layer, Logger, Redacted, Stream } from "effect"
import { inspect } from "node:util"
import * as Auditor from "../simulation/Auditor.ts"
import type { Row } from "./Row.ts"

export type End =
  | { readonly _tag: "Complete" }
  | { readonly _tag: "Failed"; readonly error: ApiError.ApiError | JobError.JobError }
  | { readonly _tag: "Defect"; readonly text: string }
  | { readonly _tag: "Hang" }

export const attempts = 3

/**
 * The longest wait for the first byte, and between two pieces of a body, in seconds. The short one is for services that
 * fall silent; a busy machine falls silent too, so all others have more time.
 */
export const limit = { silent: 1, other: 10 }

// Long and odd enough to be found wherever it stands, and to need escapes in a URL.
const key = "key+that/nobody=may see"
const forms = Auditor.writtenAs(key)

/** Controls, and what turns the direction of writing. */
const acting = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u

/** What is said of the client, apart from what all runs have. */
interface Settings extends Pick<Row, "onDisorder" | "plan">, Pick<NodeClient.Options, "limits"> {}

const planOf = ({ plan }: Settings) => plan ?? "download"

/** Longer than any run may take. */
const patience = "60 seconds"

const client = ({ faultUrl, url }: Sandbox.Sandbox["Service"], fault: string | undefined, settings: Settings) => {
  const wait = Duration.seconds(fault?.startsWith("stall") === true ? limit.silent : limit.other)
  const { limits, onDisorder = "warn" } = settings
  return NodeClient.layer({
    root: fault === undefined ? url : faultUrl(fault),
    apiKey: Redacted.make(key),
    plan: planOf(settings),
    retry: Retry.make({ base: "1 millis", times: attempts - 1 }),
    firstByte: wait,
    idle: wait,
    onDisorder,
    ...(limits === undefined ? {} : { limits })
  })
}

const toEnd = (exit: Exit.Exit<boolean, unknown>): End => {
  if (Exit.isSuccess(exit)) return { _tag: exit.value ? "Complete" : "Hang" }
  const failure = exit.cause.reasons.find((reason) => reason._tag === "Fail")?.error
  return ApiError.isApiError(failure) || JobError.isJobError(failure)
    ? { _tag: "Failed", error: failure }
    : { _tag: "Defect", text: Cause.pretty(exit.cause) }
}

/** Reads a stream from a service of its own under a fault; without one, undisturbed. */
export const run = <A>(stream: Stream.Stream<A, unknown, Client.Client>, fault?: string, settings: Settings = {}) =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.Sandbox
    const records: Array<A> = []
    const said: Array<{ readonly level: string; readonly text: string }> = []
    const logger = Logger.make(({ logLevel, message }) => {
      said.push({ level: logLevel, text: [message].flat().map(String).join(" ") })
    })
    const read = stream.pipe(
      Stream.runForEach((record) => Effect.sync(() => records.push(record))),
      Effect.as(true),
      Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.succeed(false) }),
      Effect.exit
    )
    const { exit, sent } = yield* Effect.gen(function* () {
      const exit = yield* read
      return { exit, sent: (yield* Client.quota).sent }
    }).pipe(Effect.provide(Layer.provideMerge(client(sandbox, fault, settings), Logger.layer([logger]))))
    const end = toEnd(exit)
    const { faults, requests } = yield* sandbox.stats
    const printed = [...said.map(({ text }) => text), ...(end._tag === "Failed" ? [end.error.message] : [])]
    const shown = end._tag === "Failed" ? [JSON.stringify(end.error), inspect(end.error)] : []
    const visible = [...printed, ...shown].join("\n")
    return {
      records,
      end,
      warnings: said.filter(({ level }) => level === "Warn").map(({ text }) => text),
      /** Lines of the log, warnings among them. */
      lines: said.length,
      /** Requests, as the client counts them. */
      sent,
      /** Requests, as the service counts them. */
      arrived: requests,
      /** The kinds of fault that the service served. */
      met: Object.keys(faults),
      /** Whether the key stands anywhere in the error or the log. */
      leaks: forms.some((form) => visible.includes(form)),
      /** Whether the error or the log holds what acts on a terminal. */
      acts: printed.some((text) => acting.test(text))
    }
  }).pipe(
    Effect.provide(Layer.fresh(Sandbox.layer({ jobTime: "20 millis", keys: { [key]: { plan: planOf(settings) } } })), {
      local: true
    })
  )

/** What a user saw of one run, and what it took. */
export type Outcome<A> = Effect.Success<ReturnType<typeof run<A>>>

/** What is wrong with any run, whatever it read. */
export const problems = ({ acts, end, leaks }: Outcome<unknown>): ReadonlyArray<string> =>
  [
    end._tag === "Defect" && `it died: ${end.text}`,
    end._tag === "Hang" && "it did not end",
    acts && "what acts on a terminal stands in the error or in the log",
    leaks && "the key stands in the error or in the log"
  ].filter((problem) => problem !== false)
