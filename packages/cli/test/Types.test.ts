import { assert, layer } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { readFileSync } from "node:fs"
import { codes } from "../src/program/ExitCode.ts"
import { folder, key, services, sluice } from "./Process.ts"

/** What `types/Metrics.tst.ts` compiles against. */
const compiled = readFileSync(new URL("types/metrics.d.ts", import.meta.url), "utf8")

layer(services, { excludeTestServices: true })("types", (it) => {
  it.effect("writes the types that Metrics.tst.ts compiles with, the same on every run", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* sluice(["types", "--assets", "btc,eth"])
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.strictEqual(stdout, compiled)
      assert.notInclude(stdout, key)
      const file = `${yield* folder}/metrics.d.ts`
      const written = yield* sluice(["types", "--assets", "eth", "--assets", "btc", "--out", file])
      assert.deepStrictEqual(written, {
        code: 0,
        stdout: "",
        stderr: ""
      })
      const fs = yield* FileSystem.FileSystem
      assert.strictEqual(yield* fs.readFileString(file), compiled)
    })
  )

  it.effect("has every asset and metric that the key may read, and of another key less", () =>
    Effect.gen(function* () {
      const full = (yield* sluice(["types"])).stdout
      for (const name of ["btc", "eth", "ltc"]) assert.match(full, new RegExp(`\\| "${name}"`))
      assert.match(full, /^ {2}readonly "CapRealUSD": /m)
      for (const line of full.split("\n")) if (/^ {2}\|/.test(line)) assert.isAtMost(line.length, 120)
      const limited = yield* sluice(["types"], { SLUICE_API_KEY: "sandbox-limited" })
      assert.strictEqual(limited.code, 0)
      assert.notInclude(limited.stdout, '"CapRealUSD"')
    })
  )

  it.effect("suggests the asset that was meant", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* sluice(["types", "--assets", "bitcoin"])
      assert.strictEqual(code, codes.usage)
      assert.match(stderr, /did you mean "btc"\?\n/)
      const sandbox = yield* Sandbox.Sandbox
      const env = { SLUICE_BASE_URL: sandbox.faultUrl("status=500;id=types") }
      assert.strictEqual((yield* sluice(["types", "--retries", "0"], env)).code, codes.network)
    })
  )
})
