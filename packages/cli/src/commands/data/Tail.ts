/** `sluice tail`: live records to standard output, until it is stopped. */
import type { LiveEntry } from "@sluice/core/Endpoints"
import type * as LiveEndpoint from "@sluice/core/LiveEndpoint"
import * as Format from "@sluice/files/Format"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Stream from "effect/Stream"
import * as EndpointIndex from "../../endpoints/EndpointIndex.ts"
import * as Parameters from "../../endpoints/Parameters.ts"
import * as RelativeTime from "../../endpoints/RelativeTime.ts"
import * as Suggestions from "../../endpoints/Suggestions.ts"
import * as LiveConnection from "../../settings/LiveConnection.ts"
import * as GlobalFlags from "../../settings/GlobalFlags.ts"
import * as LiveNotices from "../../terminal/LiveNotices.ts"
import * as SafeOutput from "../../terminal/SafeOutput.ts"
import * as OutputFile from "../../terminal/OutputFile.ts"
import { jsonOf, Screen, type Side } from "../../terminal/Screen.ts"
import * as Style from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import type { About } from "../flags/About.ts"
import type { TailInput } from "../flags/Flags.ts"
import * as Output from "./Output.ts"

export const run = Effect.fnUntraced(function* (input: TailInput, about: About<LiveEntry> | undefined) {
  const { err, out, say, write } = yield* Screen
  const isJson = yield* GlobalFlags.Json
  const { endpoint } = about?.entry ?? (yield* EndpointIndex.getLive(input.endpoint))
  const params = yield* RelativeTime.resolve(endpoint.parameters, Parameters.given(input.parameters))
  const { columns } = input
  const file = OutputFile.of(input.output)
  const isTerminal = out.isTerminal && file === undefined
  // A table needs known columns, which `--metrics *` does not give.
  const hasTable = isTerminal && !isJson && (yield* Effect.isSuccess(Format.columns(endpoint, params)))
  const named = file === undefined || input.format !== undefined ? undefined : yield* formatOf(file)
  const as = input.format ?? named ?? (hasTable ? "table" : "ndjson")
  const since = input.since === undefined ? undefined : yield* RelativeTime.past("since", input.since)
  const notices = LiveNotices.make(since !== undefined)
  const tell = (said: ReadonlyArray<LiveNotices.Notice>) => {
    const shown = isJson
      ? said.map(({ data }) => `${jsonOf(data)}\n`)
      : said.filter(({ kind }) => kind !== "note" || err.isTerminal).map((one) => LiveNotices.lineOf(one, err.style))
    return shown.length === 0 ? Effect.void : say(shown.join(""))
  }
  const messages = untilEnough(
    // Type boundary: the flags of an operation known only at run time are data; the call checks them.
    endpoint(params as never, {
      query: input.query,
      since,
      capacity: input.capacity,
      whenFull: input.whenFull,
      order: input.order
    }),
    input.limit ?? Infinity
  ).pipe(
    // Takes a queue and a fiber.
    input.for === undefined ? identity : Stream.interruptWhen(Effect.sleep(input.for)),
    Stream.mapArrayEffect((batch) => Effect.as(tell(notices.see(batch)), batch))
  )
  const side = isTerminal ? out : { ...out, isTerminal, style: file === undefined ? out.style : Style.plain }
  const text = yield* textOf(messages, { as, columns, endpoint, params }, side)
  const written = file === undefined ? write(text) : OutputFile.follow(file, text)
  yield* written.pipe(
    Effect.ensuring(Effect.suspend(() => tell(notices.summary()))),
    Suggestions.onRefused(params),
    Effect.provide(LiveConnection.layer)
  )
})

/** The format that the name of a file says. A file that grows as records come is no Parquet, no Arrow and not compressed. */
const formatOf = Effect.fnUntraced(function* (file: string) {
  if (yield* OutputFile.isSpecial(file)) return undefined
  const { as, compression } = yield* Output.byName(file)
  if (compression !== undefined || (as !== undefined && as !== "ndjson" && as !== "csv")) {
    return yield* new Output.BadName({ file, reason: "live records are written as ndjson or csv, not compressed" })
  }
  return as === "csv" ? as : "ndjson"
})

type Messages = LiveEndpoint.Messages<unknown>

/** Ends with the record that makes it so many. */
const untilEnough = (messages: Messages, limit: number): Messages =>
  Stream.suspend(() => {
    let count = 0
    return Stream.takeUntil(messages, ({ _tag }) => _tag === "Data" && (count += 1) >= limit)
  })

interface Written {
  readonly as: "ndjson" | "csv" | "table" | "messages"
  readonly columns: ReadonlyArray<string> | undefined
  readonly endpoint: LiveEndpoint.Any
  readonly params: object
}

/** The records as they are written. In NDJSON a `reorg` stands where it came, as on the wire. */
const textOf = Effect.fnUntraced(function* (messages: Messages, { as, columns, endpoint, params }: Written, out: Side) {
  if (as === "table") {
    return Table.makeLive(yield* Format.columns(endpoint, params, columns), out).lines(records(messages, false))
  }
  const isLines = as !== "csv"
  const written = as === "messages" ? Stream.map(messages, LiveNotices.plain) : records(messages, isLines)
  const encode = yield* Format.encode(endpoint, params, { as: isLines ? "ndjson" : "csv", columns })
  const bytes = encode(written)
  return out.isTerminal ? SafeOutput.data(isLines ? "ndjson" : "csv", bytes) : bytes
})

const records = (messages: Messages, withReorgs: boolean) =>
  messages.pipe(
    Stream.mapArray((batch) => [
      batch.flatMap((message): ReadonlyArray<unknown> => {
        if (message._tag === "Data") return [message.record]
        return message._tag === "Reorg" && withReorgs ? [message.frame] : []
      })
    ]),
    Stream.filter((batch) => batch.length > 0),
    Stream.flattenIterable
  )
