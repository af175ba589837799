/** `sluice plot`: records of an endpoint, a file or a dataset as a chart, in the terminal or as SVG. */
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Parameter from "@sluice/core/Parameter"
import * as Params from "@sluice/core/Params"
import * as PlainText from "@sluice/core/PlainText"
import * as Format from "@sluice/files/Format"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Parameters from "../../endpoints/Parameters.ts"
import * as Reading from "../../endpoints/Reading.ts"
import * as RelativeTime from "../../endpoints/RelativeTime.ts"
import * as Suggestions from "../../endpoints/Suggestions.ts"
import * as Connection from "../../settings/Connection.ts"
import * as GlobalFlags from "../../settings/GlobalFlags.ts"
import { Screen } from "../../terminal/Screen.ts"
import * as Place from "../data/Place.ts"
import * as PlaceFlags from "../data/PlaceFlags.ts"
import type { About } from "../flags/About.ts"
import { areHeld, type PlotInput } from "../flags/Flags.ts"
import * as Collect from "./Collect.ts"
import * as FileRecords from "./FileRecords.ts"
import { type Known, NotDrawable } from "./Layout.ts"
import * as Show from "./Show.ts"

export const run = Effect.fnUntraced(function* (input: PlotInput, about: About | undefined) {
  yield* Show.check(input)
  return yield* about === undefined ? ofPlace(input) : ofEndpoint(input, about)
})

const ofEndpoint = Effect.fnUntraced(function* (input: PlotInput, { entry: { endpoint } }: About) {
  const given = yield* RelativeTime.resolve(endpoint.parameters, Parameters.given(input.parameters))
  const { count, params } = Reading.limited(endpoint, input.limit, given)
  const known = yield* knownOf(endpoint, params)
  const title = endpoint.path.slice(1)
  const unknown = input.fields?.find((name) => known.columns?.every((column) => column.name !== name))
  if (unknown !== undefined) {
    const drawable = (known.columns ?? []).filter(({ kind }) => numeric.includes(kind)).map(({ name }) => name)
    return yield* new NotDrawable({ reason: `there is no field ${PlainText.quoted(unknown)}`, drawable })
  }
  if (areHeld(input)) {
    const { records } = yield* Effect.promise(() => import("../data/GetHeld.ts"))
    return void (yield* draw(input, title, known, yield* records("plot", input, { endpoint, params: given }, count)))
  }
  const drawing = Effect.gen(function* () {
    const seen = yield* draw(input, title, known, Reading.read(endpoint, params, { query: input.query }, count))
    const { err } = yield* Screen
    if (seen === 0 && err.isTerminal && !(yield* GlobalFlags.Json)) yield* Suggestions.sayOnNothing(endpoint, params)
  })
  yield* drawing.pipe(Suggestions.onRefused(params), Effect.provide(Connection.layerDiscover))
})

const numeric: ReadonlyArray<Format.Kind> = ["decimal", "integer", "number"]

const knownOf = Effect.fnUntraced(function* (endpoint: Endpoint.Any, params: Readonly<Record<string, unknown>>) {
  // Of a wildcard the columns are not known before the records.
  const columns = Option.getOrUndefined(yield* Effect.option(Format.columns(endpoint, params)))
  const entities = Parameter.withRole(endpoint.parameters, "Entities").flatMap(({ role }) =>
    role._tag === "Entities" && role.field !== undefined ? [role.field] : []
  )
  const asked = Params.items(params[Parameter.find(endpoint.parameters, "Columns")?.name ?? ""])
  const known: Known = { columns, entities: entities.length === 0 ? undefined : entities, asked }
  return known
})

const refuse = (reason: string) => new NotDrawable({ reason, drawable: [] })

const ofPlace = Effect.fnUntraced(function* (input: PlotInput) {
  const { from, limit, query, source } = input
  if (from !== undefined) return yield* refuse("--from needs an endpoint in the place of a file or a folder")
  if (Object.keys(query).length > 0) return yield* refuse("--query is of a request, and a file or a folder takes none")
  if (input.maxAge !== undefined) {
    return yield* refuse("--max-age needs an endpoint: a file or a folder is drawn without a request")
  }
  const count = limit === undefined || limit === "none" ? Infinity : Number(limit)
  if (source === "-") {
    return void (yield* draw(input, "standard input", {}, Stream.take(FileRecords.ofInput, count)))
  }
  if (PlaceFlags.isDatabase(source)) return yield* ofDataset(input, yield* Place.at(source, input.table), count)
  if (input.table !== undefined) return yield* refuse("--table is of a database, and the source is none")
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.option(fs.stat(source))
  if (Option.isNone(info)) {
    return yield* refuse(`there is neither an endpoint nor a file nor a folder ${PlainText.quoted(source)}`)
  }
  if (info.value.type !== "Directory") {
    return void (yield* draw(input, source, {}, Stream.take(FileRecords.of(source), count)))
  }
  return yield* ofDataset(input, { name: source, to: source }, count)
})

const ofDataset = Effect.fnUntraced(function* (
  input: PlotInput,
  place: Pick<Place.Place, "name" | "to">,
  count: number
) {
  const { asOf, fields } = input
  const { coverage, records } = yield* Effect.promise(() => import("./DatasetRecords.ts"))
  if (fields === undefined && asOf === undefined) return yield* Show.show(input, yield* coverage(place))
  const { endpoint, held, others, params } = yield* records(place, asOf)
  yield* draw(input, place.name, yield* knownOf(endpoint, params), Stream.take(held, count), others)
})

/** The first records decide what is drawn. */
const first = 500

/** Draws records as they come, and tells how many there were. */
const draw = Effect.fnUntraced(function* <E, R>(
  input: PlotInput,
  title: string,
  known: Known,
  records: Stream.Stream<unknown, E, R>,
  others = 0
) {
  const collect = Collect.make(known, { fields: input.fields, isLog: input.log })
  yield* records.pipe(
    Stream.rechunk(first),
    Stream.runForEachArray((batch) => Effect.fromResult(collect.see(batch)))
  )
  const collected = collect.end(PlainText.harmless(title))
  yield* Show.show(input, { ...collected, others: collected.others + others })
  return collected.records
})
