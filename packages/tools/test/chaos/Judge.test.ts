import { assert, describe, it } from "@effect/vitest"
import { ApiError } from "@sluice/core"
import { Effect } from "effect"
import * as Expected from "../../src/chaos/Expected.ts"
import * as Judge from "../../src/chaos/Judge.ts"
import * as Reader from "../../src/chaos/Reader.ts"
import type { Consumer, Reading, Schedule } from "../../src/chaos/Schedule.ts"

const path = "/timeseries/asset-metrics"

const content = { assets: ["btc", "eth"], metrics: ["PriceUSD"], start_time: "2024-01-01", end_time: "2024-01-10" }

const client: Schedule["client"] = {
  root: "paid",
  parallel: 10,
  firstByte: 2_000,
  idle: 2_000,
  deprecated: "ignore",
  gzip: true,
  limits: { maxPageBytes: 1_000_000, maxLineBytes: 1_000_000 },
  retry: { times: 1, base: 1, cap: 1 }
}

const reading = (format: "pages" | "lines", consumer: Consumer = { _tag: "All" }): Reading => ({
  target: { path, content, paging: format === "lines" ? { format: "json_stream" } : { page_size: 5 } },
  as: "records",
  consumer,
  delay: 0,
  faults: [],
  always: ""
})

type Change = (rows: ReadonlyArray<Expected.Row>) => ReadonlyArray<Expected.Row>

interface Seen {
  readonly rows?: Change
  readonly faults?: ReadonlyArray<string>
  readonly end?: Reader.End
}

const complete: Reader.End = { _tag: "Complete" }

const failed = (error: ApiError.ApiError): Reader.End => ({ _tag: "Failed", error })

const unavailable = (transient = true, endpoint = path) =>
  failed(new ApiError.Unavailable({ endpoint, phase: "body", transient, attempts: 2, reason: "sandbox" }))

const decode = failed(new ApiError.Decode({ endpoint: path, path: "", issue: "sandbox" }))

/** Judges a stream that went as told; as the undisturbed one where nothing is said. */
const judge = Effect.fnUntraced(function* (reading: Reading, { rows, faults = [""], end = complete }: Seen) {
  const schedule: Schedule = { seed: 1, world: "memory", sandbox: { latency: 0 }, client, streams: [reading] }
  const expected = yield* Expected.of(reading.target, schedule)
  const seen: Reader.Observed = {
    ...Reader.empty(),
    rows: [...(rows?.(expected.rows) ?? expected.rows)],
    requests: faults.map((faults) => ({ faults, at: 0, reply: undefined })),
    end
  }
  return Judge.stream(schedule, reading, seen, expected)
})

const first =
  (count: number): Change =>
  (rows) =>
    rows.slice(0, count)

const without =
  (at: number): Change =>
  (rows) =>
    rows.filter((_, index) => index !== at)

const change =
  (at: number, f: (row: Expected.Row) => Expected.Row): Change =>
  (rows) =>
    rows.map((row, index) => (index === at ? f(row) : row))

const taken: Consumer = { _tag: "Take", count: 3 }

const cut = "cut-line=4"

