import { assert, layer } from "@effect/vitest"
import { Dataset } from "@sluice/datasets"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Stream from "effect/Stream"
import { codes } from "../src/program/ExitCode.ts"
import * as FailingDisk from "../../files/test/download/FailingDisk.ts"
import * as PostgresServer from "../../datasets/test/database/PostgresServer.ts"
import { environment, folder, key, services, sluice } from "./Process.ts"

const prices = ["sync", "timeseries/asset-metrics", "--start_time", "2026-01-01", "--metrics"]

const eventsOf = (stdout: string) =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line): { readonly _tag: string; readonly [name: string]: unknown } => JSON.parse(line))

/** Asset and time of each line of CSV. */
const timesOf = (csv: string) => csv.split("\n").map((line) => line.slice(0, 34))

const contentOf = (path: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const names = (yield* fs.readDirectory(path, { recursive: true })).filter((name) => name.endsWith(".csv"))
    const texts = yield* Effect.forEach(names.toSorted(), (name) => fs.readFileString(`${path}/${name}`))
    return { names: names.toSorted(), lines: texts.flatMap((text) => text.trimEnd().split("\n").slice(1)) }
  })

layer(services, { excludeTestServices: true })("sync", (it) => {
  it.effect("begins a dataset, brings it up to date by its folder alone, and lets it grow", () =>
    Effect.gen(function* () {
      const to = `${yield* folder}/prices`
      const begin = [...prices, "PriceUSD", "--assets", "btc", "--format", "csv", "--output", to]
      const first = yield* sluice(begin)
      assert.deepStrictEqual([first.code, first.stdout], [0, ""])
      assert.match(first.stderr, /^Beginning [^\n]* with 1 entity\.\n/)
      const begun = yield* contentOf(to)
      assert.deepStrictEqual(begun.names, ["asset=btc/year=2026/btc-2026.csv"])
      assert.isAbove(begun.lines.length, 100)
      yield* sluice(["sync", "--output", to])
      const again = yield* sluice(["sync", "--output", to])
      assert.strictEqual(again.code, 0)
      assert.match(again.stderr, /: 1 entity, 1 request\.\nDone: no news in /)
      assert.deepStrictEqual(yield* contentOf(to), begun)
      const grown = [...prices, "PriceUSD,TxCnt", "--assets", "btc,eth", "--output", to]
      const planned = yield* sluice([...grown, "--check"])
      assert.strictEqual(planned.code, 0)
      assert.match(planned.stdout, /: 2 entities, 2 requests\nNew: eth\nNew metrics: TxCnt\n/)
      assert.deepStrictEqual(yield* contentOf(to), begun)
      const more = yield* sluice([...grown, "--json"])
      assert.deepStrictEqual([more.code, more.stderr], [0, ""])
      const events = eventsOf(more.stdout)
      assert.deepStrictEqual([events[0]?._tag, events[0]?.added, events.at(-1)?._tag], ["Started", ["eth"], "Finished"])
      const { lines, names } = yield* contentOf(to)
      assert.deepStrictEqual(names, ["asset=btc/year=2026/btc-2026.csv", "asset=eth/year=2026/eth-2026.csv"])
      assert.strictEqual(lines.length, 2 * begun.lines.length)
      const proved = yield* sluice(["verify", to])
      assert.deepStrictEqual([proved.code, proved.stdout], [0, ""])
      assert.match(proved.stderr, /^Verified 2\/2 files, [\d,]+ records\.\n$/)
      const fs = yield* FileSystem.FileSystem
      yield* fs.remove(`${to}/${names[1]}`)
      const lost = yield* sluice(["sync", "--output", to, "--check"])
      assert.match(lost.stdout, /\nMissing files: asset=eth\/year=2026\/eth-2026\.csv\n/)
    })
  )

  it.effect("is read by get, from the service once, and then offline without a key", () =>
    Effect.gen(function* () {
      const to = `${yield* folder}/closes`
      const range = [
        "--assets",
        "btc",
        "--start_time",
        "2026-01-01",
        "--end_time",
        "2026-01-31",
        "--metrics",
        "PriceUSD"
      ]
      const get = ["get", "timeseries/asset-metrics", ...range]
      const missing = yield* sluice([...get, "--from", to, "--offline"])
      assert.strictEqual(missing.code, codes.usage)
      assert.match(missing.stderr, /there is no dataset|does not exist/)
      const direct = yield* sluice([...get, "--format", "csv"])
      const read = yield* sluice([...get, "--from", to, "--format", "csv"])
      const held = yield* sluice([...get, "--from", to, "--offline", "--format", "csv", "--limit", "3"])
      assert.deepStrictEqual([direct.code, read.code, held.code], [0, 0, 0], held.stderr)
      const lacking = yield* sluice(
        [...get, "--assets=btc,ltc", "--from", to, "--offline"].filter((word) => !["--assets", "btc"].includes(word))
      )
      assert.strictEqual(lacking.code, codes.incomplete)
      assert.match(lacking.stderr, /does not have ltc from 2026-01-01/)
      assert.strictEqual(direct.stdout.split("\n").length, 33)
      assert.deepStrictEqual(timesOf(read.stdout), timesOf(direct.stdout))
      assert.deepStrictEqual(held.stdout.split("\r\n").slice(0, 4), read.stdout.split("\r\n").slice(0, 4))
      const table = ["--into", `${to}.duckdb`, "--table", "closes", "--numbers", "text"]
      const loaded = yield* sluice([
        "sync",
        "timeseries/asset-metrics",
        ...range.filter((word) => !/^--end_time$|-31$/.test(word)),
        ...table
      ])
      assert.strictEqual(loaded.code, 0, loaded.stderr)
      const ofTable = yield* sluice([
        ...get,
        "--from",
        `${to}.duckdb`,
        "--table",
        "closes",
        "--offline",
        "--format",
        "csv"
      ])
      assert.deepStrictEqual([ofTable.code, ofTable.stdout], [0, direct.stdout], ofTable.stderr)
      const all = yield* sluice(["get", "--from", to, "--offline", "--format", "csv"])
      assert.deepStrictEqual([all.code, all.stderr], [0, ""])
      assert.strictEqual(all.stdout.slice(0, held.stdout.length), held.stdout)
      const alone = yield* sluice([...get, "--offline"])
      assert.strictEqual(alone.code, codes.usage)
    })
  )

  it.effect("is the cache of calls", () =>
    Effect.gen(function* () {
      const to = `${yield* folder}/cache`
      const get = ["get", "timeseries/asset-metrics", "--assets", "btc", "--metrics", "PriceUSD", "--format", "csv"]
      const january = [...get, "--start_time", "2026-01-01", "--end_time", "2026-01-31"]
      const direct = yield* sluice(january)
      const cached = yield* sluice([...january, "--cache", to])
      assert.deepStrictEqual([cached.code, cached.stdout], [0, direct.stdout], cached.stderr)
      const held = yield* sluice([...january, "--cache", to, "--offline"])
      assert.deepStrictEqual([held.code, held.stdout], [0, direct.stdout], held.stderr)
      const later = yield* sluice([...get, "--start_time", "2026-02-01", "--cache", to, "--offline"])
      assert.strictEqual(later.code, codes.incomplete)
      const open = [...get, "--start_time", "2026-01-01", "--cache", to]
      assert.strictEqual((yield* sluice(open)).code, 0)
      // A request is refused.
      const other = { SLUICE_API_KEY: "another" }
      assert.strictEqual((yield* sluice([...open, "--max-age", "1d"], other)).code, 0)
      assert.include((yield* sluice([...open, "--max-age", "0s"], other)).stderr, "no valid key was sent")
      assert.strictEqual((yield* sluice([...get, "--max-age", "1d"])).code, codes.usage)
      for (const flags of [
        ["--from", to],
        ["--as-of", "2026-01-01"],
        ["--query", "a=b"],
        ["--limit_per_asset", "1"],
        ["--offline", "--max-age", "1d"]
      ]) {
        assert.strictEqual((yield* sluice([...january, "--cache", to, ...flags])).code, codes.usage)
      }
    })
  )

  it.effect("keeps the versions of a list", () =>
    Effect.gen(function* () {
      const to = `${yield* folder}/assets`
      const list = ["reference-data/assets", "--assets", "btc,eth"]
      const begun = yield* sluice(["sync", ...list, "--output", to, "--versions", "keep"])
      assert.strictEqual(begun.code, 0, begun.stderr)
      const held = yield* sluice(["get", "--from", to, "--offline", "--format", "csv"])
      const now = yield* sluice(["get", ...list, "--format", "csv"])
      assert.deepStrictEqual([held.code, held.stdout], [0, now.stdout], held.stderr)
      const early = yield* sluice(["get", ...list, "--from", to, "--as-of", "2020-01-01"])
      assert.strictEqual(early.code, codes.usage)
      const again = yield* sluice(["sync", "--output", to])
      assert.match(again.stderr, /no news/)
      for (const command of ["verify", "revisions"]) {
        const { code, stderr } = yield* sluice([command, to])
        assert.strictEqual(code, 0, stderr)
      }
    })
  )

  it.effect("lists the times that it has, and what the service has changed where it keeps versions", () =>
    Effect.gen(function* () {
      const to = `${yield* folder}/closes`
      const { SLUICE_BASE_URL = "" } = yield* environment
      // The first request looks whether the names exist, the second reads all.
      const root = SLUICE_BASE_URL.replace("/v4", "/fault/removed%3D1%3Bafter%3D2/v4")
      const sync = (...words: ReadonlyArray<string>) => sluice(["sync", ...words, "--output", to, "--root", root])
      const series = "timeseries/asset-metrics --assets btc --metrics PriceUSD,TxCnt --start_time 2026-01-01".split(" ")
      assert.strictEqual((yield* sync(...series, "--versions", "keep")).code, 0)
      const none = yield* sluice(["revisions", to])
      assert.deepStrictEqual([none.code, none.stdout], [0, ""], none.stderr)
      assert.strictEqual((yield* sync("--recheck", "all")).code, 0)
      const revisions = yield* sluice(["revisions", to, "--format", "csv", "--metrics", "PriceUSD"])
      assert.strictEqual(revisions.code, 0, revisions.stderr)
      const [head, first, ...more] = revisions.stdout.trimEnd().split("\r\n")
      assert.strictEqual(head, "entity,time,at,what,field,before,after,change")
      assert.match(first ?? "", /^btc,2026-01-01T[^,]*,[^,]*,removed,,,,$/)
      assert.deepStrictEqual(more, [])
      const coverage = yield* sluice(["coverage", to, "btc", "--start-time", "2025-12-30", "--end_time", "2026-01-31"])
      assert.deepStrictEqual(
        coverage.stdout
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line).state),
        ["missing", "provisional", "final"],
        coverage.stderr
      )
      const lacking = yield* sluice(["revisions", to, "eth"])
      assert.strictEqual(lacking.code, codes.usage)
      const nothing = yield* sluice(["coverage", `${to}/none`])
      assert.strictEqual(nothing.code, codes.usage)
    })
  )

  it.effect("lists what changed of items of a list", () =>
    Effect.gen(function* () {
      const to = `${yield* folder}/assets`
      const { SLUICE_BASE_URL = "" } = yield* environment
      const root = SLUICE_BASE_URL.replace("/v4", "/fault/removed%3D1%3Bafter%3D1/v4")
      const sync = ["sync", "reference-data/assets", "--assets", "btc,eth", "--versions", "keep", "--output", to]
      for (let run = 0; run < 2; run++) assert.strictEqual((yield* sluice([...sync, "--root", root])).code, 0)
      const changed = (...items: ReadonlyArray<string>) =>
        Effect.map(sluice(["revisions", to, ...items, "--format", "csv"]), ({ code, stderr, stdout }) => {
          assert.strictEqual(code, 0, stderr)
          return stdout.trimEnd().split("\r\n").slice(1)
        })
      const [one = "", ...others] = yield* changed()
      assert.match(one, /^btc,.*,removed,,,,$/)
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual(yield* changed("btc"), [one])
      assert.deepStrictEqual(yield* changed("eth"), [])
    })
  )

  it.effect("is read as of a moment, where it keeps versions", () =>
    Effect.gen(function* () {
      const to = `${yield* folder}/closes`
      const asked = [
        "timeseries/asset-metrics",
        "--assets",
        "btc",
        "--metrics",
        "PriceUSD",
        "--start_time",
        "2026-01-01"
      ]
      const sync = ["sync", ...asked, "--output", to, "--format", "ndjson"]
      assert.strictEqual((yield* sluice(sync)).code, 0)
      const code = ["get", "--from", to, "--as-code"]
      assert.match((yield* sluice([...code, "sql"])).stderr, /needs a dataset that keeps versions/)
      const asOf = ["get", ...asked, "--from", to, "--format", "csv", "--as-of"]
      const plain = yield* sluice([...asOf, "2026-01-20T00:00:00Z"])
      assert.match(plain.stderr, /needs a dataset that keeps versions/)
      const kept = yield* sluice([...sync, "--versions", "keep"])
      assert.strictEqual(kept.code, 0, kept.stderr)
      const early = yield* sluice([...asOf, "2026-01-20T00:00:00Z"])
      assert.strictEqual(early.code, 0, early.stderr)
      const days = early.stdout.split("\n").flatMap((line) => /^btc,([^,]+),/.exec(line)?.[1] ?? [])
      assert.isAtLeast(days.length, 10)
      assert.isTrue(days.every((time) => time < "2026-01-20"))
      assert.strictEqual((yield* sluice([...asOf, "soon"])).code, codes.usage)
      assert.strictEqual((yield* sluice(["get", ...asked, "--as-of", "2026-01-20"])).code, codes.usage)
      const sql = yield* sluice([...code, "sql"])
      assert.match(sql.stdout, /^CREATE OR REPLACE MACRO "known_at"\(moment\) AS TABLE$/m)
      assert.strictEqual((yield* sluice([...code, "ts"])).code, codes.usage)
      const fs = yield* FileSystem.FileSystem
      const written = yield* sluice([...code, "sql", "--output", `${to}.sql`])
      assert.deepStrictEqual([written.stdout, yield* fs.readFileString(`${to}.sql`)], ["", sql.stdout])
      for (const other of ["--as-of=2026-01-20", "--limit=1", "--max-age=1d", "--format=csv", "--columns=time"]) {
        assert.match((yield* sluice([...code, "sql", other])).stderr, /takes only --from and --output/, other)
      }
      assert.strictEqual((yield* sluice(sync.with(5, "PriceUSD,TxCnt"))).code, 0)
      const { synced } = JSON.parse((yield* sluice(["status", to])).stdout)
      assert.match((yield* sluice(sync)).stderr, /No longer asked for, and kept: TxCnt/)
      // A metric that was left out since was there then.
      const past = yield* sluice(["get", "--from", to, "--as-of", synced, "--limit", "1"])
      assert.match(past.stdout, /"TxCnt":"\d/, past.stderr)
      const now = yield* sluice(["get", "--from", to, "--limit", "1"])
      assert.notMatch(now.stdout, /TxCnt/)
      const ended = yield* sluice([...sync, "--versions", "none"])
      assert.match(ended.stderr, /versions/)
    })
  )

  it.effect("keeps the start that was told from now when the dataset began", () =>
    Effect.gen(function* () {
      const to = `${yield* folder}/month`
      const month = ["sync", "timeseries/asset-metrics", "--assets", "btc", "--metrics", "PriceUSD", "--output", to]
      assert.strictEqual((yield* sluice([...month, "--start_time", "-1mo"])).code, 0)
      const { code, stderr } = yield* sluice([...month, "--start_time", "-2w"])
      assert.strictEqual(code, 0, stderr)
      const earlier = yield* sluice([...month, "--start_time", "-2mo", "--check"])
      assert.match(earlier.stdout, /: an earlier start, missing files, or /)
    })
  )

  it.effect("says that a dataset has no records where the service has none", () =>
    Effect.gen(function* () {
      const to = `${yield* folder}/future`
      const future = ["sync", "timeseries/asset-metrics", "--assets", "btc", "--metrics", "PriceUSD"]
      const begun = yield* sluice([...future, "--start_time", "2040-01-01", "--output", to])
      assert.strictEqual(begun.code, 0, begun.stderr)
      const proved = yield* sluice(["verify", to])
      assert.deepStrictEqual(proved, { code: 0, stdout: "", stderr: `${to} has no records yet.\n` })
      assert.include(eventsOf((yield* sluice(["verify", to, "--json"])).stdout)[0], { _tag: "Verifying", files: 0 })
    })
  )

  it.effect("makes few files of many, and goes on with these", () =>
    Effect.gen(function* () {
      const to = `${yield* folder}/prices`
      const daily = [...prices, "PriceUSD", "--assets", "btc", "--format", "csv", "--period", "month", "--output", to]
      assert.strictEqual((yield* sluice(daily)).code, 0)
      const before = yield* contentOf(to)
      assert.isAbove(before.names.length, 3)
      const shorter = yield* sluice(["compact", to, "--period", "day"])
      assert.strictEqual(shorter.code, codes.usage)
      assert.include(shorter.stderr, "layout.period")
      // A compaction that is stopped is seen until a run completes it.
      const stopped = `${to}-stopped`
      yield* (yield* FileSystem.FileSystem).copy(to, stopped)
      const found = Effect.orElseSucceed(Dataset.status(stopped), () => undefined)
      for (let ends = 10; ends < 500 && (yield* found)?.isCompacting !== true; ends += 5) {
        const compaction = Stream.runDrain(Dataset.compact(stopped, { layout: { period: "year" } }))
        yield* Effect.ignore(Effect.provide(compaction, FailingDisk.life(ends, ends)))
      }
      assert.include((yield* sluice(["status", stopped])).stdout, '"state":"a compaction to complete"')
      assert.include(
        (yield* sluice(["sync", "--output", stopped, "--check"])).stdout,
        "First: a compaction to complete"
      )
      assert.strictEqual((yield* sluice(["sync", "--output", stopped])).code, 0)
      assert.include((yield* sluice(["status", stopped])).stdout, '"isCompacting":false')
      const compacted = yield* sluice(["compact", to, "--period", "year"])
      const count = before.names.length
      const said = `Compacted ${count}/${count} files into 1, ${before.lines.length} records.\n`
      const more = "Jobs that name the layout it had before have to name this one, or none.\n"
      assert.deepStrictEqual(compacted, { code: 0, stdout: "", stderr: `${said}${more}` })
      const { lines, names } = yield* contentOf(to)
      assert.deepStrictEqual(names, ["asset=btc/year=2026/btc-2026.csv"])
      assert.deepStrictEqual(timesOf(lines.join("\n")), timesOf(before.lines.toSorted().join("\n")))
      const again = yield* sluice(["compact", to, "--json"])
      assert.deepInclude(eventsOf(again.stdout), {
        _tag: "Compacting",
        dataset: to,
        files: 0,
        compacted: 0,
        written: 0,
        records: 0
      })
      assert.strictEqual((yield* sluice(["sync", "--output", to])).code, 0)
      assert.strictEqual((yield* sluice(["verify", to])).code, 0)
    })
  )

  it.effect("names what is wrong with a dataset, and touches nothing", () =>
    Effect.gen(function* () {
      const place = yield* folder
      const to = `${place}/prices`
      const begin = [...prices, "PriceUSD", "--assets", "btc,eth", "--format", "csv", "--output", to]
      assert.strictEqual((yield* sluice(begin)).code, 0)
      const before = yield* contentOf(to)
      const other = yield* sluice([...prices, "PriceUSD", "--assets", "ltc", "--output", to])
      assert.strictEqual(other.code, codes.system)
      assert.match(other.stderr, /differs in params\.assets; a dataset can grow/)
      assert.match(other.stderr, /or the same settings; missing: btc, eth\.\n/)
      const nameless = yield* sluice(["sync", "--output", to, "--assets", "btc"])
      assert.match(nameless.stderr, /no flag --assets[^]*follow an endpoint, and none is named/)
      const layout = yield* sluice([...begin, "--period", "month"])
      assert.match(layout.stderr, /differs in layout\.period;/)
      for (const [flag, value, name] of [
        ["--period", "month", "layout.period"],
        ["--format", "parquet", "format.as"],
        ["--compression", "gzip", "format.compression"]
      ] as const) {
        const alone = yield* sluice(["sync", "--output", to, flag, value])
        assert.deepStrictEqual([alone.code, alone.stdout], [codes.system, ""])
        assert.include(alone.stderr, `differs in ${name};`)
      }
      assert.strictEqual((yield* sluice(["sync", "--output", to, "--period", "year", "--format", "csv"])).code, 0)
      const root = yield* sluice(["sync", "--output", to, "--root", "community"])
      assert.match(root.stderr, /differs in root;[^\n]*\nThe root belongs to a dataset: [^\n]*--root, SLUICE_BASE_URL/)
      const none = yield* sluice(["sync", "--output", `${place}/none`])
      assert.strictEqual(none.code, codes.usage)
      assert.match(
        none.stderr,
        /: the folder [^ ]*none does not exist, so no dataset is there\.\nCheck the name\. `sluice sync /
      )
      const wrong = yield* sluice([...prices, "PriceUSD", "--assets", "bitcoin", "--output", `${place}/none`])
      assert.strictEqual(wrong.code, codes.usage)
      assert.match(wrong.stderr, /did you mean "btc"\?/)
      const grown = yield* sluice([...prices, "PriceUSD", "--assets", "btc,eth,bitcoin", "--output", to])
      assert.strictEqual(grown.code, codes.usage)
      assert.strictEqual((yield* sluice(["sync", "--output", to])).code, 0)
      const end = yield* sluice([...begin, "--end_time", "2026-02-01"])
      assert.strictEqual(end.code, codes.usage)
      assert.match(end.stderr, /"end_time" [^\n]*\nLeave --end_time out/)
      const lists = yield* sluice(["sync", "reference-data/assets", "--output", `${place}/none`])
      assert.strictEqual(lists.code, codes.usage)
      assert.match(lists.stderr, /"versions" has to be "keep" for a list/)
      const unproved = yield* sluice(["verify", `${place}/none`])
      assert.strictEqual(unproved.code, codes.usage)
      assert.match(unproved.stderr, /: the folder [^ ]*none does not exist/)
      const loaded = `${place}/download`
      const request = ["--assets", "btc", "--metrics", "PriceUSD", "--start_time", "2026-10-01", "--output", loaded]
      assert.strictEqual((yield* sluice(["download", "timeseries/asset-metrics", ...request])).code, 0)
      for (const words of [
        ["sync", "--output", loaded],
        ["verify", loaded]
      ]) {
        const held = yield* sluice(words)
        assert.strictEqual(held.code, codes.usage)
        assert.match(held.stderr, /download holds a download and not a dataset\.\n[^\n]*with --verify/)
      }
      const folderOnly = yield* sluice(["sync", to])
      assert.strictEqual(folderOnly.code, codes.usage)
      assert.match(
        folderOnly.stderr,
        /prices" is the folder of a dataset, and not an endpoint\.\nWrite `--output [^`]*prices` in/
      )
      assert.deepStrictEqual(yield* contentOf(to), before)
      const fs = yield* FileSystem.FileSystem
      assert.isFalse(yield* fs.exists(`${place}/none`))
      yield* fs.writeFileString(`${to}/${before.names[0]}`, "asset,time,PriceUSD\n")
      const changed = yield* sluice(["verify", to])
      assert.strictEqual(changed.code, codes.system)
      assert.match(changed.stderr, /was changed after it was finished/)
      assert.notInclude(changed.stderr, "Verified")
      const told = yield* sluice(["verify", to, "--json"])
      assert.deepStrictEqual(JSON.parse(told.stderr).error.damaged, [before.names[0]])
      for (const { stderr, stdout } of [other, layout, none, end, lists, changed]) {
        assert.notInclude(stderr + stdout, key)
      }
    })
  )

  it.effect("keeps a dataset in a table of DuckDB, and proves it", () =>
    Effect.gen(function* () {
      const file = `${yield* folder}/market.duckdb`
      const args = [...prices, "PriceUSD", "--assets", "btc", "--into", file, "--table", "prices"]
      const { code, stderr } = yield* sluice(args)
      assert.strictEqual(code, 0, stderr)
      assert.match(stderr, /^Beginning [^\n]*market\.duckdb main\.prices with 1 entity\.\nNumbers are DOUBLE/)
      const again = yield* sluice(["sync", "--into", file, "--table", "prices", "--check", "--json"])
      assert.deepStrictEqual([again.code, JSON.parse(again.stdout).isNew], [0, false], again.stderr)
      const proved = yield* sluice(["verify", file, "--table", "prices"])
      assert.deepStrictEqual([proved.code, proved.stdout], [0, ""])
      assert.match(proved.stderr, /^Verified 1\/1 entity, [\d,]+ records\.\n$/)
      const compared = yield* sluice(["verify", file, "--table", "prices", "--catalog"])
      assert.deepStrictEqual(
        [compared.code, compared.stdout],
        [0, `${file} main.prices: compared 1 entity with the catalog.\n`]
      )
      const tableless = yield* sluice(["verify", file])
      assert.strictEqual(tableless.code, codes.usage)
      assert.match(tableless.stderr, /--table is missing[^\n]*\nAdd the table of the dataset/)
    })
  )

  const catalogs = PostgresServer.isInstalled ? it.effect : it.effect.skip
  catalogs("keeps versions in a DuckLake catalog, which every run names", () =>
    Effect.gen(function* () {
      const server = yield* PostgresServer.make
      const env = { PGPASSWORD: PostgresServer.password }
      const to = `${yield* folder}/closes`
      const how = ["--snapshots", "ducklake", "--lake", `postgres://sluice@127.0.0.1:${server.port}/postgres`]
      const begin = [...prices, "PriceUSD", "--assets", "btc", "--output", to]
      const begun = yield* sluice([...begin, ...how], env)
      assert.strictEqual(begun.code, 0, begun.stderr)
      const sql =
        "SELECT record_count::text FROM ducklake_table JOIN ducklake_data_file USING (table_id) WHERE table_name = 'closes'"
      const [file] = yield* PostgresServer.query(server, sql)
      assert.isAbove(Number(file?.["record_count"]), 100)
      const unnamed = yield* sluice(["sync", "--output", to], env)
      assert.strictEqual(unnamed.code, codes.usage)
      assert.match(unnamed.stderr, /"snapshots" are in a DuckLake catalog, whose address is not kept/)
      const again = yield* sluice(["sync", "--output", to, ...how], env)
      assert.strictEqual(again.code, 0, again.stderr)
    })
  )

  it.effect("names a place that is none, and does not say its password", () =>
    Effect.gen(function* () {
      const begin = [...prices, "PriceUSD", "--assets", "btc"]
      const secret = "s3cr3t"
      const cases: ReadonlyArray<readonly [ReadonlyArray<string>, number, RegExp]> = [
        [[], codes.usage, /--output is missing: a folder; or --into, a database/],
        [["--output", "x", "--into", "x.duckdb"], codes.usage, /exclude each other/],
        [["--output", "x", "--table", "t"], codes.usage, /--table is of a database/],
        [["--into", "x.duckdb"], codes.usage, /--table is missing/],
        [
          ["--output", `postgres://u:${secret}@h/d`],
          codes.usage,
          /--output is a folder, and what it names is a database/
        ],
        [["--output", `mysql://u:${secret}@h/d`], codes.usage, /neither a folder nor a database/],
        [["--into", "x.duckdb", "--table", "t", "--period", "day"], codes.usage, /--period is of folders/],
        [["--into", "x.duckdb", "--table", "t", "--format", "csv"], codes.usage, /--format is of folders/],
        [["--output", "a", "--snapshots", "ducklake"], codes.usage, /--snapshots ducklake needs --lake/],
        [["--output", "a", "--lake", `postgres://u:${secret}@h/d`], codes.usage, /--lake needs --snapshots ducklake/],
        [["--into", "x.duckdb", "--table", "t", "--lake", "x"], codes.usage, /--lake is of folders/],
        [["--into", `mysql://u:${secret}@h/d`, "--table", "t"], codes.usage, /neither a URL that begins with postgres/],
        [
          ["--into", `postgres://u:${secret}@127.0.0.1:1/d`, "--table", "t"],
          codes.system,
          /^warning: the URL of the database has a password[^\n]*\n[^]*cannot connect to the database of public\.t[^]*Check host and port/
        ],
        [
          ["--into", `postgres://u:${secret}@[/d`, "--table", "t"],
          codes.system,
          /cannot connect to the database of public\.t/
        ]
      ]
      for (const [words, code, message] of cases) {
        for (const env of [{}, { PGPASSWORD: secret }]) {
          const ran = yield* sluice([...begin, ...words], env)
          assert.strictEqual(ran.code, code, ran.stderr)
          assert.match(ran.stderr, message)
          assert.notInclude(ran.stderr + ran.stdout, secret)
        }
      }
    })
  )
})
