import { assert, describe, it } from "@effect/vitest"
import { rotate } from "../benchmark/Measure.ts"
import * as Report from "../benchmark/Report.ts"
import * as Workload from "../benchmark/Workload.ts"

const round = (seconds: number, peak = 100e6): Report.Measurement => ({
  seconds,
  cpu: 2 * seconds,
  records: 1_000_000,
  peak,
  imports: 80e6
})

const rounds: Report.Rounds = new Map([
  ["by hand", [round(2), round(4), round(1)]],
  ["Sluice", [round(3, 200e6), round(3, 250e6), round(2, 210e6)]]
])

const highest = (figure: Report.FigureName) =>
  Report.judge(rounds, { label: "Sluice", figure, limit: 0, isHighest: true }).figure

describe("Report", () => {
  it("takes the middle, or the mean of the two in the middle", () => {
    assert.strictEqual(Report.median([3, 1, 2]), 2)
    assert.strictEqual(Report.median([4, 1, 3, 2]), 2.5)
    assert.strictEqual(Report.median([10, 9]), 9.5)
    assert.isNaN(Report.median([]))
  })

  it("compares within a round before it takes the median", () => {
    // 1.5, 0.75 and 2; the ratio of the medians would be 1.5 as well, that of the means 8 / 7.
    assert.strictEqual(Report.ratio(rounds, "Sluice", "by hand", "time"), 1.5)
    assert.strictEqual(Report.ratio(rounds, "by hand", "by hand", "time"), 1)
    assert.strictEqual(Report.ratio(rounds, "Sluice", "by hand", "memory"), 2.1)
  })

  it("does not hide the worst memory behind a median, and tells what a case takes above its imports", () => {
    assert.strictEqual(highest("memory"), 250e6)
    assert.strictEqual(highest("memory above the imports"), 170e6)
  })

  it("aligns a table", () => {
    assert.strictEqual(
      Report.table(rounds),
      [
        "case     time ratio  CPU ratio  CPU s  seconds  records/s  peak MB  above imports",
        "-------  ----------  ---------  -----  -------  ---------  -------  -------------",
        "by hand        1.00       1.00   4.00     2.00    500,000      100             20",
        "Sluice         1.50       1.50   6.00     3.00    333,333      210            130"
      ].join("\n")
    )
  })

  it("says which bound is kept", () => {
    const text = Report.verdicts([
      { bound: "time", figure: 1.15, limit: 1.15 },
      { bound: "memory", figure: 301e6, limit: 300e6, unit: "MB" }
    ])
    assert.match(text, /^time +≤ 1\.15 +1\.15 +ok$/m)
    assert.match(text, /^memory +≤ 300 MB +301 MB +missed$/m)
  })
})

describe("Measure", () => {
  it("begins each round one case later", () => {
    assert.deepStrictEqual(rotate(["a", "b", "c"], 0), ["a", "b", "c"])
    assert.deepStrictEqual(rotate(["a", "b", "c"], 4), ["b", "c", "a"])
    assert.deepStrictEqual(rotate([], 4), [])
  })
})

describe("Workload", () => {
  it("ends at the minute of the last record", () => {
    const workload = { assets: ["btc", "eth"], start: "2022-01-01T00:00:00Z", rows: 1_441 }
    assert.strictEqual(Workload.endOf(workload), "2022-01-02T00:00:00.000Z")
    assert.strictEqual(Workload.total(workload), 2_882)
  })

  it("warms up with no more than the workload holds", () => {
    const workload = { assets: ["btc", "eth"], start: "2022-01-01T00:00:00Z", rows: 1_000 }
    assert.strictEqual(Workload.atMost(workload, 100).rows, 50)
    assert.strictEqual(Workload.atMost(workload, 1_000_000).rows, 1_000)
  })
})
