/**
 * The newest records from a shell, whatever the service means by a limit.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, layer } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { readFileSync } from "node:fs"
import { folder, sluice } from "./Process.ts"

/** The first command that the README shows of a shell, which it says gives the newest 24 hours. */
const [, shown = ""] =
  /--silent sluice (get .* 24)\n```\n\nThese are the newest 24 hours/.exec(
    readFileSync(new URL("../../../README.md", import.meta.url), "utf8")
  ) ?? []

const read = (args: string) =>
  Effect.map(sluice(args.split(" ")), ({ code, stderr, stdout }): ReadonlyArray<Readonly<Record<string, string>>> => {
    assert.strictEqual(code, 0, stderr)
    return stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
  })

describe.each(["paging_from", "latest"] as const)("by a service that takes a limit from %s", (limit) => {
  layer(Layer.mergeAll(Sandbox.layer({ dialect: { limit } }), NodeServices.layer), { excludeTestServices: true })(
    (it) => {
      it.effect("the command of the README gives the newest 24 hours", () =>
        Effect.gen(function* () {
          const hours = yield* read(shown)
          const all = shown.replace("--limit-per-market 24", "--start-time 2026-10-30")
          assert.deepStrictEqual(hours, (yield* read(all)).slice(-24))
          assert.lengthOf(hours, 24)
        })
      )

      it.effect("a limit of all records keeps the first of the newest, by one request", () =>
        Effect.gen(function* () {
          const { stats } = yield* Sandbox.Sandbox
          const newest = yield* read(shown)
          const { requests } = yield* stats
          assert.deepStrictEqual(yield* read(`${shown} --limit 3`), newest.slice(0, 3))
          assert.strictEqual((yield* stats).requests - requests, 1)
        })
      )

      it.effect("a download holds the newest, in a file for each of several parts", () =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const place = yield* folder
          const prices = "timeseries/asset-metrics --assets btc,eth --metrics PriceUSD --limit_per_asset 3"
          const { code, stderr } = yield* sluice(
            `download ${prices} --split assets --output prices`.split(" "),
            {},
            { folder: place }
          )
          assert.strictEqual(code, 0, stderr)
          const names = (yield* fs.readDirectory(`${place}/prices`)).filter((name) => name.endsWith(".ndjson"))
          const files = yield* Effect.forEach(names.toSorted(), (name) => fs.readFileString(`${place}/prices/${name}`))
          const held: ReadonlyArray<Readonly<Record<string, string>>> = files
            .join("")
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line))
          assert.deepStrictEqual(held, yield* read(`get ${prices}`))
          assert.deepStrictEqual(
            held.map(({ asset, time }) => `${asset} ${time?.slice(0, 10)}`),
            ["btc", "eth"].flatMap((asset) => ["10-30", "10-31", "11-01"].map((day) => `${asset} 2026-${day}`))
          )
        })
      )
    }
  )
})
