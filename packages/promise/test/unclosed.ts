/** A program that is done and leaves its client open: `unclosed.ts <root of the service>`. */
import { Sluice } from "@sluice/promise"

const sluice = await Sluice.open({
  root: process.argv[2] ?? "",
  apiKey: "demo-key",
  idle: "1 hour",
  minBytesPerSecond: 0
})
const assets = await sluice.referenceData.assets().toArray()
for await (const _ of sluice.referenceData.assets({ format: "json_stream" })) break
process.stdout.write(assets.map(({ asset }) => asset).join(" "))
