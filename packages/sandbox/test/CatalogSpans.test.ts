import { assert, describe, it } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as TestMode from "../../core/test/TestMode.ts"
import * as Route from "../src/internal/server/Route.ts"
import { type Row, rows } from "./Harness.ts"

interface Span {
  readonly min_time: string
  readonly max_time: string
  readonly frequency?: string
}

interface Depth extends Span {
  readonly depth: string
  readonly datasets: ReadonlyArray<Span & { readonly dataset: string }>
}

interface Covered {
  readonly metric: string
  readonly frequencies: ReadonlyArray<Span>
}

/** The spans of a catalog's record, each with the parameters of the series it is about. */
const spansOf = (row: Row): ReadonlyArray<readonly [query: string, span: Span]> => {
  const at = (query: string) => (span: Span) =>
    [`${query}${span.frequency === undefined ? "" : `&frequency=${span.frequency}`}`, span] as const
  // Type boundary: the tests look at what was sent, whatever it is.
  const metrics = row["metrics"] as ReadonlyArray<Covered> | undefined
  const frequencies = row["frequencies"] as ReadonlyArray<Span> | undefined
  const depths = row["depths"] as ReadonlyArray<Depth> | undefined
  if (metrics !== undefined) {
    return metrics.slice(0, 3).flatMap((one) => one.frequencies.map(at(`&metrics=${one.metric}`)))
  }
  if (frequencies !== undefined) return frequencies.map(at(""))
  if (depths !== undefined) {
    // Those of a depth are those of its snapshots, which come first.
    for (const { datasets, max_time, min_time } of depths) assert.deepInclude(datasets[0], { max_time, min_time })
    return depths.flatMap(({ datasets, depth }) =>
      datasets.map((span) => [`&depth_limit=${depth}&dataset=${span.dataset}`, span] as const)
    )
  }
  return [["", row as unknown as Span]]
}

const paths = [...Route.endpoints.keys()]

/** The series that have a catalog, with the list of their entities. */
const series = [...Route.endpoints.values()].flatMap(({ operation, path }) => {
  const catalog = path.replace("/timeseries/", "/catalog-v2/")
  return path.startsWith("/timeseries/") && paths.includes(catalog)
    ? [[path, catalog, Object.keys(operation.parameters)[0] ?? ""] as const]
    : []
})

/** Compares the spans of some records of each catalog with the first and the last row of the series. */
const inStep =
  (sandbox: Sandbox.Options, share: number, ofMarkets = "") =>
  ([path, catalog, list]: (typeof series)[number]) =>
    Effect.gen(function* () {
      const all = yield* rows(`${catalog}?page_size=1000${list === "markets" ? ofMarkets : ""}`)
      assert.isNotEmpty(all)
      const some = all.filter((_, index) => index % Math.ceil(all.length / share) === 0)
      for (const row of some) {
        const id = list === "protocols" ? ["protocol", "market", "chain"] : [Object.keys(row)[0] ?? ""]
        const names = id
          .map((field) => `&${field === "index" ? "indexes" : `${field}s`}=${String(row[field])}`)
          .join("")
        for (const [query, { max_time, min_time }] of spansOf(row)) {
          const edge = (from: string) =>
            Effect.map(rows(`${path}?page_size=1&paging_from=${from}${names}${query}`), ([record]) => record?.["time"])
          assert.deepStrictEqual([yield* edge("start"), yield* edge("end")], [min_time, max_time], `${names}${query}`)
        }
      }
    }).pipe(Effect.provide(Sandbox.layerMemory({ ...sandbox, dialect: { bookUpdates: "lenient" } })))

describe("The catalogs", () => {
  it.effect.each(series)("%s begins and ends where %s says", inStep({}, TestMode.times(1, 4)))
})

describe("The catalogs of a past that changes", () => {
  const at = { from: "2026-10-10T09:20:00Z", httpLag: 0 }
  it.effect.each(series)(
    "%s begins and ends where %s says",
    inStep({ history: { seed: 7 }, live: at }, TestMode.times(1, 2), "&exchange=deribit")
  )
})
