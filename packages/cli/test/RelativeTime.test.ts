import { assert, describe, it, layer } from "@effect/vitest"
import * as BlockchainJobs from "@sluice/core/endpoints/BlockchainJobs"
import * as Timeseries from "@sluice/core/endpoints/Timeseries"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { TestClock } from "effect/testing"
import * as RelativeTime from "../src/endpoints/RelativeTime.ts"
import * as WallClock from "../../core/test/WallClock.ts"
import { codes } from "../src/program/ExitCode.ts"
import * as Invocation from "../src/program/Invocation.ts"
import { folder, services, sluice } from "./Process.ts"

const { parameters } = Timeseries.assetMetrics

const joined = (text: string) => Invocation.joined(text.split(" ")).join(" ")

const at = (now: string) => TestClock.setTime(Date.parse(now))

describe("a time that is told from now", () => {
  it.effect("is in UTC, from the whole second in which the command starts", () =>
    Effect.gen(function* () {
      yield* at("2024-03-31T14:05:07.891Z")
      const moments = {
        now: "2024-03-31T14:05:07Z",
        today: "2024-03-31T00:00:00Z",
        yesterday: "2024-03-30T00:00:00Z",
        tomorrow: "2024-04-01T00:00:00Z",
        Yesterday: "2024-03-30T00:00:00Z",
        "-0s": "2024-03-31T14:05:07Z",
        "-90s": "2024-03-31T14:03:37Z",
        "-15m": "2024-03-31T13:50:07Z",
        "-6h": "2024-03-31T08:05:07Z",
        "-30d": "2024-03-01T14:05:07Z",
        "30d": "2024-03-01T14:05:07Z",
        "-2w": "2024-03-17T14:05:07Z",
        "604800s": "2024-03-24T14:05:07Z"
      }
      for (const [text, moment] of Object.entries(moments)) {
        assert.strictEqual(yield* RelativeTime.one("since", text), moment, text)
      }
    })
  )

  it.effect("goes by the calendar for months and years, and ends at the last day of a shorter month", () =>
    Effect.gen(function* () {
      yield* at("2024-03-31T14:05:07Z")
      assert.strictEqual(yield* RelativeTime.one("since", "-1mo"), "2024-02-29T14:05:07Z")
      assert.strictEqual(yield* RelativeTime.one("since", "-13mo"), "2023-02-28T14:05:07Z")
      yield* at("2024-04-01T00:00:00Z")
      yield* at("2028-02-29T00:00:00Z")
      assert.strictEqual(yield* RelativeTime.one("since", "-1y"), "2027-02-28T00:00:00Z")
      assert.strictEqual(yield* RelativeTime.one("since", "-4y"), "2024-02-29T00:00:00Z")
    })
  )

  it.effect(
    "takes the place of every time among the parameters, all from one now; written times stay as they are",
    () =>
      Effect.gen(function* () {
        yield* at("2024-03-31T14:05:07Z")
        const given = { assets: "now", start_time: "-1d", end_time: "now", frequency: "1d" }
        const expected = { ...given, start_time: "2024-03-30T14:05:07Z", end_time: "2024-03-31T14:05:07Z" }
        assert.deepStrictEqual(yield* RelativeTime.resolve(parameters, given), expected)
        assert.deepStrictEqual(RelativeTime.among(parameters, given), { start_time: "-1d", end_time: "now" })
        for (const start_time of ["2024-01-01", "20240101", "2024-01-01T00:00:00", "2024-13-77", "20240101T000000Z"]) {
          assert.deepStrictEqual(yield* RelativeTime.resolve(parameters, { start_time }), { start_time })
        }
      })
  )

  it.effect("is a whole day where a word for a day ends a range, and its beginning anywhere else", () =>
    Effect.gen(function* () {
      yield* at("2024-03-01T14:05:07Z")
      for (const [word, day] of [
        ["yesterday", "2024-02-29"],
        ["Today", "2024-03-01"],
        [" tomorrow", "2024-03-02"]
      ] as const) {
        const given = { start_time: word, end_time: word }
        const expected = { start_time: `${day}T00:00:00Z`, end_time: day }
        assert.deepStrictEqual(yield* RelativeTime.resolve(parameters, given), expected)
        const { parameters: ofJob } = BlockchainJobs.accountBalances
        const { at_time } = yield* RelativeTime.resolve(ofJob, { at_time: word })
        assert.strictEqual(at_time, `${day}T00:00:00Z`)
      }
    })
  )

  it.effect(
    "is refused as a past one where it is to come, however soon; a written one may be of a clock that is ahead",
    () =>
      Effect.gen(function* () {
        yield* at("2024-03-31T23:58:00Z")
        const late = yield* Effect.flip(RelativeTime.past("since", "tomorrow"))
        assert.strictEqual(late.expected, "a time before now, which is 2024-03-31T23:58:00Z")
        for (const written of ["2024-04-01", "2024-04-01T00:03:00Z"]) {
          assert.strictEqual(yield* RelativeTime.past("since", written), written)
        }
        assert.strictEqual((yield* Effect.flip(RelativeTime.past("since", "2024-04-01T00:03:01Z")))._tag, "BadTime")
      })
  )

  it.effect("is refused where it is no such form, and where the zone of the request would move it", () =>
    Effect.gen(function* () {
      for (const start_time of ["noon", "-30", "-3x", "--3d", "-1.5d", "", "now()", "-1000000d", "+1d"]) {
        const error = yield* Effect.flip(RelativeTime.resolve(parameters, { start_time }))
        assert.deepInclude(error, { _tag: "BadTime", flag: "start_time", value: start_time })
      }
      const zoned = { start_time: "today", timezone: "America/New_York" }
      assert.include((yield* Effect.flip(RelativeTime.resolve(parameters, zoned))).message, "--timezone is America/New")
      for (const timezone of ["UTC", "Etc/UTC", "utc"]) {
        const { start_time } = yield* RelativeTime.resolve(parameters, { start_time: "today", timezone })
        assert.strictEqual(start_time, "1970-01-01T00:00:00Z")
      }
    })
  )

  it("is the value of the flag before it, although it begins with a hyphen", () => {
    assert.strictEqual(joined("get x --start-time -30d --limit 3"), "get x --start-time=-30d --limit 3")
    assert.strictEqual(joined("tail x --since -1h"), "tail x --since=-1h")
    assert.deepStrictEqual(Invocation.joined(["--start_time", "-1 week", "-1"]), ["--start_time=-1 week", "-1"])
    for (const same of ["get x -h", "get x --limit -1", "get x -- --since -1h", "get x --since=-1h -2d", "get -1h"]) {
      assert.strictEqual(joined(same), same)
    }
  })
})

