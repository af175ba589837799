import { assert, layer } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Stream from "effect/Stream"
import { codes } from "../src/program/ExitCode.ts"
import { until } from "../../node/test/Harness.ts"
import { folder, key, services, sluice, start } from "./Process.ts"

const months = ["--start_time", "2024-01-01", "--end_time", "2024-06-30", "--split", "assets", "--every", "30d"]

const prices = ["download", "timeseries/asset-metrics", "--assets", "btc,eth", "--metrics", "PriceUSD"]

const eventsOf = (stdout: string) => {
  const lines = stdout.trimEnd().split("\n")
  return lines.map((line): { readonly _tag: string; readonly [name: string]: unknown } => JSON.parse(line))
}

const namesIn = (path: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    return (yield* fs.readDirectory(path)).filter((name) => name !== ".sluice").toSorted()
  })

layer(services, { excludeTestServices: true })("download", (it) => {
  it.effect("writes a file for each part, prints a line for each and one at the end", () =>
    Effect.gen(function* () {
      const to = `${yield* folder}/prices`
      const { code, stderr, stdout } = yield* sluice([
        ...prices,
        "--split",
        "assets",
        "--format",
        "csv",
        "--output",
        to
      ])
      assert.deepStrictEqual([code, stdout], [0, ""])
      const files = yield* namesIn(to)
      assert.lengthOf(files, 2)
      const [first = "", ...lines] = stderr.trimEnd().split("\n")
      assert.strictEqual(first, `Downloading 2 parts into ${to}.`)
      assert.match(lines.pop() ?? "", /^Done: 10,055 records, .* kB, in 2 files in /)
      assert.deepStrictEqual(lines.map((line) => line.replace(/:.*/, "")).toSorted(), files)
    })
  )

  it.effect("gets, downloads and syncs updates of order books, which come in one way alone", () =>
    Effect.gen(function* () {
      const updates = ["timeseries/market-orderbooks", "--markets", "coinbase-btc-usd-spot", "--dataset", "updates"]
      const minute = [...updates, "--start_time", "2026-10-31T23:55:00", "--end_time", "2026-10-31T23:55:59"]
      const read = yield* sluice(["get", ...minute])
      assert.strictEqual(read.code, 0, read.stderr)
      const first = yield* sluice(["get", ...minute, "--limit", "2"])
      assert.deepStrictEqual(first.stdout.split("\n"), [...read.stdout.split("\n").slice(0, 2), ""])
      const fs = yield* FileSystem.FileSystem
      const to = yield* folder
      const download = yield* sluice(["download", ...minute, "--output", `${to}/minute`])
      assert.strictEqual(download.code, 0, download.stderr)
      assert.strictEqual(yield* fs.readFileString(`${to}/minute/market-orderbooks.ndjson`), read.stdout)
      const sync = yield* sluice(["sync", ...updates, "--start_time", "2026-10-31T23:59:00", "--output", `${to}/kept`])
      assert.strictEqual(sync.code, 0, sync.stderr)
      assert.strictEqual((yield* sluice(["verify", `${to}/kept`])).code, 0)
      const refused = yield* sluice(["get", ...minute, "--depth_limit", "100"])
      assert.strictEqual(refused.code, codes.usage)
      assert.include(refused.stderr, "expected full_book or 30000 with dataset=updates")
    })
  )

  it.effect("refuses the name of a file in place of a folder, and takes a folder that has one", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const to = `${yield* folder}/prices.csv`
      const request = [...prices, ...months.slice(0, 4), "--output", to]
      const refused = yield* sluice(request)
      assert.strictEqual(refused.code, codes.usage)
      assert.include(refused.stderr, `\`${to}/\``)
      assert.isFalse(yield* fs.exists(to))
      assert.strictEqual((yield* sluice([...request.slice(0, -1), `${to}/`])).code, 0)
      assert.lengthOf(yield* namesIn(to), 1)
      yield* fs.remove(to, { recursive: true })
      yield* fs.makeDirectory(to)
      assert.strictEqual((yield* sluice(request)).code, 0)
      assert.lengthOf(yield* namesIn(to), 1)
    })
  )

  it.effect("says what there is where it found no records, but not as an event", () =>
    Effect.gen(function* () {
      const place = yield* folder
      const late = [...prices, "--start_time", "2040-01-01"]
      const { code, stderr } = yield* sluice([...late, "--output", `${place}/late`])
      assert.strictEqual(code, 0)
      assert.match(stderr, /\nDone: 0 records, [^\n]*\nbtc, PriceUSD, 1d: from 2010-07-18 to 20\d\d-\d\d-\d\d\neth, /)
      const json = yield* sluice([...late, "--output", `${place}/json`, "--json"])
      assert.deepStrictEqual([json.code, json.stderr], [0, ""])
      assert.strictEqual(eventsOf(json.stdout).at(-1)?._tag, "Finished")
    })
  )

  it.effect("names what a wildcard stands for in the list it is split along: all that has the metrics", () =>
    Effect.gen(function* () {
      const to = `${yield* folder}/every`
      const args = ["download", "timeseries/asset-metrics", "--assets", "*", "--metrics", "TxERC721Cnt"]
      const range = ["--start_time", "2024-01-01", "--end_time", "2024-01-05"]
      const { code, stderr } = yield* sluice([...args, ...range, "--split", "assets", "--output", to])
      assert.strictEqual(code, 0, stderr)
      assert.deepStrictEqual(yield* namesIn(to), ["etc.ndjson", "eth.ndjson"])
      const none = yield* sluice([
        "download",
        "timeseries/market-trades",
        "--markets",
        "coinbase-nosuch-*",
        "--split",
        "markets",
        "--output",
        `${to}-none`
      ])
      assert.strictEqual(none.code, codes.usage)
      assert.include(none.stderr, 'has "coinbase-nosuch-*", which stands for nothing that the key may read')
    }).pipe(Effect.scoped)
  )

  it.effect("splits by months and years of the calendar", () =>
    Effect.gen(function* () {
      const to = `${yield* folder}/calendar`
      const range = ["--start_time", "2023-11-15", "--end_time", "2024-01-20", "--split", "assets"]
      const fortnight = ["--start_time", "2023-12-25", "--end_time", "2024-01-08", "--split", "assets"]
      const names = (every: string, of = range) =>
        Effect.gen(function* () {
          const { code, stderr } = yield* sluice([...prices, ...of, "--every", every, "--output", `${to}-${every}`])
          assert.strictEqual(code, 0, stderr)
          return (yield* namesIn(`${to}-${every}`)).filter((name) => name.startsWith("btc"))
        })
      const months = ["btc_2023-11.ndjson", "btc_2023-12.ndjson", "btc_2024-01.ndjson"]
      assert.deepStrictEqual(yield* names("1month"), months)
      assert.deepStrictEqual(yield* names("1mo"), months)
      assert.deepStrictEqual(yield* names("1year"), ["btc_2023.ndjson", "btc_2024.ndjson"])
      const quarters = ["btc_2023-10_2023-12.ndjson", "btc_2024-01_2024-03.ndjson"]
      assert.deepStrictEqual(yield* names("3months"), quarters)
      const weeks = yield* names("1week", fortnight)
      assert.isAbove(weeks.length, 1)
      assert.deepStrictEqual(weeks, yield* names("7d", fortnight))
    }).pipe(Effect.scoped)
  )

  it.effect("prints an event a line with --json", () =>
    Effect.gen(function* () {
      const to = `${yield* folder}/prices`
      const { code, stderr, stdout } = yield* sluice([...prices, ...months, "--output", to, "--json"])
      assert.deepStrictEqual([code, stderr], [0, ""])
      const events = eventsOf(stdout)
      assert.deepInclude(events[0], { _tag: "Started", parts: 14, resumed: false })
      assert.lengthOf(
        events.filter(({ _tag }) => _tag === "PartDone"),
        14
      )
      assert.deepInclude(events.at(-1), { _tag: "Finished", files: 14, records: 364 })
    })
  )

  it.effect("stopped by Ctrl-C, says how to continue, and continues to the same bytes", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const sandbox = yield* Sandbox.Sandbox
      const to = `${yield* folder}/stopped`
      const args = [...prices, ...months, "--concurrency", "4", "--output", to]
      // Four requests in the middle are never answered: the download stands still until it is stopped.
      const env = { SLUICE_BASE_URL: sandbox.faultUrl("stall;after=12;times=4;id=stopped") }
      const stalled = Effect.map(sandbox.stats, ({ faults }) => faults["stall"] ?? 0)
      const before = yield* stalled
      const handle = yield* start(args, env)
      const said = yield* Effect.forkChild(Stream.mkString(Stream.decodeText(handle.stderr)))
      yield* until(stalled, (count) => count === before + 4)
      yield* handle.kill({ killSignal: "SIGINT" })
      assert.strictEqual(Number(yield* handle.exitCode), codes.interrupted)
      assert.match(
        yield* Fiber.join(said),
        /\nStopped: [1-9]\d* of 14 parts are done in .*\. The same command with --resume continues, with [^.]*\.\n$/
      )
      const kept = yield* namesIn(to)
      assert.isAbove(kept.length, 0)
      assert.isBelow(kept.length, 14)

      const refused = yield* sluice(args, env)
      assert.strictEqual(refused.code, codes.system)
      assert.match(
        refused.stderr,
        /of the 14 parts of this download\.\nAdd --resume to continue it, or choose another folder\.\n$/
      )
      const resumed = yield* sluice([...args, "--resume"], env)
      assert.deepInclude(resumed, { code: 0, stdout: "" })
      assert.match(resumed.stderr, /^Continuing in .*: [1-9]\d* of 14 parts are done/)

      const other = `${to}-undisturbed`
      assert.strictEqual((yield* sluice([...prices, ...months, "--output", other])).code, 0)
      const names = yield* namesIn(other)
      assert.deepStrictEqual(yield* namesIn(to), names)
      for (const name of names) {
        const [one, two] = [yield* fs.readFile(`${to}/${name}`), yield* fs.readFile(`${other}/${name}`)]
        assert.isTrue(Buffer.compare(one, two) === 0, name)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("starts with --resume where the folder is empty, and has nothing to do where all parts are done", () =>
    Effect.gen(function* () {
      const to = `${yield* folder}/prices`
      const args = [...prices, ...months, "--output", to, "--resume"]
      assert.match((yield* sluice(args)).stderr, /^Downloading 14 parts/)
      const again = yield* sluice(args)
      assert.strictEqual(again.code, 0)
      assert.match(again.stderr, /^Nothing is left to do in [^\n]*\nDone: 364 records, [^\n]*\n$/)
    })
  )

  it.effect("compares finished files with their checksums for --verify, alone and before it continues", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const to = `${yield* folder}/prices`
      const args = [...prices, ...months, "--output", to]
      assert.strictEqual((yield* sluice([...args, "--verify"])).code, codes.system)
      yield* sluice(args)
      const whole = yield* sluice([...args, "--verify"])
      assert.strictEqual(whole.code, 0)
      assert.match(whole.stderr, /^Verified 14\/14 files, [\d.]+ kB\.\nNothing is left to do in /)
      const [first = ""] = yield* namesIn(to)
      yield* fs.writeFileString(`${to}/${first}`, (yield* fs.readFileString(`${to}/${first}`)).replace(/\d/, "x"))
      for (const more of [["--verify"], ["--verify", "--resume"]]) {
        const { code, stderr } = yield* sluice([...args, ...more])
        assert.strictEqual(code, codes.system)
        assert.include(stderr, "its SHA-256 is not the one in the journal; move it away to have it read again.")
      }
      yield* fs.remove(`${to}/${first}`)
      const resumed = yield* sluice([...args, "--verify", "--resume"])
      assert.strictEqual(resumed.code, 0)
      assert.match(resumed.stderr, /^Verified 13\/13 files, [\s\S]*13 of 14 parts are done/)
    })
  )

  it.effect("fails for the folder of another download, and says what differs", () =>
    Effect.gen(function* () {
      const to = `${yield* folder}/prices`
      yield* sluice([...prices, ...months, "--output", to])
      const { code, stderr } = yield* sluice([...prices, ...months, "--output", to, "--format", "csv", "--resume"])
      assert.strictEqual(code, codes.system)
      assert.match(stderr, /has a download that differs in format\.as;/)
    })
  )

  it.effect("reports a missing licence before anything is written", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const to = `${yield* folder}/prices`
      const args = [...prices.slice(0, -1), "CapRealUSD"]
      const { code, stderr } = yield* sluice([...args, "--output", to], { SLUICE_API_KEY: "sandbox-limited" })
      assert.strictEqual(code, codes.licence)
      assert.match(stderr, /nothing was downloaded, .*CapRealUSD.*\nThe licence of this key \(plan default\)/s)
      assert.isFalse(yield* fs.exists(to))
    })
  )

  it.effect("keeps the key out of every file and every line", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const to = `${yield* folder}/prices`
      const secret = { SLUICE_API_KEY: "", SLUICE_BASE_URL: (yield* Sandbox.Sandbox).url }
      const { code, stderr, stdout } = yield* sluice(
        [...prices, ...months, "--output", to, "--json", "--api-key", key],
        secret
      )
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.notInclude(stdout, key)
      for (const name of yield* fs.readDirectory(to, { recursive: true })) {
        const path = `${to}/${name}`
        if ((yield* fs.stat(path)).type === "File") assert.notInclude(yield* fs.readFileString(path), key, name)
      }
    })
  )
})
