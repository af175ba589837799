import { assert, describe, it } from "@effect/vitest"
import { InvalidRequest } from "@sluice/core/ApiError"
import * as Dataset from "@sluice/datasets/Dataset"
import * as ShownFailure from "../src/program/ShownFailure.ts"
import * as Style from "../src/terminal/Style.ts"
import * as SyncProgress from "../src/terminal/SyncProgress.ts"

const folder = { name: "prices", isFolder: true }
const dataset = "prices"

const changed = (records: number, replaced: number, written: ReadonlyArray<string> = []): Dataset.Changed => ({
  _tag: "Changed",
  dataset,
  entities: ["btc"],
  records,
  replaced,
  written,
  deleted: []
})

const finished = (changes: number): Dataset.Finished => ({
  _tag: "Finished",
  dataset,
  entities: 1,
  records: 0,
  replaced: 0,
  changes,
  newest: null
})

describe("the lines of a sync", () => {
  it("count what is new, what came again and what was removed", () => {
    const show = SyncProgress.inLines()
    assert.strictEqual(show(changed(8, 7, ["btc.csv"])), "1 new record, 7 read again; wrote: btc.csv\n")
    assert.strictEqual(show(changed(2, 5, ["eth.csv"])), "0 new records, 2 read again, 3 removed; wrote: eth.csv\n")
    assert.strictEqual(
      show({ ...changed(4, 4, ["a.csv"]), revised: 3 }),
      "0 new records, 4 read again (3 revised); wrote: a.csv\n"
    )
    assert.strictEqual(show(finished(2)), "Done: 1 new record, 13 read again (3 revised), 3 removed, in prices.\n")
  })

  it("say that there is no news where the same came and nothing was written", () => {
    const show = SyncProgress.inLines()
    assert.strictEqual(show(changed(7, 7)), "")
    assert.strictEqual(show(finished(1)), "Done: no news in prices, of 1 entity.\n")
  })

  it("count all that is new, of which the event has a hundred", () => {
    const text = SyncProgress.inLines()({
      _tag: "Started",
      dataset,
      isNew: false,
      entities: 900,
      requests: 9,
      added: Array.from({ length: 100 }, (_, at) => `a${at}`),
      addedCount: 450,
      gone: [],
      goneCount: 0,
      dropped: [],
      droppedCount: 0
    })
    assert.include(text, "New: a0, a1, a2, a3 and 446 more.")
  })

  it("of one that goes on say what comes after the first run, and no more", () => {
    const side = { isTerminal: false, columns: 80, style: Style.plain }
    const show = SyncProgress.watching(side, folder)
    assert.strictEqual(show(finished(0)), "Done: no news in prices, of 1 entity.\nWatching prices; Ctrl-C ends it.\n")
    assert.strictEqual(show(finished(0)), "")
    assert.strictEqual(show(changed(3, 0, ["btc.csv"])), "3 new records; wrote: btc.csv\n")
  })

  it("say that a dataset without records has none", () => {
    const verifying: Dataset.Verifying = { _tag: "Verifying", dataset, files: 0, verified: 0, records: 0 }
    assert.strictEqual(SyncProgress.inLines()(verifying), "")
    assert.strictEqual(SyncProgress.proved(verifying, folder), "prices has no records yet.")
  })

  it("say what a catalog lists and a dataset has not", () => {
    const [first, last] = ["2024-01-01T00:00:00.000000000Z", "2024-01-09T00:00:00.000000000Z"]
    const comparison: Dataset.Comparison = {
      compared: 2,
      differences: [
        { entity: "btc", reason: "earlier", held: last, listed: first },
        { entity: "eth", reason: "absent", held: undefined, listed: last }
      ]
    }
    assert.strictEqual(
      SyncProgress.compared(comparison, dataset),
      [
        "prices: compared 2 entities with the catalog.",
        "  btc: begins earlier, in the catalog 2024-01-01, here 2024-01-09",
        "  eth: nothing is held of it, in the catalog 2024-01-09"
      ].join("\n")
    )
    assert.include(SyncProgress.compared({ compared: 0, differences: [] }, dataset), "no catalog lists times")
  })
})

const refusal = (value: string) =>
  new InvalidRequest({
    endpoint: "/timeseries/asset-metrics",
    kind: "refused",
    parameter: "metrics",
    value,
    reason: `Bad parameter 'metrics'. Value '${value}' is not supported`
  })

const failed = (...values: ReadonlyArray<string>) =>
  ShownFailure.of(
    new Dataset.SyncFailed({ dataset, failed: values.map((value) => ({ entities: ["btc"], error: refusal(value) })) })
  )

const next = (operation: string, reason: string, code?: string, kind?: "occupied") =>
  ShownFailure.of(new Dataset.StoreFailed({ dataset, operation, kind, reason, code })).next

describe("failures of datasets", () => {
  it("are of usage where all requests were refused alike", () => {
    assert.deepStrictEqual(failed("x", "x").kind, "usage")
    assert.match(failed("x", "x").message, /, and 1 more request failed;/)
    assert.deepStrictEqual(failed("x", "y").kind, "incomplete")
  })

  it("name a few of many files, and all of them as data", () => {
    const others = Array.from({ length: 99 }, (_, at) => `f${at}.csv`)
    const shown = ShownFailure.of(
      new Dataset.FileChanged({ folder: "prices", file: "a.csv", others, reason: "it differs" })
    )
    assert.include(
      shown.message,
      "100 files in prices were changed after they were finished (it differs): a.csv, f0.csv, f1.csv and 97 more;"
    )
    assert.strictEqual(shown.damaged?.length, 100)
    const missing = new Dataset.FileMissing({ dataset, file: "a.csv", others: ["b.csv"] })
    assert.match(missing.message, /^a\.csv and 1 more are missing in prices; sync again/)
    assert.deepStrictEqual(ShownFailure.of(missing).damaged, ["a.csv", "b.csv"])
  })

  it("promise no help of another run where the place is wrong", () => {
    assert.match(next("connect", 'database "x" does not exist', "3D000") ?? "", /^Check user, password/)
    assert.match(next("connect", "connect ECONNREFUSED 127.0.0.1:1") ?? "", /^Check host and port/)
    assert.match(next("create the table", "there is one", undefined, "occupied") ?? "", /^Name another/)
    assert.match(next("commit", "deadlock detected", "40P01") ?? "", /^If the reason passes by itself/)
  })
})