/** What must be found, and by which words. */
const found: ReadonlyArray<readonly [name: string, reading: Reading, seen: Seen, words: RegExp]> = [
  ["a record that is lost", reading("lines"), { rows: without(7), faults: [cut, ""] }, /record 7\.time/],
  [
    "a record that comes twice",
    reading("lines"),
    { rows: (all) => [...all.slice(0, 4), ...all.slice(3)] },
    /record 4\./
  ],
  ["a record too many", reading("pages"), { rows: (all) => [...all, all[0]!] }, /one more than the 20/],
  [
    "records that changed places",
    reading("pages"),
    { rows: (all) => [all[1]!, all[0]!, ...all.slice(2)] },
    /record 0\./
  ],
  ["a value that changed", reading("pages"), { rows: change(3, (row) => ({ ...row, PriceUSD: "1" })) }, /3\.PriceUSD/],
  [
    "a field that no fault added",
    reading("pages"),
    { rows: change(3, (row) => ({ ...row, sandbox_note: "Ξ→₿ 🌊" })), faults: ["", "extra-fields"] },
    /3\.sandbox_note/
  ],
  [
    "a record that its type does not allow",
    reading("pages"),
    { rows: change(5, (row) => ({ ...row, PriceUSD: 12345 })), faults: ["", "wrong-type=PriceUSD"] },
    /record 5 is no record/
  ],
  ["an end that is silent and too early", reading("pages"), { rows: first(10) }, /without an error after 10 of 20/],
  [
    "an end inside a line taken for a whole one",
    reading("lines"),
    { rows: first(2), faults: ["truncate-after=within:3"] },
    /without an error after 2 of 20/
  ],
  ["more records than were taken", reading("pages", taken), { rows: first(4) }, /4 records came where 3/],
  ["fewer records than were taken", reading("pages", taken), { rows: first(2) }, /without an error after 2/],
  ["an error without a fault", reading("pages"), { rows: first(5), end: unavailable() }, /failed with Unavailable/],
  ["an error of another kind", reading("lines"), { rows: first(3), faults: [cut], end: decode }, /failed with Decode/],
  ["attempts that were not made", reading("lines"), { rows: first(3), faults: [cut], end: unavailable() }, /gave up/],
  [
    "attempts that stopped before they were used up",
    reading("pages"),
    { rows: first(5), faults: ["", "reset", "", "reset"], end: unavailable() },
    /gave up/
  ],
  [
    "an error of another endpoint",
    reading("pages"),
    { rows: first(0), faults: ["reset", "reset"], end: unavailable(true, "/elsewhere") },
    /speaks of \/elsewhere/
  ],
  [
    "an error that shows the key",
    reading("pages"),
    {
      rows: first(0),
      faults: ["status=404,echo-key"],
      end: failed(
        new ApiError.NotFound({ endpoint: path, root: "https://example.com/v4", reason: "/v4?api_key=demo-key" })
      )
    },
    /shows the key/
  ],
  ["a request that was not needed", reading("lines"), { faults: ["crlf", ""] }, /second request/],
  ["a refusal that was passed over", reading("pages"), { faults: ["status=403", ""] }, /request 0 had to end/],
  ["a refusal that was heard and not told", reading("pages"), { faults: ["status=403"] }, /ended without an error/],
  ["a defect", reading("pages"), { end: { _tag: "Defect", text: "oh" } }, /died: oh/],
  ["a stream that hangs", reading("pages"), { end: { _tag: "Unfinished" } }, /never ended/]
]

/** What is as it should be. */
const fine: ReadonlyArray<readonly [name: string, reading: Reading, seen: Seen]> = [
  ["the undisturbed run", reading("pages"), { faults: ["", "", "", ""] }],
  ["a cut that was passed", reading("lines"), { faults: [cut, "truncate-after=170", ""] }],
  [
    "a prefix, and the error of two attempts",
    reading("lines"),
    { rows: first(3), faults: [cut, cut], end: unavailable() }
  ],
  ["a prefix, interrupted", reading("lines"), { rows: first(3), end: { _tag: "Interrupted" } }],
  ["so many records as were taken", reading("pages", taken), { rows: first(3) }],
  [
    "a body of lines that ended where nobody can tell",
    reading("lines"),
    { rows: first(2), faults: ["truncate-line=2"] }
  ],
  [
    "records that carry what was put into them",
    reading("pages"),
    { rows: change(3, (row) => ({ ...row, sandbox_note: "Ξ→₿ 🌊" })), faults: ["", "split-utf8"] }
  ],
  [
    "a first page that was led back to",
    reading("pages"),
    { rows: (all) => [...all.slice(0, 5), ...all], faults: ["cycle-token=1", ""] }
  ],
  [
    "an asset that ended where nobody can tell",
    reading("lines"),
    { rows: (all) => [...all.slice(0, 5), ...all.slice(10)], faults: [cut, "truncate-line=3", ""] }
  ]
]

describe("the judge", () => {
  for (const [name, reading, seen, words] of found) {
    it.effect(`finds ${name}`, () => Effect.map(judge(reading, seen), (wrong) => assert.match(wrong.join("\n"), words)))
  }

  for (const [name, reading, seen] of fine) {
    it.effect(`lets pass ${name}`, () => Effect.map(judge(reading, seen), (wrong) => assert.deepStrictEqual(wrong, [])))
  }
})
