import { assert, layer } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import { gunzipSync } from "node:zlib"
import { codes } from "../src/program/ExitCode.ts"
import { until } from "../../node/test/Harness.ts"
import { environment, folder, inProcess, services, shell, sluice } from "./Process.ts"

const request = ["timeseries/asset-metrics", "--assets", "btc,eth", "--metrics", "PriceUSD"]

const prices = ["get", ...request, "--limit", "3"]

const read = (path: string) => Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readFile(path))

const names = (path: string) => Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readDirectory(path))

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()

layer(services, { excludeTestServices: true })("--output", (it) => {
  it.effect("writes what would go to standard output, in the format that the file's name says", () =>
    Effect.gen(function* () {
      const place = yield* folder
      const forms: ReadonlyArray<readonly [file: string, format: string, open: (bytes: Uint8Array) => string]> = [
        ["a.csv", "csv", text],
        ["a.ndjson", "ndjson", text],
        ["a.jsonl", "ndjson", text],
        ["A.CSV.GZ", "csv", (bytes) => text(gunzipSync(bytes))],
        ["a", "ndjson", text],
        ["a.v1.2", "ndjson", text],
        ["a.gz", "ndjson", (bytes) => text(gunzipSync(bytes))]
      ]
      for (const [file, format, open] of forms) {
        const expected = (yield* sluice([...prices, "--format", format])).stdout
        const ran = yield* sluice([...prices, "-o", `${place}/${file}`])
        assert.deepStrictEqual(ran, { code: 0, stdout: "", stderr: "" }, file)
        assert.strictEqual(open(yield* read(`${place}/${file}`)), expected, file)
      }
      assert.strictEqual(text((yield* read(`${place}/a.csv`)).subarray(0, 10)), "asset,time")
      assert.strictEqual((yield* sluice([...prices, "--output", "-"])).stdout.split("\n").length, 4)
    })
  )

  it.effect("writes the Parquet that download writes, to a file and to a pipe", () =>
    Effect.gen(function* () {
      const place = yield* folder
      const days = [...request, "--start-time", "2024-01-01", "--end-time", "2024-01-31", "--decimal", "38,18"]
      const download = ["download", ...days, "--format", "parquet", "--output", `${place}/all`]
      assert.strictEqual((yield* sluice(download)).code, 0)
      const [file = ""] = (yield* names(`${place}/all`)).filter((name) => name.endsWith(".parquet"))
      const downloaded = Buffer.from(yield* read(`${place}/all/${file}`))
      assert.strictEqual(downloaded.subarray(0, 4).toString(), "PAR1")
      assert.strictEqual((yield* sluice(["get", ...days, "--output", `${place}/one.parquet`])).code, 0)
      assert.isTrue(downloaded.equals(yield* read(`${place}/one.parquet`)))
      const piped = yield* shell(`sluice get ${days.join(" ")} --format parquet | cat > piped`, place)
      assert.deepStrictEqual([piped.code, piped.stderr], [0, ""])
      assert.isTrue(downloaded.equals(yield* read(`${place}/piped`)))
    })
  )

  it.effect("writes Arrow into a file, and its stream format where a reader cannot go back", () =>
    Effect.gen(function* () {
      const place = yield* folder
      const days = [...request, "--start-time", "2024-01-01", "--end-time", "2024-01-31"]
      const download = ["download", ...days, "--format", "arrow", "--output", `${place}/all`]
      assert.strictEqual((yield* sluice(download)).code, 0)
      const [name = ""] = (yield* names(`${place}/all`)).filter((name) => name.endsWith(".arrow"))
      const file = Buffer.from(yield* read(`${place}/all/${name}`))
      assert.strictEqual(file.subarray(0, 6).toString(), "ARROW1")
      assert.strictEqual(file.subarray(-6).toString(), "ARROW1")
      for (const [to, ...flags] of [["one.arrow"], ["plain", "--format", "arrow"], ["one.arrows"]] as const) {
        assert.strictEqual((yield* sluice(["get", ...days, "--output", `${place}/${to}`, ...flags])).code, 0)
      }
      assert.isTrue(file.equals(yield* read(`${place}/one.arrow`)))
      assert.isTrue(file.equals(yield* read(`${place}/plain`)))
      const piped = yield* shell(`sluice get ${days.join(" ")} --format arrow | cat > piped`, place)
      assert.deepStrictEqual([piped.code, piped.stderr], [0, ""])
      const stream = Buffer.from(yield* read(`${place}/piped`))
      assert.strictEqual(stream.readInt32LE(0), -1)
      assert.isTrue(stream.equals(yield* read(`${place}/one.arrows`)))
      const zipped = yield* sluice(["get", ...days, "--output", `${place}/one.arrow.gz`])
      assert.include(zipped.stderr, 'invalid format option "compression": arrow is not compressed')
    })
  )

  it.effect(
    "says once, when a download begins, that numbers of Parquet have fewer digits, unless the flags say which they are",
    () =>
      Effect.gen(function* () {
        const place = yield* folder
        const notice = "Numbers are DOUBLE, of 15 to 17 digits; --numbers decimal or text keeps every digit.\n"
        const said = (to: string, ...flags: ReadonlyArray<string>) =>
          Effect.map(sluice(["download", ...request, "--output", `${place}/${to}`, ...flags]), ({ code, stderr }) => {
            assert.strictEqual(code, 0, stderr)
            return stderr.split(notice).length - 1
          })
        assert.strictEqual(yield* said("double", "--format", "parquet"), 1)
        assert.strictEqual(yield* said("double", "--format", "parquet", "--resume"), 0)
        assert.strictEqual(yield* said("text", "--format", "parquet", "--numbers", "text", "--status-columns"), 0)
        assert.strictEqual(yield* said("decimal", "--format", "parquet", "--decimal", "38,18"), 0)
        assert.strictEqual(yield* said("csv", "--format", "csv", "--no-status-columns"), 0)
        const [csv = ""] = (yield* names(`${place}/csv`)).filter((name) => name.endsWith(".csv"))
        assert.strictEqual(text(yield* read(`${place}/csv/${csv}`)).split("\r\n")[0], "asset,time,PriceUSD")
        const mixed = yield* sluice([
          "download",
          ...request,
          "--output",
          `${place}/text`,
          "--format",
          "parquet",
          "--resume"
        ])
        assert.include(mixed.stderr, "differs in format.numbers, format.statusColumns")
      })
  )

  it.effect("refuses a file whose name says a format that it does not write, before anything is sent", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const before = (yield* sandbox.stats).requests
      const place = yield* folder
      const next = "Name the format with --format, or give the file an extension of one.\n"
      const unknown = "expected .ndjson, .jsonl, .csv, .parquet, .arrow, .arrows"
      for (const [file, reason] of [
        ["p.xlsx", `no format has the extension .xlsx: ${unknown}`],
        ["p.txt", `no format has the extension .txt: ${unknown}`],
        ["p.csv.bz2", `no format has the extension .bz2: ${unknown}`],
        ["p.txt.gz", `no format has the extension .txt: ${unknown}`],
        ["p.parquet.gz", "Parquet is compressed inside; name the file .parquet and give --compression"],
        ["p.PARQUET.zst", "Parquet is compressed inside; name the file .parquet and give --compression"]
      ] as const) {
        const { code, stderr } = yield* sluice([...prices, "-o", `${place}/${file}`])
        assert.strictEqual(code, codes.usage, file)
        assert.strictEqual(stderr, `sluice: --output "${place}/${file}": ${reason}.\n${next}`)
      }
      const trades = ["tail", "timeseries-stream/market-trades", "--markets", "coinbase-btc-usd-spot", "--limit", "1"]
      for (const file of ["t.xlsx", "t.parquet", "t.arrow", "t.arrows", "t.csv.gz"]) {
        const { code, stderr } = yield* sluice([...trades, "--output", `${place}/${file}`])
        assert.strictEqual(code, codes.usage, stderr)
        assert.match(stderr, /^sluice: --output "/)
      }
      assert.deepStrictEqual(yield* names(place), [])
      assert.strictEqual((yield* sandbox.stats).requests, before)
      assert.strictEqual((yield* sluice([...prices, "--format", "csv", "-o", `${place}/p.txt`])).code, 0)
      assert.strictEqual(text((yield* read(`${place}/p.txt`)).subarray(0, 10)), "asset,time")
      const inside = ["--format", "parquet", "-o", `${place}/p.parquet.gz`]
      assert.strictEqual((yield* sluice([...prices, ...inside])).code, codes.usage)
    })
  )

  it.effect("refuses bytes that a terminal cannot show, before anything is sent", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const before = (yield* sandbox.stats).requests
      const next = "Name a file with --output, or send the output to a pipe.\n"
      for (const [more, what] of [
        [["--format", "parquet"], "Parquet is"],
        [["--format", "arrow"], "Arrow is"],
        [["--format", "csv", "--compression", "gzip"], "compressed records are"]
      ] as const) {
        const { code, stderr, stdout } = yield* sluice([...prices, ...more], { NO_COLOR: "1" }, { isTerminal: true })
        assert.deepStrictEqual([code, stdout], [codes.usage, ""])
        assert.strictEqual(stderr, `sluice: ${what} not text, and standard output is a terminal.\n${next}`)
      }
      const table = yield* sluice([...prices, "--format", "table", "--compression", "gzip"])
      assert.match(table.stderr, /^sluice: invalid format option "compression": a table is text/)
      assert.strictEqual((yield* sandbox.stats).requests, before)
    })
  )

  it.effect("tells on a terminal what was written; a table in a file is as wide as its records", () =>
    Effect.gen(function* () {
      const place = yield* folder
      const onTerminal = { isTerminal: true, isErrTerminal: true }
      const csv = yield* sluice([...prices, "-o", `${place}/a.csv`], { NO_COLOR: "1" }, onTerminal)
      assert.deepStrictEqual([csv.code, csv.stdout], [0, ""])
      const { length } = yield* read(`${place}/a.csv`)
      assert.strictEqual(csv.stderr, `3 records, ${length} B, in ${place}/a.csv.\n`)
      const table = ["--format", "table", "--output", `${place}/a.txt`]
      assert.deepStrictEqual(yield* sluice([...prices, ...table]), { code: 0, stdout: "", stderr: "" })
      assert.match(text(yield* read(`${place}/a.txt`)), /^asset {2}time {18}.*PriceUSD\nbtc {4}2010-07-18T00:00:00Z/)
    })
  )

  it.effect("keeps an older file until the new one is complete, and leaves nothing else behind", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const sandbox = yield* Sandbox.Sandbox
      const place = yield* folder
      yield* fs.writeFileString(`${place}/a.csv`, "older")
      yield* fs.symlink(`${place}/a.csv`, `${place}/link.csv`)
      const env = { SLUICE_BASE_URL: sandbox.faultUrl("status=403;after=1") }
      const days = ["get", ...request, "--page_size", "1", "--end_time", "2010-08-01", "--paging_from", "start"]
      const failed = yield* sluice([...days, "--limit", "3000", "--output", `${place}/a.csv`], env)
      assert.strictEqual(failed.code, codes.licence)
      assert.strictEqual(text(yield* read(`${place}/a.csv`)), "older")
      const stalled = { ...(yield* environment), SLUICE_BASE_URL: sandbox.faultUrl("stall;id=output") }
      const fiber = yield* Effect.forkChild(inProcess([...prices, "-o", `${place}/a.csv`], stalled).run)
      yield* until(names(place), ({ length }) => length === 3)
      yield* Fiber.interrupt(fiber)
      assert.sameMembers([...(yield* names(place))], ["a.csv", "link.csv"])
      assert.strictEqual((yield* sluice([...prices, "-o", `${place}/link.csv`])).code, 0)
      assert.match(text(yield* read(`${place}/a.csv`)), /^asset,time/)
      assert.strictEqual(yield* fs.readLink(`${place}/link.csv`), `${place}/a.csv`)
    })
  )

  it.effect("says why a file cannot be written, before anything is sent", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const before = (yield* sandbox.stats).requests
      const place = yield* folder
      for (const [file, reason] of [
        [place, "it is a folder"],
        [`${place}/none/a.csv`, "its folder does not exist"]
      ] as const) {
        const { code, stderr } = yield* sluice([...prices, "--output", file])
        assert.strictEqual(code, codes.system)
        assert.match(stderr, new RegExp(`^sluice: ${file} cannot be written: ${reason}\\.\n`))
      }
      assert.strictEqual((yield* sandbox.stats).requests, before)
      assert.strictEqual((yield* sluice([...prices, "--output", "/dev/null"])).code, 0)
    })
  )

  it.effect("tells on a terminal how much is written, and what became of it where it is stopped", () =>
    Effect.gen(function* () {
      const { faultUrl } = yield* Sandbox.Sandbox
      const place = yield* folder
      const file = `${place}/prices.csv`
      // A thousand records, and a page that never comes.
      const env = { ...(yield* environment), SLUICE_BASE_URL: faultUrl("stall;after=1;id=progress") }
      const words = ["get", ...request, "--page_size", "1000", "--start_time", "2015-01-01", "-o", file]
      const { outputs, run } = inProcess(words, env, { isErrTerminal: true })
      const fiber = yield* Effect.forkChild(run)
      yield* until(Effect.sync(outputs.stderr), (said) => /\r[^\r]*1,000 records, [\d.]+ kB, into /.test(said))
      yield* Fiber.interrupt(fiber)
      const said = outputs.stderr().replaceAll(/\s+/g, " ")
      assert.match(said, /Stopped after 1,000 records, [\d.]+ kB: .*prices\.csv is as it was before\. $/)
      assert.deepStrictEqual(yield* names(place), [])
      const whole = yield* sluice([...prices, "-o", file], {}, { isErrTerminal: true })
      assert.match(whole.stderr, /3 records, \d+ B, in .*prices\.csv\./)
    })
  )

  it.effect("of tail grows as records come, and is never one that exists", () =>
    Effect.gen(function* () {
      const file = `${yield* folder}/trades.csv`
      const trades = ["tail", "timeseries-stream/market-trades", "--markets", "coinbase-btc-usd-spot"]
      const tail = [...trades, "--output", file]
      const fiber = yield* Effect.forkChild(inProcess(tail, yield* environment).run)
      const soFar = Effect.orElseSucceed(Effect.map(read(file), text), () => "")
      yield* until(soFar, (csv) => csv.split("\r\n").length > 2)
      yield* Fiber.interrupt(fiber)
      const kept = yield* soFar
      assert.match(kept, /^market,time,.*\r\ncoinbase-btc-usd-spot,/)
      const again = yield* sluice([...tail, "--limit", "1"])
      assert.strictEqual(again.code, codes.system)
      assert.include(again.stderr, `${file} cannot be written: it exists, and is not replaced.`)
      assert.strictEqual(yield* soFar, kept)
    })
  )
})
