/** `--from` of `sluice get` and `sluice plot`: records of a dataset, which reads from the service what it lacks. */
import type * as Endpoint from "@sluice/core/Endpoint"
import { harmless } from "@sluice/core/PlainText"
import * as Dataset from "@sluice/datasets/Dataset"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import * as Reading from "../../endpoints/Reading.ts"
import * as RelativeTime from "../../endpoints/RelativeTime.ts"
import * as Connection from "../../settings/Connection.ts"
import * as GlobalFlags from "../../settings/GlobalFlags.ts"
import { Target } from "../../settings/Target.ts"
import * as OutputFile from "../../terminal/OutputFile.ts"
import { Screen } from "../../terminal/Screen.ts"
import type { GetInput } from "../flags/Flags.ts"
import * as AbsentMetrics from "./AbsentMetrics.ts"
import * as HeldLists from "./HeldLists.ts"
import * as Output from "./Output.ts"
import * as Place from "./Place.ts"
import * as PlaceFlags from "./PlaceFlags.ts"

interface Source {
  readonly endpoint: Endpoint.Any
  readonly params: Readonly<Record<string, unknown>>
}

type Input = Pick<GetInput, "from" | "offline" | "maxAge" | "asOf" | "query"> &
  Partial<Pick<GetInput, "table" | "cache">>

/** Says what a read will bring into a dataset, which stays there: from a slip of the pen, or a start that was forgotten, much may come. */
const tellOfGrowth = Effect.fnUntraced(function* (to: string | Dataset.Store, endpoint: Endpoint.Any, given: never) {
  if (yield* GlobalFlags.Json) return
  const { say } = yield* Screen
  const name = harmless(Predicate.isString(to) ? to : to.name)
  // What is wrong with the place or the parameters the read tells.
  const found = yield* Effect.orElseSucceed(Dataset.defined(to), () => undefined)
  if (found === undefined) return yield* say(`Beginning a dataset in ${name}.\n`)
  const covered = yield* Effect.orElseSucceed(Dataset.coverage(endpoint, given, { from: to }), () => [])
  // Not what came since, behind all that is held of an entity.
  const lacking = covered.filter(
    ({ entity, state }, at) =>
      state === "missing" && (covered[at - 1]?.entity !== entity || covered[at + 1]?.entity === entity)
  )
  const [first, ...others] = lacking
  if (first === undefined) return
  const times = `${first.from === undefined ? "" : ` from ${first.from}`}${first.to === undefined ? "" : ` until ${first.to}`}`
  const more = others.length === 0 ? "" : `, and ${others.length} more`
  yield* say(`${name} does not have ${harmless(first.entity)}${times}${more}: it is read from the service, and kept.\n`)
})

/** The records of a dataset for a command. Fails where the flags do not fit together. */
export const records = Effect.fnUntraced(function* (
  command: "get" | "plot",
  input: Input,
  { endpoint, params }: Source,
  count = Infinity
) {
  const refuse = (message: string) => new PlaceFlags.BadPlace({ message, command })
  const { cache, from, maxAge, offline } = input
  // Type boundary: the flags of an endpoint known only at run time are data; the read checks them.
  const given = params as never
  if (offline && maxAge !== undefined) {
    return yield* refuse("--max-age cannot be combined with --offline, which asks for nothing")
  }
  if (!offline) yield* Ref.update(yield* Target, (known) => ({ ...known, mayBeOffline: true }))
  if (cache !== undefined) {
    if ([from, input.asOf, input.table].some(Predicate.isNotUndefined) || Object.keys(input.query).length > 0) {
      return yield* refuse("--cache cannot be combined with --from, --table, --as-of or --query")
    }
    if (PlaceFlags.isDatabase(cache)) return yield* refuse("--cache needs a folder, not a database")
    return offline
      ? Stream.take(Dataset.cache(endpoint, given, { in: cache, offline }), count)
      : Stream.provide(Stream.take(Dataset.cache(endpoint, given, { in: cache, maxAge }), count), Connection.layer)
  }
  if (from === undefined) {
    if (offline || maxAge !== undefined) {
      return yield* refuse(
        `--${offline ? "offline" : "max-age"} needs --from and the place of a dataset${command === "get" ? ", or --cache" : ""}`
      )
    }
    return yield* refuse(`${input.asOf === undefined ? "--table" : "--as-of"} needs --from and the place of a dataset`)
  }
  if (Object.keys(input.query).length > 0) return yield* refuse("--query is of a request, and --from reads a dataset")
  const { to } = yield* Place.at(from, input.table)
  if (!offline) yield* tellOfGrowth(to, endpoint, given)
  const asOf = input.asOf === undefined ? undefined : yield* RelativeTime.past("as-of", input.asOf)
  return offline
    ? Stream.take(Dataset.read(endpoint, given, { from: to, offline, asOf }), count)
    : Stream.provide(Stream.take(Dataset.read(endpoint, given, { from: to, asOf, maxAge }), count), Connection.layer)
})

/** Writes the records of a dataset in the chosen format. */
export const run = Effect.fnUntraced(function* (input: GetInput, source: Source, count = Infinity) {
  const held = AbsentMetrics.warn(yield* records("get", input, source, count), source, count)
  yield* Output.write(yield* Output.of(input, source), input, source, held)
})

const misuse = (message: string) => new PlaceFlags.BadPlace({ message, command: "get" })

/** Writes all that a dataset holds: its definition says what that is. */
export const runAll = Effect.fnUntraced(function* (input: GetInput) {
  if (input.from === undefined) return yield* misuse("the argument <endpoint> is missing")
  const { name, to } = yield* Place.at(input.from, input.table)
  if (input.asUrl || input.asCode !== undefined) {
    if (input.asUrl || input.asCode !== "sql" || !Predicate.isString(to)) {
      return yield* misuse("without an endpoint there is --as-code sql alone, of the folder of a dataset")
    }
    const { asOf, cache, format, limit, maxAge, query } = input
    const others = [asOf, cache, limit, maxAge, ...Object.values(format), ...Object.values(query)]
    if (others.some(Predicate.isNotUndefined)) {
      return yield* misuse("--as-code sql of a dataset takes only --from and --output")
    }
    const file = OutputFile.of(input.output)
    const sql = yield* Dataset.sql(to)
    return yield* file === undefined ? (yield* Screen).print(sql) : OutputFile.write(file, Stream.make(`${sql}\n`))
  }
  const { endpoint, params } = yield* HeldLists.allOf({ name, to }, input.asOf !== undefined)
  yield* run(input, { endpoint, params }, Reading.limited(endpoint, input.limit, params).count)
})
