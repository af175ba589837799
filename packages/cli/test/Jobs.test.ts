import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { codes } from "../src/program/Failure.ts"
import { key, services, sluice } from "./Process.ts"

const startOf = (accounts: string) =>
  ["jobs", "start", "balance-updates", "--assets", "btc", "--accounts", accounts].concat([
    "--start_height",
    "700000",
    "--end_height",
    "700004"
  ])

const idOf = (stdout: string): string => JSON.parse(stdout).id

const results = (id: string) => sluice(["jobs", "results", "balance-updates", id])

layer(services, { excludeTestServices: true })("jobs", (it) => {
  it.effect("starts a job, shows its status, waits for it and writes its records", () =>
    Effect.gen(function* () {
      const started = yield* sluice(startOf("treasury-btc"))
      assert.deepStrictEqual([started.code, started.stderr], [0, ""])
      const id = idOf(started.stdout)
      const shown = yield* sluice(["jobs", "status", id])
      assert.include(JSON.parse(shown.stdout), { id })
      const { code, stderr, stdout } = yield* sluice(["jobs", "results", "balance-updates", id])
      assert.deepStrictEqual([code, stderr], [0, ""])
      const heights = stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).height)
      assert.deepStrictEqual(heights, ["700000", "700001", "700002", "700003", "700004"])
      assert.notInclude(`${started.stdout}${shown.stdout}${stdout}`, key)
    })
  )

  it.effect("ends with a sentence and a code where there is no result to come", () =>
    Effect.gen(function* () {
      const expired = yield* results("sandbox-expired")
      assert.strictEqual(expired.code, codes.missing)
      assert.match(expired.stderr, /sandbox-expired have expired/)
      assert.strictEqual((yield* results("sandbox-failed")).code, codes.missing)
      assert.strictEqual((yield* results("a,b")).code, codes.usage)
      const bare = ["jobs", "start", "account-balances", "--assets", "btc", "--accounts", "a"]
      assert.strictEqual((yield* sluice(bare)).code, codes.usage)
    })
  )
})
