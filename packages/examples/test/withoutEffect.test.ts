import { assert, it } from "@effect/vitest"
import { Sluice } from "@sluice/promise"
import { Sandbox } from "@sluice/sandbox"
import { highest } from "../src/withoutEffect.ts"

it("each asset has its highest price, though the service fails twice", async () => {
  const sluice = await Sluice.open(Sandbox.memory({ fault: "status=503;times=2" }))
  const highs = await highest(sluice, new Date("2026-01-01"))
  assert.deepStrictEqual([...highs.keys()], ["btc", "eth"])
  await sluice.close()
})
