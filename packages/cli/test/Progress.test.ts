import { assert, describe, it } from "@effect/vitest"
import { ApiError } from "@sluice/core"
import { CheckFailed, PartsFailed, type Event, type Progress as ProgressEvent } from "@sluice/files/Download"
import * as ShownFailure from "../src/program/ShownFailure.ts"
import * as Progress from "../src/terminal/Progress.ts"
import * as Style from "../src/terminal/Style.ts"

const quota = {
  plan: "trial",
  limit: 10,
  remaining: 4,
  reset: 0,
  inFlight: 1,
  waiting: 0,
  sent: 3,
  rejected: 0,
  processes: null
}

const progress = (over: Partial<ProgressEvent> = {}): ProgressEvent => ({
  _tag: "Progress",
  parts: 40,
  done: 10,
  failed: 0,
  running: 10,
  records: 1_234_567,
  bytes: 45_600_000,
  recordsPerSecond: 1_000,
  bytesPerSecond: 3_100_000,
  elapsed: 250,
  left: 65_000,
  quota,
  ...over
})

const started: Event = { _tag: "Started", folder: "x", resumed: false, parts: 40, done: 0, records: 0, bytes: 0 }
const done: Event = { _tag: "PartDone", part: 0, file: "0-btc.csv", records: 1, bytes: 20 }
const finished: Event = { _tag: "Finished", folder: "x", files: 40, records: 2_000_000, bytes: 1_000_000_000 }

const within = (columns: number, over: Partial<ProgressEvent> = {}) =>
  Progress.onTerminal({ isTerminal: true, columns, style: Style.plain })(progress(over)).slice(Style.wipe.length)

const begin = (part: number, file: string): Event => ({ _tag: "PartStarted", part, file })

/** What is below the line of progress. */
const below = (text: string) => text.split("\n").slice(1).join("\n")

describe("progress", () => {
  it("is one line of a terminal, which is redrawn", () => {
    for (const columns of [40, 80, 200]) {
      const show = Progress.onTerminal({ isTerminal: true, columns, style: Style.plain })
      const texts = [progress(), progress({ done: 40, failed: 2, left: null })].map(show)
      for (const text of texts) {
        assert.isTrue(text.startsWith(Style.wipe))
        assert.isBelow(Style.widthOf(text.slice(Style.wipe.length)), columns)
        assert.notInclude(text, "\n")
      }
    }
    const show = Progress.onTerminal({ isTerminal: true, columns: 200, style: Style.plain })
    assert.strictEqual(
      show(progress()).slice(Style.wipe.length),
      "█████░░░░░░░░░░░░░░░  10/40 parts  1,234,567 records  45.6 MB  3.1 MB/s  1 min 5 s left  quota 4/10"
    )
    assert.include(show(progress({ quota: { ...quota, remaining: 0, reset: 4_000, waiting: 3 } })), "waiting 4 s")
    assert.include(show(progress({ quota: { ...quota, processes: 3 } })), "quota 4/10 of 3 processes")
    assert.strictEqual(show(done), "")
    assert.strictEqual(show(finished), `${Style.wipe}Done: 2,000,000 records, 1 GB, in 40 files in x.\n`)
  })

  it("has a bar for each part that is read below it, with the waits for the rate limit, and clears all of them", () => {
    const show = Progress.onTerminal({ isTerminal: true, columns: 42, style: Style.plain })
    const waiting = { ...quota, remaining: 0, reset: 4_000, waiting: 3 }
    show(started)
    assert.strictEqual(below(show(progress({ elapsed: 250 }))), "")
    show(begin(0, "a.csv"))
    show(progress({ elapsed: 1_000 }))
    show(begin(1, "b.csv"))
    show(progress({ elapsed: 3_000, quota: waiting }))
    const [open, wait, full] = ["     ", "▒".repeat(12), "█"]
    // 23 columns for 3,750 ms: b begins in the fifth, and both wait from it to the seventeenth.
    assert.strictEqual(
      below(show(progress({ elapsed: 4_000 }))),
      [
        `a.csv │${full.repeat(4)}▒${wait}${full.repeat(6)}  4 s`,
        `b.csv │${open.slice(1)}▒${wait}${full.repeat(6)}  3 s\u001B[2A\r`
      ].join("\n")
    )
    show(done)
    const alone = below(show(progress({ elapsed: 5_000 })))
    assert.match(alone, /^b\.csv │▒+█+ {2}4 s/)
    assert.isTrue(alone.endsWith("\u001B[1A\r"))
    assert.strictEqual(Style.wipe, "\r\u001B[J")
    show({ ...done, part: 1 })
    assert.strictEqual(below(show(progress({ elapsed: 6_000 }))), "")
  })

  it("keeps what matters most where there is no room: parts, failures, waits, time left, speed", () => {
    assert.strictEqual(
      within(90),
      "██░░░░░░░░  10/40 parts  1,234,567 records  45.6 MB  3.1 MB/s  1 min 5 s left  quota 4/10"
    )
    assert.strictEqual(within(72), "10/40 parts  1,234,567 records  45.6 MB  3.1 MB/s  1 min 5 s left")
    assert.strictEqual(within(60), "10/40 parts  1,234,567 records  3.1 MB/s  1 min 5 s left")
    assert.strictEqual(within(40), "10/40 parts  3.1 MB/s  1 min 5 s left")
    assert.strictEqual(within(30), "10/40 parts  1 min 5 s left")
    assert.strictEqual(within(20), "10/40 parts")
    const waiting = { ...quota, remaining: 0, reset: 4_000, waiting: 3 }
    assert.strictEqual(
      within(60, { failed: 2, quota: waiting }),
      "10/40 parts  2 failed  waiting 4 s for the rate limit"
    )
  })

  it("is a line for each part elsewhere, and a total every ten seconds", () => {
    const show = Progress.inLines()
    const at = (elapsed: number) => show(progress({ elapsed }))
    assert.deepStrictEqual(
      [show(started), show(done)],
      ["Downloading 40 parts into x.\n", "0-btc.csv: 1 record, 20 B\n"]
    )
    assert.deepStrictEqual(
      [9_750, 10_000, 10_250, 19_750, 20_000].map((elapsed) => at(elapsed) !== ""),
      [false, true, false, false, true]
    )
    assert.strictEqual(at(31_000), "10/40 parts, 1,234,567 records, 45.6 MB, 3.1 MB/s, 1 min 5 s left, quota 4/10\n")
  })
})

describe("the failure of a download", () => {
  const endpoint = "/timeseries/asset-metrics"
  const forbidden = new ApiError.Forbidden({ endpoint, root: "https://example.com/v4", plan: "trial", reason: "no" })
  const failed = { part: 0, file: "0-btc.csv", error: forbidden }

  it("has the category of its error, if there is only one", () => {
    assert.deepInclude(ShownFailure.of(new CheckFailed({ part: 0, error: forbidden })), { kind: "licence" })
    const one = ShownFailure.of(new PartsFailed({ folder: "x", parts: 4, done: 3, failed: [failed] }))
    assert.deepInclude(one, { kind: "licence", tag: "Forbidden" })
    assert.match(one.message, /^0-btc\.csv: .*; 3 of 4 parts are done in x/)
  })

  it("has the category incomplete, when several parts failed", () => {
    const error = new PartsFailed({ folder: "x", parts: 4, done: 2, failed: [failed, { ...failed, part: 1 }] })
    const { kind, next } = ShownFailure.of(error)
    assert.deepStrictEqual([kind, next], ["incomplete", "The same command with --resume reads the remaining parts."])
  })
})
