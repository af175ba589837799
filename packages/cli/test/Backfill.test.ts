import { assert, layer } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { codes } from "../src/program/ExitCode.ts"
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
      const nothing = /All of it was there: it is kept, and nothing was read\.\n$/
      assert.notMatch(done.stderr, nothing)
      assert.match((yield* sluice(["backfill", ...request, "--to", `${folder}/many`])).stderr, nothing)
      const again = yield* sluice(["backfill", ...request, "--to", `${folder}/one`, "--json"])
      assert.include(JSON.parse(again.stdout.trimEnd().split("\n").at(-1) ?? ""), {
        state: "finished",
        done: 2,
        failed: 0
      })
      assert.notInclude(`${done.stderr}${again.stdout}`, key)
    })
  )

  it.effect("into the folder of a dataset leaves what a sync leaves, with its flags, and a sync goes on there", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const how = ["--period", "month", "--no-by-entity", "--format", "csv", "--look-back", "2d"]
      const series = ["timeseries/asset-metrics", "--metrics", "PriceUSD", "--start_time", "2026-09-20"]
      const wildcard = [...series, "--assets", "bt*,eth"]
      const done = yield* sluice([
        "backfill",
        ...wildcard,
        "--end_time",
        "2026-11-01",
        "--into",
        `${folder}/many`,
        ...how
      ])
      assert.deepStrictEqual([done.code, done.stdout], [0, ""])
      assert.match(done.stderr, /finished: 3 of 3 parts, \d+ records/)
      const named = yield* fs.readDirectory(`${folder}/many`, { recursive: true })
      const verified = yield* sluice(["verify", `${folder}/many`])
      assert.strictEqual(verified.code, 0)
      const begun = yield* sluice(["sync", "--output", `${folder}/many`])
      assert.strictEqual(begun.code, 0)
      assert.includeMembers(yield* fs.readDirectory(`${folder}/many`, { recursive: true }), named)
      const { assets } = JSON.parse(yield* fs.readFileString(`${folder}/many/.sluice/dataset.json`)).definition.params
      const synced = [...series, "--assets", assets.join(","), "--output", `${folder}/one`, ...how]
      assert.strictEqual((yield* sluice(["sync", ...synced])).code, 0)
      const files = named.filter((name) => name.endsWith(".csv"))
      assert.lengthOf(files, 3)
      for (const file of files) {
        const one = yield* fs.readFileString(`${folder}/one/${file}`)
        assert.strictEqual(yield* fs.readFileString(`${folder}/many/${file}`), one)
      }
    })
  )

  it.effect("says which flags do not go together with the folder of a dataset", () =>
    Effect.gen(function* () {
      const said = Effect.fnUntraced(function* (...flags: ReadonlyArray<string>) {
        const { code, stderr } = yield* sluice(["backfill", ...request.slice(0, -2), ...flags])
        assert.strictEqual(code, codes.usage)
        return stderr
      })
      assert.include(yield* said("--into", "data", "--split", "assets"), "--split is of a download")
      assert.include(yield* said("--into", "data", "--table", "prices"), "--table is of a database")
      assert.include(yield* said("--output", "data", "--period", "day"), "--period is of a dataset")
      assert.include(yield* said("--into", "mysql://me:s3cret@host/db"), "--into is neither a folder nor a URL")
      const url = yield* said("--output", "mysql://me:s3cret@host/db")
      assert.match(url, /neither a folder nor a database that sluice knows, but a URL/)
      assert.notInclude(url, "s3cret")
      assert.include(yield* said("--output", "market.duckdb"), "--output is a folder, and what it names is a database")
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
      assert.include(other.stderr, "Submit it again as it was begun, or into another folder.")
    })
  )

  it.effect("asks which name was meant where one is refused, says the reason once, and offers no retry", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const misspelt: ReadonlyArray<readonly [string, string, string]> = [
        ["btc,eth", "btc,etherum", "eth"],
        ["PriceUSD", "PriceUDS", "PriceUSD"]
      ]
      for (const [right, wrong, meant] of misspelt) {
        for (const into of [
          ["--split", "assets", "--output", `${folder}/files`],
          ["--into", `${folder}/data`]
        ]) {
          const words = request.slice(0, -2).map((word) => (word === right ? wrong : word))
          const { code, stderr } = yield* sluice(["backfill", ...words, ...into])
          assert.strictEqual(code, codes.incomplete)
          assert.match(stderr, new RegExp(`was refused: [^\\n]*; did you mean "${meant}"\\?\\n`))
          assert.lengthOf(stderr.split("is not supported"), 2)
          assert.include(stderr, "\nGive the command again with what is right;")
          assert.notInclude(stderr, "retry")
        }
      }
    })
  )

  it.effect(
    "without a cluster ends where it would pause, or its key is refused, and advises nothing that needs one",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        const down = yield* sluice([
          "backfill",
          ...request,
          "--into",
          "postgres://me@127.0.0.1:1/x",
          "--table",
          "prices"
        ])
        assert.strictEqual(down.code, codes.system)
        assert.match(down.stderr, /^sluice: cannot connect to the database of public\.prices .*127\.0\.0\.1:1/)
        assert.include(down.stderr, "Check host and port of --into")
        // The check of the first and the last part is answered, and the parts themselves are not.
        const { faultUrl } = yield* Sandbox.Sandbox
        const paused = yield* sluice(["backfill", ...request, "--to", `${folder}/paused`], {
          SLUICE_BASE_URL: faultUrl("status=401;after=2;id=backfill")
        })
        assert.strictEqual(paused.code, codes.key)
        assert.match(paused.stderr, /sluice: backfill \w+ cannot go on: .*: no valid key was sent to http:.*: /)
        assert.include(paused.stderr, "Then the same command continues.")
        const refused = yield* sluice(["backfill", ...request, "--to", folder], { SLUICE_API_KEY: "nokey" })
        assert.strictEqual(refused.code, codes.key)
        assert.include(refused.stderr, "Check the key: SLUICE_API_KEY")
        assert.notMatch(`${down.stderr}${paused.stderr}${refused.stderr}`, /sluice backfill (?:status|retry|resume)/)
      })
  )

  it.effect("suggests the word that was meant, and says that backfills have no DuckDB", () =>
    Effect.gen(function* () {
      const word = yield* sluice(["backfill", "statuss"])
      assert.include(word.stderr, 'there is no endpoint "statuss"; did you mean "status"?')
      const duckdb = yield* sluice(["backfill", ...request, "--into", "m.duckdb", "--table", "prices"])
      assert.strictEqual(duckdb.code, codes.usage)
      assert.include(duckdb.stderr, "a backfill has PostgreSQL alone")
      assert.include(duckdb.stderr, "sluice backfill timeseries/asset-metrics --help")
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
      assert.include(none.stderr, "--cluster: postgres://user:password@host/database.")
      const silent = yield* sluice(["backfill", "status", "--cluster", "postgres://me:s3cret@127.0.0.1:1/db"])
      assert.strictEqual(silent.code, codes.network)
      assert.include(silent.stderr, "cannot join the cluster: PostgreSQL: connect ECONNREFUSED 127.0.0.1:1")
      assert.notInclude(`${none.stderr}${silent.stderr}`, "s3cret")
    })
  )

  it.effect("refuses a port that there is not, and URLs that name no user, before it asks anybody", () =>
    Effect.gen(function* () {
      const bare = "postgres://127.0.0.1:1/db"
      const into = ["--into", bare, "--table", "t"]
      for (const [args, said] of [
        [["worker", "--port", "99999"], '--port cannot be "99999": expected a whole number from 1 to 65535.'],
        [["worker", "--cluster", bare], "the URL of the cluster names no user"],
        [["backfill", ...request, ...into], "--into names no user"],
        [
          ["sync", "timeseries/asset-metrics", "--assets", "btc", "--metrics", "PriceUSD", ...into],
          "--into names no user"
        ]
      ] as const) {
        const { code, stderr } = yield* sluice(args)
        assert.deepStrictEqual([code, stderr.includes(said)], [codes.usage, true], stderr)
      }
      // Where the environment has one, the client takes it.
      const own = yield* sluice(["backfill", "status", "--cluster", bare], { USER: "me" })
      assert.strictEqual(own.code, codes.network)
    })
  )

  it.effect("does not begin to work where others may reach it and it has no secret to ask them for", () =>
    Effect.gen(function* () {
      const worker = ["worker", "--cluster", "postgres://me@127.0.0.1:1/db"]
      const none = yield* sluice(worker)
      assert.strictEqual(none.code, codes.usage)
      assert.include(none.stderr, "SLUICE_CLUSTER_SECRET: others may reach ")
      assert.include(none.stderr, "or give --host 127.0.0.1.")
      const short = yield* sluice(worker, { SLUICE_CLUSTER_SECRET: "horse" })
      assert.strictEqual(short.code, codes.usage)
      assert.include(short.stderr, "SLUICE_CLUSTER_SECRET needs at least 16 characters")
      assert.notInclude(short.stderr, "horse")
      const joins = yield* sluice(worker, { SLUICE_CLUSTER_SECRET: "correct horse battery staple" })
      assert.include(joins.stderr, "cannot join the cluster")
    })
  )

  it.effect(
    "does not begin to work with a key that the service refuses or a root without version, whatever else it meets",
    () =>
      Effect.gen(function* () {
        const { faultUrl, url } = yield* Sandbox.Sandbox
        const cluster = ["--cluster", "postgres://me@127.0.0.1:1/db", "--host", "127.0.0.1"]
        const starts = (env: Record<string, string>) => sluice(["worker", ...cluster], env)
        const wrong = yield* starts({ SLUICE_API_KEY: "no-such-key" })
        assert.strictEqual(wrong.code, codes.key)
        assert.include(wrong.stderr, "Check the key")
        const empty = yield* starts({ SLUICE_API_KEY: "" })
        assert.strictEqual(empty.code, codes.key)
        assert.include(empty.stderr, "No key was sent")
        const elsewhere = yield* starts({ SLUICE_BASE_URL: url.replace(/\/v4$/, "") })
        assert.strictEqual(elsewhere.code, codes.missing)
        assert.include(elsewhere.stderr, "/v4")
        // The others go on to the cluster, which is not there.
        const good = yield* starts({})
        const unreached = yield* starts({ SLUICE_BASE_URL: "http://127.0.0.1:1/v4" })
        assert.notInclude(good.stderr, "warning")
        assert.match(unreached.stderr, /^warning: the service has not confirmed the key: .*refused the connection/m)
        // A sign-in page, or a proxy that has lost its service for a while.
        const page = yield* starts({ SLUICE_BASE_URL: faultUrl("status=200;body=html") })
        assert.match(page.stderr, /^warning: the service has not confirmed the key: .*reply/m)
        const missing = yield* starts({ SLUICE_BASE_URL: faultUrl("status=404;body=html") })
        assert.match(missing.stderr, /^warning: the service has not confirmed the key: .*not found/m)
        for (const { code, stderr } of [good, unreached, page, missing]) {
          assert.strictEqual(code, codes.network)
          assert.include(stderr, "cannot join the cluster")
        }
      })
  )

  it.effect("lists in its help what can be asked of a backfill, and of an endpoint its parameters", () =>
    Effect.gen(function* () {
      const group = yield* sluice(["backfill", "--help"])
      assert.deepStrictEqual(yield* sluice(["backfill"]), group)
      for (const word of ["status", "pause", "resume", "cancel", "retry", "forget"])
        assert.match(group.stdout, new RegExp(`^ +${word} `, "m"))
      const one = yield* sluice(["backfill", "timeseries/asset-metrics", "--help"])
      assert.include(one.stdout, "--metrics <list>")
    })
  )
})
