import { assert, describe, it } from "@effect/vitest"
import type { Column } from "@sluice/files/Format"
import * as Rows from "../src/terminal/Rows.ts"
import * as Style from "../src/terminal/Style.ts"

const column = (name: string, kind: Column["kind"] = "text"): Column => ({ name, kind, nullable: true })

const columns = [
  column("name"),
  column("state"),
  column("entities", "integer"),
  column("records", "integer"),
  column("newest", "timestamp"),
  column("endpoint"),
  column("dataset")
]

const records = [
  {
    name: "closes",
    state: "whole",
    entities: 2,
    records: 1830,
    newest: "2026-11-01T00:00:00.000000000Z",
    endpoint: "timeseries/asset-metrics",
    dataset: "/srv/closes"
  },
  {
    name: "lost",
    state: "failed: the folder /srv/lost is in use by another sync, which began an hour ago",
    dataset: "/srv/lost"
  },
  {
    name: "trades-of-coinbase-and-others",
    state: "12 holes, 3 missing files",
    entities: 1204,
    records: 123456789,
    newest: "2026-11-01T12:30:00.123456789Z",
    endpoint: "timeseries/market-trades",
    dataset: "market.example.org market.trades"
  }
]

const words = (lines: ReadonlyArray<string>) => lines.join(" ").replaceAll(/\s+/g, " ")

describe("a few rows", () => {
  it("drop nothing, whatever the width of the terminal", () => {
    for (const width of [200, 120, 80, 60, 40]) {
      const lines = Rows.lines(columns, records, { columns: width, style: Style.plain })
      for (const line of lines) assert.isAtMost(Style.widthOf(line), width, line)
      for (const record of records) {
        const { newest, ...others } = { newest: "", ...record }
        for (const value of [...Object.values(others), newest.slice(0, 10)]) assert.include(words(lines), String(value))
      }
    }
  })

  it("at 80 columns have what matters in one line, and the rest below it", () => {
    assert.deepStrictEqual(Rows.lines(columns, records, { columns: 80, style: Style.plain }).slice(0, 6), [
      "name              state             entities    records  newest",
      "closes            whole                    2       1830  2026-11-01",
      "  endpoint timeseries/asset-metrics, dataset /srv/closes",
      "lost              failed: the fol…",
      "  state failed: the folder /srv/lost is in use by another sync, which began an",
      "    hour ago"
    ])
  })

  it("at 120 columns are in one line each where they fit", () => {
    assert.deepStrictEqual(Rows.lines(columns, records.slice(0, 1), { columns: 120, style: Style.plain }), [
      "name    state  entities  records  newest      endpoint                  dataset",
      "closes  whole         2     1830  2026-11-01  timeseries/asset-metrics  /srv/closes"
    ])
  })
})
