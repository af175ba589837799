import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { codes } from "../src/program/ExitCode.ts"
import { folder, services, sluice } from "./Process.ts"

const request = ["timeseries/asset-metrics", "--assets", "btc,eth", "--metrics", "PriceUSD"]
const range = ["--start_time", "2024-01-01", "--end_time", "2024-06-30", "--frequency", "1d", "--split", "assets"]

layer(services, { excludeTestServices: true })("plan", (it) => {
  it.effect("says what a download would take, of each entity and in total", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* sluice(["plan", ...request, ...range])
      assert.strictEqual(code, 0, stderr)
      assert.match(stdout, /Planned: 2 parts, 4 requests, about 364 records, about .* kB, .* under the rate limit \(/)
      assert.match(stdout, /^btc +1 .*\neth +1 .*\n\(access check\) +2 *\n/m)
      assert.include(stderr, "Not known: a catalog does not list the holes of a series.")
      assert.notInclude(stderr, "that entities share")
      const shared = yield* sluice(["plan", ...request, ...range, "--size", "all"])
      assert.match(shared.stdout, /Planned: 1 part, 2 requests/)
      assert.include(shared.stderr, "Requests that entities share are counted in each of their rows.")
      const json = yield* sluice(["plan", ...request, ...range, "--json"])
      assert.strictEqual(JSON.parse(json.stdout).total.requests.expected, 4)
    })
  )

  it.effect("refuses more than is allowed, and names both figures and the flag", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* sluice(["plan", ...request, ...range, "--max-requests", "3"])
      assert.strictEqual(code, codes.usage)
      assert.match(stderr, /would take at least 4 requests, and --max-requests is 3; the download did not begin/)
      const fs = yield* FileSystem.FileSystem
      const to = `${yield* folder}/prices`
      const refused = yield* sluice(["download", ...request, ...range, "--output", to, "--max-bytes", "1000"])
      assert.strictEqual(refused.code, codes.usage)
      assert.match(refused.stderr, /would take about \d+ bytes, and --max-bytes is 1000/)
      assert.isFalse(yield* fs.exists(to))
    })
  )

  it.effect("comes before a download with --plan, and stands in its manifest", () =>
    Effect.gen(function* () {
      const to = `${yield* folder}/prices`
      const { code, stderr } = yield* sluice(["download", ...request, ...range, "--output", to, "--plan"])
      assert.strictEqual(code, 0, stderr)
      const lines = stderr.split("\n")
      assert.match(lines[0] ?? "", /^Planned: 2 parts, 4 requests, about 364 records/)
      assert.strictEqual(lines[1], `Downloading 2 parts into ${to}.`)
      const { plan } = JSON.parse(yield* (yield* FileSystem.FileSystem).readFileString(`${to}/.sluice/manifest.json`))
      assert.deepStrictEqual([plan.requests.taken, plan.records.taken], [4, 364])
    })
  )
})
