import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as CsvTable from "../../src/month/CsvTable.ts"
import * as Folder from "../../src/month/Folder.ts"
import * as Judge from "../../src/month/Judge.ts"
import * as Memory from "../../src/month/Memory.ts"
import * as Scenario from "../../src/month/Scenario.ts"
import * as Targets from "../../src/month/Targets.ts"

const target = Targets.all.find(({ name }) => name === "exchanges")!
const day = 86_400_000
const row = (exchange: string, date: string, value: string | null = "1.5") => ({
  exchange,
  time: `${date}T00:00:00.000000000Z`,
  volume: value
})

const scenario = (as: "ndjson" | "csv" | "parquet") =>
  Effect.map(Scenario.draw(7), (drawn): Scenario.Scenario => ({
    ...drawn,
    format: { as },
    layout: { byEntity: true, period: "none" },
    history: { ...drawn.history, settles: 2 * day }
  }))

describe("a record of a file", () => {
  it.effect("is that of the service where all values agree", () =>
    Effect.gen(function* () {
      const [lines, table] = [yield* scenario("ndjson"), yield* scenario("parquet")]
      const own = row("a", "2026-10-01")
      assert.isUndefined(Judge.difference(lines, own, own))
      assert.isUndefined(Judge.difference(table, { ...own, volume: 1.5 }, own))
      assert.isUndefined(Judge.difference(table, { ...own, volume: null }, { exchange: "a", time: own.time }))
    })
  )

  it.effect("is another where a value differs, is missing, or is too many", () =>
    Effect.gen(function* () {
      const [lines, table] = [yield* scenario("ndjson"), yield* scenario("csv")]
      const own = row("a", "2026-10-01")
      assert.include(Judge.difference(lines, own, { ...own, volume: "1.6" }), "volume")
      assert.include(Judge.difference(lines, { ...own, volume: null }, { exchange: "a", time: own.time }), "volume")
      assert.include(Judge.difference(table, { ...own, volume: 1.5001 }, own), "volume")
      assert.include(Judge.difference(table, { exchange: "a", time: own.time }, own), "volume")
      assert.include(Judge.difference(table, { ...own, other: "1" }, own), "other")
    })
  )

  it("is told from others by its key, and found twice", () => {
    const { byKey, twice } = Judge.keyed(target, [
      row("a", "2026-10-01"),
      row("b", "2026-10-01"),
      row("a", "2026-10-01")
    ])
    assert.strictEqual(byKey.size, 2)
    assert.lengthOf(twice, 1)
  })
})

const dates = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => new Date(Date.UTC(2026, 8, from + n)).toISOString().slice(0, 10))

describe("what a sync may ask for", () => {
  it.effect("is what is new, the look-back, what was added, and what filled a hole", () =>
    Effect.gen(function* () {
      const it = yield* scenario("ndjson")
      const held = dates(1, 20)
        .filter((date) => date !== "2026-09-04")
        .map((date) => row("a", date))
      const now = [...dates(1, 21).map((date) => row("a", date)), ...dates(1, 5).map((date) => row("b", date))]
      const from = Judge.starts(it, target, held, [])
      // Three days before 20 September, which is a day more than a record may change.
      assert.deepStrictEqual([...from], [["a", Date.UTC(2026, 8, 17)]])
      const [before, fresh] = [Judge.keyed(target, held).byKey, Judge.keyed(target, now).byKey]
      const { records } = Judge.bound(it, target, from, before, fresh)
      // Five records from 17 September on, those of the other entity, and the hole; beside them no more than shares a page.
      assert.isAtLeast(records, 5 + 5 + 1)
      assert.isAtMost(records, now.length + 1 + 2 * 2 + 4)
    })
  )

  it("is asked for from the earliest record on that was not reviewed", () => {
    const open = { ...row("a", "2026-09-02"), "volume-status": "flash" }
    const later = row("a", "2026-09-20")
    return Effect.runPromise(
      Effect.map(scenario("ndjson"), (it) =>
        assert.deepStrictEqual([...Judge.starts(it, target, [open, later], [open])], [["a", Date.UTC(2026, 8, 2)]])
      )
    )
  })

  it("does not count requests for holes, which are told by what they ask for", () => {
    const fresh = Judge.keyed(
      target,
      dates(1, 20).map((date) => row("a", date))
    ).byKey
    const bound = { records: 0, requests: 0, earliest: new Map([["a", Date.UTC(2026, 8, 16)]]) }
    const ask = (start: string, end = "") => `${target.endpoint.path}?exchanges=a&start_time=${start}${end}`
    const requests = [ask("2026-09-17"), ask("2026-09-03", "&end_time=2026-09-05"), "/catalog-v2/exchange-metrics?"]
    assert.deepStrictEqual(Judge.holes(target, requests, { byEntity: true, period: "none" }, bound, fresh), {
      requests: 1,
      records: 2
    })
  })
})

