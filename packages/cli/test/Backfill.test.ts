import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { codes } from "../src/program/Failure.ts"
import { key, services, sluice } from "./Process.ts"

const request = ["timeseries/asset-metrics", "--assets", "btc,eth", "--metrics", "PriceUSD"].concat(
  ["--start_time", "2024-01-01", "--end_time", "2024-02-01"],
  ["--split", "assets"]
)

layer(services, { excludeTestServices: true })("backfill", (it) => {
  it.effect("without a cluster does it here, and leaves what a download leaves", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const done = yield* sluice(["backfill", ...request, "--to", `${folder}/many`])
      assert.deepStrictEqual([done.code, done.stdout], [0, ""])
      assert.match(done.stderr, /finished: 2 of 2 parts, 64 records/)
      yield* sluice(["download", ...request, "--output", `${folder}/one`])
      const files = (yield* fs.readDirectory(`${folder}/one`)).filter((name) => name.endsWith(".ndjson"))
      assert.lengthOf(files, 2)
      for (const file of files) {
        const one = yield* fs.readFileString(`${folder}/one/${file}`)
        assert.strictEqual(yield* fs.readFileString(`${folder}/many/${file}`), one)
      }
      const again = yield* sluice(["backfill", ...request, "--to", `${folder}/one`, "--json"])
      assert.include(JSON.parse(again.stdout.trimEnd().split("\n").at(-1) ?? ""), {
        state: "finished",
        done: 2,
        failed: 0
      })
      assert.notInclude(`${done.stderr}${again.stdout}`, key)
    })
  )

  it.effect("says why it was refused, and what to do", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      yield* sluice(["download", ...request, "--output", folder])
      const other = yield* sluice(["backfill", ...request, "--to", folder, "--format", "csv"])
      assert.strictEqual(other.code, codes.incomplete)
      assert.match(other.stderr, /was refused: .* differs in format\.as/)
    })
  )

  it.effect("names the setting where a cluster is missing, is no URL, or does not answer, and never a password", () =>
    Effect.gen(function* () {
      const missing = yield* sluice(["backfill", "status"])
      assert.deepStrictEqual(
        [missing.code, missing.stderr.split("\n")[0]],
        [codes.usage, "sluice: no cluster is named."]
      )
      const none = yield* sluice(["worker", "--cluster", "mysql://me:s3cret@host/db"])
      assert.strictEqual(none.code, codes.usage)
      assert.include(none.stderr, "postgres://")
      const silent = yield* sluice(["backfill", "status", "--cluster", "postgres://me:s3cret@127.0.0.1:1/db"])
      assert.strictEqual(silent.code, codes.network)
      assert.include(silent.stderr, "cannot join the cluster: PostgreSQL")
      assert.notInclude(`${none.stderr}${silent.stderr}`, "s3cret")
    })
  )

  it.effect("lists in its help what can be asked of a backfill, and of an endpoint its parameters", () =>
    Effect.gen(function* () {
      const group = yield* sluice(["backfill", "--help"])
      for (const word of ["status", "pause", "resume", "cancel", "retry"])
        assert.match(group.stdout, new RegExp(`^ +${word} `, "m"))
      const one = yield* sluice(["backfill", "timeseries/asset-metrics", "--help"])
      assert.include(one.stdout, "--metrics <list>")
    })
  )
})
