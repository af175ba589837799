import { assert, it } from "@effect/vitest"
import { Sluice } from "@sluice/node/promise"
import { Sandbox } from "@sluice/sandbox"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { files, means } from "../src/guides/fromPython.ts"

it("the program of the page about Python reads a month of two assets, and writes a file of each", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-python-"))
  try {
    await using sluice = await Sluice.open(Sandbox.memory())
    const found = await means(sluice)
    assert.deepStrictEqual([...found.keys()], ["btc", "eth"])
    for (const mean of found.values()) assert.isAbove(mean, 0)
    assert.strictEqual((await files(sluice, folder)).records, 2 * 31)
    assert.sameMembers(
      (await readdir(folder)).filter((name) => name.endsWith(".parquet")),
      ["0-btc.parquet", "1-eth.parquet"]
    )
  } finally {
    await rm(folder, { recursive: true })
  }
})
