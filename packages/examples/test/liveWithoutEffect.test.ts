import { assert, it } from "@effect/vitest"
import { Sluice } from "@sluice/promise"
import { Sandbox } from "@sluice/sandbox"
import { trades } from "../src/live/withoutEffect.ts"

it("a live stream without Effect begins with the trades since a moment, and goes on over the connection", async () => {
  await using sluice = await Sluice.open(Sandbox.memory())
  const seen = await trades(sluice, "2026-10-31T23:00:00Z", 3)
  assert.lengthOf(seen, 3)
  assert.deepStrictEqual(seen, seen.toSorted())
  for (const trade of seen) assert.match(trade, /^2026-10-31T23:\S+Z [\d.]+$/)
})
