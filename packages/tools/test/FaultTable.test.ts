import { assert, describe, it } from "@effect/vitest"
import { ApiError } from "@sluice/core"
import { Fault } from "@sluice/sandbox"
import { Effect, Result } from "effect"
import { readFileSync } from "node:fs"
import * as List from "../src/faults/List.ts"
import * as Markdown from "../src/faults/Markdown.ts"
import * as Page from "../src/faults/Page.ts"
import * as Row from "../src/faults/Row.ts"
import type * as Run from "../src/faults/Run.ts"
import * as Table from "../src/faults/Table.ts"
import * as Verdict from "../src/faults/Verdict.ts"
import * as Spec from "../../sandbox/src/internal/faults/Spec.ts"

const clean = [1, 2, 3, 4, 5].map((n) => ({ asset: "btc", time: `2024-01-0${n}`, PriceUSD: `${n}.5` }))

const failed: Run.End = {
  _tag: "Failed",
  error: new ApiError.Unavailable({
    endpoint: "/timeseries/asset-metrics",
    phase: "body",
    transient: true,
    attempts: 3,
    reason: "the connection was closed"
  })
}

const good: Run.Outcome<List.Row> = {
  records: clean,
  end: { _tag: "Complete" },
  warnings: [],
  sent: 5,
  arrived: 5,
  met: ["reset-after"],
  leaks: false,
  acts: false,
  lines: 0
}

const row: Row.Row = { fault: "reset-after=10", service: "breaks off (`reset-after=10`)", formats: Row.formats }

const page = readFileSync(new URL("../../../docs/faults.md", import.meta.url), "utf8")

const rowsOf = (page: string) => Table.all(Page.pieces(page)).flatMap(Row.all)

const table = (head: string, ...rows: ReadonlyArray<string>) =>
  rowsOf([`| the service … | ${head} |`, "| --- | --- |", ...rows, ""].join("\n"))

const judge = (changes: Partial<Run.Outcome<List.Row>>, rowChanges: Partial<Row.Row> = {}) => {
  const outcome = { ...good, ...changes }
  const comparison = Verdict.compare(clean, outcome, rowChanges.without)
  return Verdict.problems({ row: { ...row, ...rowChanges }, format: "json_stream", when: "once", outcome, comparison })
}

