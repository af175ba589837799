import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as ExitCode from "../src/program/ExitCode.ts"
import { folder, services, sluice } from "./Process.ts"

const prices = "timeseries/asset-metrics --assets btc --metrics PriceUSD --start_time 2026-10-01".split(" ")
const october = [...prices, "--end_time", "2026-10-05"]

layer(services, { excludeTestServices: true })("what is advised of what is held", (it) => {
  it.effect("names flags of a cache, and says that its folder is one", () =>
    Effect.gen(function* () {
      const cache = `${yield* folder}/cache`
      const lacking = yield* sluice(["get", ...october, "--cache", cache, "--offline"])
      assert.match(lacking.stderr, /read it without offline\.\n`sluice get --cache` without --offline reads them/)
      assert.strictEqual((yield* sluice(["get", ...october, "--cache", cache])).code, 0)
      const [name = ""] = yield* (yield* FileSystem.FileSystem).readDirectory(cache)
      for (const command of [
        ["status", cache],
        ["get", "--from", cache]
      ]) {
        const { code, stderr } = yield* sluice(command)
        assert.strictEqual(code, ExitCode.codes.usage, stderr)
        assert.include(stderr, `${cache} is a cache; each of its folders is a dataset: ${name}.`)
      }
    })
  )

  it.effect(
    "names --offline where the service cannot be reached, what a dataset keeps, and a sync for what is late",
    () =>
      Effect.gen(function* () {
        const closes = `${yield* folder}/closes`
        assert.strictEqual((yield* sluice(["sync", ...prices, "--output", closes])).code, 0)
        const away = ["--root", "http://127.0.0.1:1/v4", "--retries", "0"]
        const unread = yield* sluice(["get", ...october, "--cache", `${closes}.cache`, ...away])
        assert.strictEqual(unread.code, ExitCode.codes.network, unread.stderr)
        assert.match(unread.stderr, / With --offline the command gives what is held, or says what is not\.\n$/)
        const plain = yield* sluice(["get", ...october, ...away])
        assert.notInclude(plain.stderr, "--offline")
        const none = yield* sluice(["revisions", closes])
        assert.match(
          none.stderr,
          /closes keeps no versions, so nothing is known of revisions: .* --versions keep begins to/
        )
        const late = yield* sluice(["audit", closes, "--max-age", "1s"])
        assert.match(late.stderr, /the audit has 1 finding\.\nA sync reads what is late, and --max-age says/)
        const table = yield* sluice(["compact", "market.duckdb"])
        assert.match(table.stderr, /\n`sluice compact --help` has examples\.\n$/)
      })
  )

  it.effect("says that a dataset has no such entity", () =>
    Effect.gen(function* () {
      const closes = `${yield* folder}/closes`
      assert.strictEqual((yield* sluice(["sync", ...prices, "--output", closes, "--versions", "keep"])).code, 0)
      const strange = yield* sluice(["revisions", closes, "btcc"])
      assert.strictEqual(strange.code, ExitCode.codes.usage)
      assert.match(strange.stderr, /closes has no entity "btcc"; did you mean "btc"\?/)
      assert.strictEqual((yield* sluice(["revisions", closes, "btc"])).code, 0)
    })
  )
})
