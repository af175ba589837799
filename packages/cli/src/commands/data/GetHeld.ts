/**
 * `--from` of `sluice get` and `sluice plot`: records of a dataset, which reads from the service what it lacks.
 */
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Dataset from "@sluice/datasets/Dataset"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as RelativeTime from "../../endpoints/RelativeTime.ts"
import * as Connection from "../../settings/Connection.ts"
import type { GetInput } from "../flags/Flags.ts"
import * as Output from "./Output.ts"
import * as Place from "./Place.ts"
import * as PlaceFlags from "./PlaceFlags.ts"

/** What is read. */
interface Source {
  readonly endpoint: Endpoint.Any
  readonly params: Readonly<Record<string, unknown>>
}

/** The flags that name the dataset. */
type Input = Pick<GetInput, "from" | "offline" | "asOf" | "query"> & Partial<Pick<GetInput, "table">>

/** The records of a dataset for a command. Fails where the flags do not fit together. */
export const records = Effect.fnUntraced(function* (
  command: "get" | "plot",
  input: Input,
  { endpoint, params }: Source,
  count = Infinity
) {
  const refuse = (reason: string) => new PlaceFlags.BadPlace({ reason, command })
  const { from, offline } = input
  if (from === undefined) {
    const flag = offline ? "--offline" : input.asOf === undefined ? "--table" : "--as-of"
    return yield* refuse(`${flag} needs --from and the place of a dataset`)
  }
  if (Object.keys(input.query).length > 0) return yield* refuse("--query is of a request, and --from reads a dataset")
  const { to } = yield* Place.at(from, input.table)
  const asOf = input.asOf === undefined ? undefined : yield* RelativeTime.past("as-of", input.asOf)
  // Type boundary: the flags of an endpoint known only at run time are data; the read checks them.
  const given = params as never
  return offline
    ? Stream.take(Dataset.read(endpoint, given, { from: to, offline, asOf }), count)
    : Stream.provide(Stream.take(Dataset.read(endpoint, given, { from: to, asOf }), count), Connection.layer)
})

/** Writes the records of a dataset in the chosen format. */
export const run = Effect.fnUntraced(function* (input: GetInput, source: Source, count = Infinity) {
  const held = yield* records("get", input, source, count)
  yield* Output.write(yield* Output.of(input, source), input, source, held)
})
