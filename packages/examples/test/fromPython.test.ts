import { assert, it } from "@effect/vitest"
import { Sluice } from "@sluice/promise"
import { Sandbox } from "@sluice/sandbox"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { query } from "../src/guides/duckdb.ts"
import { files, means } from "../src/guides/fromPython.ts"

/** The query with which the page opens the files. */
const opening = /duckdb\.sql\("([^"]+)"\)/.exec(
  readFileSync(new URL("../../../docs/python-client.md", import.meta.url), "utf8")
)?.[1]

it("the program of the page about Python reads a month of two assets, and writes files that DuckDB opens", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-python-"))
  try {
    await using sluice = await Sluice.open(Sandbox.memory())
    const found = await means(sluice)
    assert.strictEqual((await files(sluice, folder)).records, 2 * 31)
    assert.sameMembers(
      (await readdir(folder)).filter((name) => name.endsWith(".parquet")),
      ["btc.parquet", "eth.parquet"]
    )
    const frame = opening?.replace("out/january", folder) ?? ""
    const grouped = `select asset, avg(price) as mean from (${frame}) group by asset order by asset`
    const rows = await Effect.runPromise(query(grouped))
    assert.deepStrictEqual(
      rows.map(({ asset }) => asset),
      [...found.keys()]
    )
    for (const { asset, mean } of rows) assert.closeTo(Number(mean), found.get(String(asset)) ?? 0, 1e-6)
  } finally {
    await rm(folder, { recursive: true })
  }
})