describe("the fault table", () => {
  it("has specs that the stand-in service reads, each for a format", () => {
    for (const { fault, formats } of rowsOf(page)) assert.isNotEmpty(formats, fault)
    for (const { format, row, when } of rowsOf(page).flatMap(Table.ways))
      assert.isTrue(Result.isSuccess(Spec.parse(Row.spec(row, format, when))), row.fault)
  })

  it("has every kind, and gets a row for one that it lacks, with the formats that the kind has", () => {
    const kinds = rowsOf(page).flatMap(Row.kindsOf)
    assert.sameMembers([...new Set(kinds)], [...Fault.kinds])
    assert.strictEqual(Page.join(Table.complete(Page.pieces(page))), page)
    const lacking = page.split("\n").filter((line) => !/`(?:stall|repeat-token|crlf)`/.test(line))
    const complete = Page.join(Table.complete(Page.pieces(lacking.join("\n"))))
    const found = rowsOf(complete).filter(({ service }) => service.startsWith("sends a reply that"))
    assert.sameDeepMembers(
      found.map(({ fault, formats }) => [fault, ...formats]),
      [
        ["stall", "pages", "json_stream"],
        ["repeat-token", "pages"],
        ["crlf", "json_stream"]
      ]
    )
  })

  it("says in its words what a call has", () => {
    const [whole, trial, one] = table(
      "met",
      "| ends, and the call has `checkEnd` (`truncate-line=0`) | once | does not apply |  |  | all records |",
      "|  | always | does not apply |  |  | all records |",
      "| is slow to a key of the plan `trial` (`slow=5,missing=x`) | once |  |  |  | does not apply |",
      "| ends (`truncate-line=0`) | once | does not apply |"
    )
    assert.deepInclude(whole, { checkEnd: true, unseen: false, formats: ["json_stream"] })
    assert.deepInclude(trial, { checkEnd: false, unseen: false, formats: ["pages"], plan: "trial" })
    assert.deepInclude(one, { fault: "truncate-line=0", checkEnd: false, unseen: true })
    const [first] = table(
      "bound | read as",
      '| begins again (`missing=x`) | a \\| b, `onDisorder: "fail"` | pages | once |',
      "|  |  |  | always |",
      "|  |  | json_stream | once or always |"
    )
    assert.deepInclude(first, { onDisorder: "fail", without: "x", bound: 'a | b, `onDisorder: "fail"`' })
    assert.deepStrictEqual(first?.formats, ["pages", "json_stream"])
    assert.throws(() => table("met", "| has no fault | once |"))
  })

  it("asks for every fault of a spec at the same request", () => {
    const both = { ...row, fault: "slow=5,reset-after=10" }
    assert.deepStrictEqual(Row.kindsOf(both), ["slow", "reset-after"])
    assert.strictEqual(Row.spec(both, "pages", "once"), "slow=5;page=3,reset-after=10;page=3")
    assert.strictEqual(Row.spec(both, "json_stream", "once"), "slow=5;times=1,reset-after=10;times=1")
  })

  it("lets pass what is complete, and what ended early with a typed error", () => {
    assert.deepStrictEqual(judge({}), [])
    assert.deepStrictEqual(judge({ records: clean.slice(0, 2), end: failed }), [])
    assert.deepStrictEqual(judge({ records: [], end: failed }), [])
  })

  it("finds records that are lost, repeated or changed", () => {
    assert.deepStrictEqual(judge({ records: clean.slice(0, 4) }), ["1 records were lost"])
    assert.deepStrictEqual(judge({ records: clean.toSpliced(1, 1), end: failed }), ["1 records were lost"])
    assert.deepStrictEqual(judge({ records: [...clean.slice(0, 3), ...clean.slice(2)] }), ["1 records were repeated"])
    const changed = clean.with(2, { ...clean[2]!, PriceUSD: "3.6" })
    assert.deepStrictEqual(judge({ records: changed }), ["1 records are not what the service has"])
    const foreign = [...clean, { asset: "eth", time: "2024-01-01", PriceUSD: "1" }]
    assert.deepStrictEqual(judge({ records: foreign }), ["1 records are not what the service has"])
  })

  it("takes fields that were added for no change, and missing ones only where the fault takes them", () => {
    const added = clean.map((record) => ({ ...record, sandbox_extra: "new" }))
    const without = clean.map(({ asset, time }) => ({ asset, time }))
    assert.deepStrictEqual(judge({ records: added }), [])
    assert.deepStrictEqual(judge({ records: without }), ["5 records are not what the service has"])
    assert.deepStrictEqual(judge({ records: without }, { without: "PriceUSD" }), [])
  })

  it("finds defects, hangs, a key that is seen, and a fault that was not met", () => {
    assert.deepStrictEqual(judge({ end: { _tag: "Defect", text: "oh" } }), ["it died: oh"])
    assert.deepStrictEqual(judge({ end: { _tag: "Hang" } }), ["it did not end"])
    assert.deepStrictEqual(judge({ leaks: true }), ["the key stands in the error or in the log"])
    assert.deepStrictEqual(judge({ acts: true }), ["what acts on a terminal stands in the error or in the log"])
    assert.deepStrictEqual(judge({ met: [] }), ["the service did not serve reset-after"])
  })

  it("finds requests that do not agree, or are more than the table says", () => {
    assert.deepStrictEqual(judge({ arrived: 6 }), ["the client counts 5 requests, the service 6"])
    const requests = { json_stream: { once: [2, 4] as const } }
    assert.deepStrictEqual(judge({}, { requests }), ["it took 5 requests, which is outside of what the table says"])
    assert.deepStrictEqual(judge({ sent: 3, arrived: 3 }, { requests }), [])
  })

  it("shows the one fault that a json_stream does not show, and only as long as it does not", () => {
    assert.deepStrictEqual(judge({ records: clean.slice(0, 3) }, { unseen: true }), [])
    const seen = ["it was seen, although the table says it is not"]
    assert.deepStrictEqual(judge({}, { unseen: true }), seen)
    assert.deepStrictEqual(judge({ records: clean.slice(0, 3), end: failed }, { unseen: true }), seen)
  })

  it("prints one line where it makes no difference how often a fault is met", () => {
    const print = (once: Partial<Run.Outcome<List.Row>>, always: Partial<Run.Outcome<List.Row>>) => {
      const cases = Row.whens.map((when): Verdict.Case => {
        const outcome = { ...good, ...(when === "once" ? once : always) }
        return { row, format: "json_stream", when, outcome, comparison: Verdict.compare(clean, outcome) }
      })
      return Page.table([], Markdown.lines(row, cases)).split("\n").slice(2)
    }
    assert.deepStrictEqual(print({}, {}), [
      "| breaks off (`reset-after=10`) | once or always | does not apply |  |  | all records | 5 / 0 / 0 | 5 |"
    ])
    assert.deepStrictEqual(print({}, { records: clean.slice(0, 2), end: failed }), [
      "| breaks off (`reset-after=10`) | once | does not apply |  |  | all records | 5 / 0 / 0 | 5 |",
      "|  | always | does not apply |  |  | `Unavailable`, phase body, after 3 attempts: “the connection was closed” | 2 / 0 / 0 | 5 |"
    ])
  })

  it.live("reads a whole list through a fault, on a service and a client of its own", () =>
    Effect.gen(function* () {
      const undisturbed = yield* List.run("pages")
      const met = yield* List.run("pages", "status=503;page=3")
      assert.deepStrictEqual(Verdict.compare(undisturbed.records, met), {
        delivered: 1098,
        lost: 0,
        repeated: 0,
        altered: 0
      })
      assert.deepStrictEqual([undisturbed.sent, met.sent, met.arrived, met.met], [4, 5, 5, ["status"]])
    })
  )
})