/** Runs an effect as if it were two seconds later by the clock on the wall. */
const later = Effect.updateService(Clock.Clock, (real) =>
  WallClock.at(real, () => real.currentTimeMillisUnsafe() + 2_000)
)

const prices = ["timeseries/asset-metrics", "--assets", "btc,eth", "--metrics", "PriceUSD", "--split", "assets"]

layer(services, { excludeTestServices: true })("a download with a time that is told from now", (it) => {
  it.effect("keeps its moments in the folder: continued, it is the same download; begun anew, another", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const to = `${yield* folder}/prices`
      const args = ["download", ...prices, "--output", to, "--start-time", "-30d", "--end-time"]
      assert.deepInclude(yield* sluice([...args, "yesterday"]), { code: 0, stdout: "" })
      const manifest = JSON.parse(yield* fs.readFileString(`${to}/.sluice/manifest.json`))
      const { params, given } = manifest
      assert.deepStrictEqual(given, { start_time: "-30d", end_time: "yesterday" })
      assert.match(params.start_time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
      for (const flag of ["--resume", "--verify"]) {
        const again = yield* later(sluice([...args, "yesterday", flag]))
        assert.strictEqual(again.code, 0, again.stderr)
        const times = `--start_time -30d is ${params.start_time} and --end_time yesterday is ${params.end_time}`
        assert.strictEqual(again.stderr.split("\n")[0], `${times}, as when the download began.`)
      }
      const anew = yield* later(sluice([...args, "yesterday"]))
      assert.strictEqual(anew.code, codes.system)
      assert.match(
        anew.stderr,
        /has a download that differs in params\.start_time;[^\n]*\nA time such as -30d moves on/
      )
      const other = yield* sluice([...args.with(args.indexOf("-30d"), "-31d"), "yesterday", "--resume"])
      assert.match(other.stderr, /differs in params\.start_time/)
    })
  )

  it.effect("asks for the same range in get, and for a job", () =>
    Effect.gen(function* () {
      const rows = yield* sluice(["get", ...prices.slice(0, -2), "--start-time", "-3d", "--end-time", "now"])
      assert.strictEqual(rows.code, 0, rows.stderr)
      const job = ["jobs", "start", "account-balances", "--assets", "btc", "--accounts", "treasury-btc"]
      assert.strictEqual((yield* sluice([...job, "--at_time", "-1y"])).code, 0)
      const bad = yield* sluice([...job, "--at_time", "noon"])
      assert.deepStrictEqual([bad.code, bad.stderr.includes('--at_time cannot be "noon"')], [codes.usage, true])
    })
  )
})
