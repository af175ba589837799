import { assert, it } from "@effect/vitest"
import { Sluice } from "@sluice/promise"
import { Sandbox } from "@sluice/sandbox"
import { mkdtempDisposable } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { closes } from "../src/guides/datasetWithoutEffect.ts"

it("a dataset is brought up to date without Effect, and says what it holds", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "sluice-dataset-"))
  await using sluice = await Sluice.open(Sandbox.memory())
  const held = await closes(sluice, join(folder.path, "closes"))
  assert.deepStrictEqual(
    held.map(({ entity, last, rows }) => [entity, rows, last?.slice(0, 10)]),
    [
      ["btc", 305, "2026-11-01"],
      ["eth", 305, "2026-11-01"]
    ]
  )
})
