/** `sluice status`: what datasets hold, and what is missing. Asks the service nothing. */
import * as Dataset from "@sluice/datasets/Dataset"
import * as Effect from "effect/Effect"
import * as ClusterUrl from "../../settings/ClusterUrl.ts"
import type { Explained } from "../../settings/Explain.ts"
import * as GlobalFlags from "../../settings/GlobalFlags.ts"
import * as Amount from "../../terminal/Amount.ts"
import * as Rows from "../../terminal/Rows.ts"
import { jsonOf, Screen } from "../../terminal/Screen.ts"
import * as SyncProgress from "../../terminal/SyncProgress.ts"
import type { StatusInput } from "../flags/DatasetFlags.ts"
import * as ListOutput from "../help/ListOutput.ts"
import * as DatasetsFile from "./DatasetsFile.ts"
import * as EachDataset from "./EachDataset.ts"
import * as Place from "./Place.ts"
import * as PlaceFlags from "./PlaceFlags.ts"

const { column, text, time } = ListOutput

/** What matters most comes first. */
const columns = [
  ...["name", "state"].map(text),
  ...["entities", "records"].map((name) => column(name, "integer")),
  time("newest"),
  ...["endpoint", "dataset", "next"].map(text)
]

/** Prints rows: a table on a terminal, one JSON object a line elsewhere. */
const printed = Effect.fnUntraced(function* (rows: ReadonlyArray<object>) {
  const { out, print } = yield* Screen
  const isJson = !out.isTerminal || (yield* GlobalFlags.Json)
  const lines = isJson ? rows.map((row) => jsonOf(row)) : Rows.lines(columns, rows, out)
  yield* print(lines.join("\n"))
})

/** Prints a row for the dataset of a place, or for each one of a file; without any how far the backfills of the cluster are. */
export const run = Effect.fnUntraced(function* ({ all, only, place, table }: StatusInput) {
  if ([all, only, place, table].every((given) => given === undefined) && (yield* ClusterUrl.find(undefined))) {
    const { act } = yield* Effect.promise(() => import("./Backfill.ts"))
    return yield* act("status", undefined, undefined)
  }
  if (place === undefined ? all === undefined || table !== undefined : all !== undefined || only !== undefined) {
    const message = "name a folder, a database and its --table, or a file with --all, which alone takes --only"
    return yield* new PlaceFlags.BadPlace({ message, command: "status" })
  }
  if (all === undefined) {
    const { name, to } = yield* Place.at(place ?? "", table)
    const row = yield* rowOf({ name, to })
    if (row.state === notBegun) return yield* Place.none({ name, to })
    return yield* printed([row])
  }
  const { concurrency, listed } = yield* DatasetsFile.read(all, only)
  // In the order of the file, whichever is known first.
  const rows = new Map<string, object>(listed.map(({ name }) => [name, { name }]))
  const put = (name: string, row: object) => Effect.sync(() => void rows.set(name, { name, ...row }))
  const print = Effect.suspend(() => printed([...rows.values()]))
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

const named = (what: string, names: ReadonlyArray<string>) =>
  names.length === 0 ? [] : [`${what}: ${names.join(", ")}`]

/** The state of a dataset that a file lists, and no run has begun. */
const notBegun = "not begun"

/** What is missing, where it is. */
const rowOf = Effect.fnUntraced(function* ({ name, to }: Pick<Place.Place, "name" | "to">) {
  const found = yield* Dataset.status(to)
  if (found === undefined) return { dataset: name, state: notBegun }
  const { definition, entities, gone, holes, isCompacting, missing, synced, unread } = found
  const { refused = [], retired = [] } = definition
  const state = [
    ...named(
      "no longer asked for",
      retired.filter((name) => !refused.includes(name))
    ),
    ...named("refused by the service", refused),
    ...(unread.length > 0 ? [SyncProgress.unread(unread.length)] : []),
    ...(isCompacting ? [SyncProgress.compacting] : []),
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
    missing: missing.length,
    isCompacting,
    synced: synced ?? null
  }
})
