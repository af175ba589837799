import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { codes } from "../src/program/ExitCode.ts"
import { environment, folder, services, sluice } from "./Process.ts"

const begin = [
  ..."sync timeseries/asset-metrics --assets btc --metrics PriceUSD --start_time 2026-01-01 --format ndjson".split(" "),
  "--output"
]

/** Audits what is there of a year that has ended, so that nothing is late. */
const until = ["--to", "2026-10-31"]

layer(services, { excludeTestServices: true })("audit", (it) => {
  it.effect("fails with 10 for what it finds, until it is acknowledged", () =>
    Effect.gen(function* () {
      const to = `${yield* folder}/prices`
      assert.strictEqual((yield* sluice([...begin, to])).code, 0)
      const clean = yield* sluice(["audit", to, ...until])
      assert.deepStrictEqual([clean.code, clean.stdout], [0, ""])
      assert.match(clean.stderr, /^Audited [^\n]*: 304 records of 1 entity, 0 findings\.\nDays: 304 available\.\n$/)
      const fs = yield* FileSystem.FileSystem
      const file = `${to}/asset=btc/year=2026/btc-2026.ndjson`
      const rows = (yield* fs.readFileString(file)).split("\n").filter((row) => !row.includes("2026-03-0"))
      const broken = rows.map((row) => row.replace(/("2026-05-05T.*"PriceUSD":")/, "$1-"))
      yield* fs.writeFileString(file, broken.join("\n"))
      const found = yield* sluice(["audit", to, ...until, "--ask"])
      assert.strictEqual(found.code, codes.incomplete)
      const [head = "", ...lines] = found.stdout.trimEnd().split("\n")
      assert.match(head, /^id +entity +kind +from +to +count +finding$/)
      assert.lengthOf(lines, 2)
      assert.match(lines[0] ?? "", /btc +outOfBounds +2026-05-05T00:00:00Z .*PriceUSD is -\d/)
      assert.match(
        lines[1] ?? "",
        /btc +hole +2026-03-01T00:00:00Z +2026-03-09T00:00:00Z +9 +9 records are missing; the service has records there/
      )
      assert.match(found.stderr, /2 findings\.\nDays: 294 available, 1 degraded, 9 missing\.\n/)
      assert.match(found.stderr, /the audit has 2 findings\.\n[^\n]*--acknowledge/)
      const told = yield* sluice(["audit", to, ...until, "--json"])
      const events = told.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
      const tags = events.map(({ _tag }) => String(_tag))
      assert.strictEqual(tags.join(" "), `Finding Finding${" Condition".repeat(5)} Audited`)
      const ids = events.flatMap((one) => (one._tag === "Finding" ? [one.id] : []))
      const known = yield* sluice(["audit", to, ...until, "--acknowledge", [...ids, "abc"].join(",")])
      assert.deepStrictEqual([known.code, known.stdout], [0, ""])
      assert.match(known.stderr, /2 findings, 2 of them acknowledged\.\n(?:.*\n)*Not among the findings: abc\.\n/)
      const all = yield* sluice(["audit", to, ...until, "--acknowledged"])
      assert.strictEqual(all.code, 0)
      assert.match(all.stdout, /records are missing \(acknowledged\)/)
      assert.strictEqual((yield* sluice(["verify", to])).code, codes.system)
    })
  )

  it.effect("fails with 10 for what no sync has read to the end, as verify does", () =>
    Effect.gen(function* () {
      const to = `${yield* folder}/prices`
      const { SLUICE_BASE_URL = "" } = yield* environment
      // The first request looks whether the names exist.
      const root = SLUICE_BASE_URL.replace("/v4", "/fault/status%3D503%3Bafter%3D1/v4")
      assert.strictEqual((yield* sluice([...begin, to, "--root", root, "--retries", "0"])).code, codes.network)
      const status = JSON.parse((yield* sluice(["status", to])).stdout)
      assert.deepInclude(status, { records: 0, state: "1 entity not read to the end", unread: 1 })
      const verified = yield* sluice(["verify", to])
      assert.strictEqual(verified.code, codes.incomplete)
      assert.match(verified.stderr, /has no records yet\.\n.*: 1 entity not read to the end\.\n.*sluice sync/)
      const audited = yield* sluice(["audit", to])
      assert.strictEqual(audited.code, codes.incomplete)
      assert.match(
        audited.stdout,
        /btc +unread +2026-01-01T00:00:00Z .* is not read to the end: the next sync continues/
      )
    })
  )

  it.effect("refuses a table and a folder that has no dataset", () =>
    Effect.gen(function* () {
      const place = yield* folder
      const table = yield* sluice(["audit", `${place}/market.duckdb`])
      assert.strictEqual(table.code, codes.usage)
      assert.match(table.stderr, /only folders are audited/)
      assert.strictEqual((yield* sluice(["audit", `${place}/none`])).code, codes.usage)
    })
  )
})
