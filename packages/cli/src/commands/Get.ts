/**
 * `sluice get`: records to standard output, only as many as the reader takes.
 */
import * as Batch from "@sluice/core/Batch"
import * as Bulk from "@sluice/core/Bulk"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Parameter from "@sluice/core/Parameter"
import * as Format from "@sluice/node/Format"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as EndpointIndex from "../endpoints/EndpointIndex.ts"
import type { About, GetInput } from "./Flags.ts"
import * as Connection from "../settings/Connection.ts"
import * as SafeOutput from "../terminal/SafeOutput.ts"
import * as Parameters from "../endpoints/Parameters.ts"
import { Screen } from "../terminal/Screen.ts"
import * as GlobalFlags from "../settings/GlobalFlags.ts"
import * as Table from "../terminal/Table.ts"

/** Writes the records of an endpoint in the chosen format. */
export const run = Effect.fnUntraced(function* (input: GetInput, about: About | undefined) {
  const screen = yield* Screen
  const { endpoint } = about?.entry ?? (yield* EndpointIndex.get(input.endpoint))
  const limit = limitOf(endpoint, Option.getOrUndefined(input.limit))
  const params = { ...limit.params, ...Parameters.given(input.parameters) }
  const columns = Option.getOrUndefined(input.columns)
  const isTable = screen.out.isTerminal && !(yield* GlobalFlags.Json)
  // A table needs known columns, which `--metrics *` does not give.
  const usual = isTable && (yield* Effect.isSuccess(Format.columns(endpoint, params))) ? "table" : "ndjson"
  const as = Option.getOrElse(input.format, () => usual)
  // A table looks at its first records before it writes any.
  const lazy = as === "table" ? undefined : Batch.lazy
  const records = read(endpoint, params, { query: input.query, lazy }, limit.count)
  const write = as === "table" ? writeTable : writeBytes(as)
  yield* Effect.provide(write(records, { endpoint, params, columns }), Connection.layer)
})

interface Written {
  readonly endpoint: Endpoint.Any
  readonly params: object
  readonly columns: ReadonlyArray<string> | undefined
}

const writeBytes = (as: "ndjson" | "csv") =>
  Effect.fnUntraced(function* (records: Endpoint.Records<unknown>, { columns, endpoint, params }: Written) {
    const screen = yield* Screen
    const encode = yield* Format.encode(endpoint, params, { as, columns })
    const bytes = encode(records)
    yield* screen.write(screen.out.isTerminal ? SafeOutput.data(as, bytes) : bytes)
  })

const writeTable = Effect.fnUntraced(function* (
  records: Endpoint.Records<unknown>,
  { columns, endpoint, params }: Written
) {
  const { err, out, say, write } = yield* Screen
  const table = Table.make(yield* Format.columns(endpoint, params, columns), out)
  yield* write(table.lines(records))
  if (table.isEmpty()) return yield* say(`${err.style.dim("No records.")}\n`)
  const hidden = table.hidden()
  if (hidden === 0) return
  const more = hidden === 1 ? "One column does" : `${hidden} columns do`
  yield* say(`${err.style.dim(`${more} not fit: choose with --columns, or take --format csv for all.`)}\n`)
})

/** Sends the limit to an endpoint that has one of its own, since such an endpoint answers in one reply. */
const limitOf = (endpoint: Endpoint.Info, text: string | undefined) => {
  const count = text === undefined || text === "none" ? undefined : Number(text)
  const own = Parameter.find(endpoint.parameters, "Limit")
  if (text === undefined || own === undefined) return { count, params: sizeOf(endpoint, count) }
  const isSmall = count !== undefined && count <= (own.maximum ?? 0)
  return { count, params: { [own.name]: isSmall ? count : "none" } }
}

const sizeOf = ({ parameters }: Endpoint.Info, count: number | undefined) => {
  const size = Parameter.find(parameters, "PageSize")
  return size?.maximum === undefined || count === undefined || count >= size.maximum ? {} : { [size.name]: count }
}

/** Reads pages that are no larger than the limit; without a limit, in the format that suits the service best. */
const read = (
  endpoint: Endpoint.Any,
  params: Readonly<Record<string, unknown>>,
  options: Endpoint.CallOptions,
  count: number | undefined
) =>
  count === undefined
    ? Bulk.read(endpoint, { index: 0, params }, options)
    : // Type boundary: the flags of an endpoint known only at run time are data; the call checks them.
      Stream.take(endpoint(params as never, options), count)
