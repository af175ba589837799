/**
 * `sluice status`: what datasets hold, and what is missing. Asks the service nothing.
 */
import type { Column } from "@sluice/files/Format"
import * as Dataset from "@sluice/datasets/Dataset"
import * as Effect from "effect/Effect"
import type { Explained } from "../../settings/Explain.ts"
import * as Amount from "../../terminal/Amount.ts"
import type { StatusInput } from "../flags/DatasetFlags.ts"
import * as Available from "../help/Available.ts"
import * as DatasetsFile from "./DatasetsFile.ts"
import * as EachDataset from "./EachDataset.ts"
import * as Place from "./Place.ts"
import * as PlaceFlags from "./PlaceFlags.ts"

const column = (name: string, kind: Column["kind"] = "text"): Column => ({ name, kind, nullable: true })

const columns = [
  ...["name", "state", "endpoint"].map((name) => column(name)),
  ...["entities", "records"].map((name) => column(name, "integer")),
  column("newest", "timestamp"),
  column("dataset")
]

/** Prints a row for the dataset of a place, or for each one of a file. */
export const run = Effect.fnUntraced(function* ({ all, only, place, table }: StatusInput) {
  if (place === undefined ? all === undefined || table !== undefined : all !== undefined || only !== undefined) {
    const reason = "name a folder, a database and its --table, or a file with --all, which alone takes --only"
    return yield* new PlaceFlags.BadPlace({ reason, command: "status" })
  }
  if (all === undefined) return yield* Available.print([yield* rowOf(yield* Place.at(place ?? "", table))], columns)
  const { concurrency, listed } = yield* DatasetsFile.read(all, only)
  // In the order of the file, whichever is known first.
  const rows = new Map<string, object>(listed.map(({ name }) => [name, { name }]))
  const put = (name: string, row: object) => Effect.sync(() => void rows.set(name, { name, ...row }))
  const print = Effect.suspend(() => Available.print([...rows.values()], columns))
  const looks = EachDataset.run(all, listed, {
    run: ({ name, place }) => Effect.flatMap(Effect.flatMap(place, rowOf), (row) => put(name, row)),
    tell: ({ dataset, name }, failure) => put(name, failedOf(dataset, failure)),
    concurrency,
    isEndless: false
  })
  const exit = yield* Effect.exit(Effect.onInterrupt(looks, () => Effect.ignore(print)))
  yield* print
  return yield* exit
})

const failedOf = (dataset: string, { message, next, tag }: Explained) => ({
  dataset,
  state: `failed: ${message}`,
  error: tag,
  next
})

/** What is missing, where it is. */
const rowOf = Effect.fnUntraced(function* ({ name, to }: Place.Place) {
  const found = yield* Dataset.status(to)
  if (found === undefined) return { dataset: name, state: "not begun" }
  const { definition, entities, gone, holes, missing, unread } = found
  const state = [
    ...(definition.retired === undefined ? [] : [`no longer asked for: ${definition.retired.join(", ")}`]),
    ...(unread.length > 0 ? [`${Amount.some(unread.length, "entity", "entities")} not read to the end`] : []),
    ...(missing.length > 0 ? [Amount.some(missing.length, "missing file")] : []),
    ...(holes > 0 ? [Amount.some(holes, "hole")] : []),
    ...(gone.length > 0 ? [`${Amount.some(gone.length, "entity", "entities")} no longer there`] : [])
  ]
  return {
    dataset: name,
    endpoint: definition.endpoint.replace(/^\//, ""),
    entities: entities.length,
    records: entities.reduce((sum, { rows }) => sum + rows, 0),
    newest:
      entities
        .map(({ last }) => last)
        .toSorted()
        .at(-1) ?? null,
    state: state.length === 0 ? "whole" : state.join(", "),
    unread: unread.length,
    gone: gone.length,
    holes,
    missing: missing.length
  }
})