describe("what a dataset may lack", () => {
  it("is what came after it was asked for, and no longer than twice as long as it was missing", () => {
    const memory = Memory.empty()
    const from = new Map([["a", Date.UTC(2026, 8, 17)]])
    const keyed = (...all: ReadonlyArray<ReturnType<typeof row>>) => Judge.keyed(target, all).byKey
    const late = row("a", "2026-09-10")
    const inTime = row("a", "2026-09-18")
    const now = Date.UTC(2026, 8, 20)
    const first = row("a", "2026-09-01")
    Memory.add(memory, target, keyed(first, late, inTime), from, new Map([["a", Date.UTC(2026, 8, 2)]]), now)
    const [lateKey, key] = [Judge.keyOf(target, late), Judge.keyOf(target, inTime)]
    assert.isFalse(Memory.mayLack(memory, key, now))
    // Nothing tells of what is missing before the first record that is held.
    assert.isTrue(Memory.mayLack(memory, Judge.keyOf(target, first), now + 1000 * day))
    assert.isTrue(Memory.mayLack(memory, lateKey, now + 22 * day))
    assert.isFalse(Memory.mayLack(memory, lateKey, now + 22 * day + 1))
  })
})

describe("a folder", () => {
  it.effect("is read by its partitions, and tells what is no whole file", () =>
    Effect.gen(function* () {
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), "sluice-folder-"))
      const put = (name: string, text: string) => {
        fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
        fs.writeFileSync(path.join(folder, name), text)
      }
      const { exchange, ...rest } = row("a", "2026-10-01")
      put(`exchange=${exchange}/year=2026/a.ndjson`, `${JSON.stringify(rest)}\n`)
      put("exchange=a/year=2025/b.ndjson", `${JSON.stringify(row("a", "2026-10-02"))}\n`)
      put("exchange=b/year=2026/c.csv", `exchange,time\r\na,2026-10-02T00:00:00.000000000Z\r\n`)
      put("exchange=b/year=2026/d.csv", `exchange,time\r\nb,2026-10`)
      put(".sluice/e.ndjson", "{")
      const { files, records, wrong } = yield* Folder.read(folder)
      fs.rmSync(folder, { recursive: true })
      assert.strictEqual(files.size, 4)
      assert.deepInclude(records, { ...row("a", "2026-10-01") })
      assert.lengthOf(wrong, 3)
    })
  )

  it("has tables whose quotes, commas and line ends are text", () => {
    assert.deepStrictEqual(CsvTable.parse('a,b\r\n"x ""y"", z\r\n","" \r\n'.replace('"" ', '""')), [
      ["a", "b"],
      ['x "y", z\r\n', ""]
    ])
    assert.deepStrictEqual(CsvTable.parse("a,b\r\n,1\r\n"), [
      ["a", "b"],
      [null, "1"]
    ])
    for (const text of ["a,b\r\n1", "a,b\r\n1\r\n", 'a\r\n"x', ""]) assert.throws(() => CsvTable.parse(text))
  })
})
