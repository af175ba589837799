import { assert } from "@effect/vitest"
import * as Sluice from "@sluice/promise"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { onTestFinished } from "vitest"
import { serve } from "../../node/test/Server.ts"

export const { open } = Sluice.Sluice

/** A client for a root on this machine, with retries that do not take long. */
export const over = (root: string, options: Sluice.Options = {}) =>
  open({ root, apiKey: "demo-key", retry: { times: 2, base: "1 millis" }, log: () => {}, ...options })

export const rejected = (promise: Promise<unknown>) =>
  promise.then(
    () => assert.fail("it was to fail"),
    (error: unknown) => error
  )

/** What a loop throws. */
export const thrownBy = <A>(source: AsyncIterable<A>, each: (value: A) => unknown = () => {}) =>
  rejected(
    (async () => {
      for await (const value of source) await each(value)
    })()
  )

export const days = {
  assets: ["btc", "eth"],
  metrics: ["PriceUSD"],
  start_time: "2024-01-01",
  end_time: "2024-02-29"
} as const

/** A json_stream that begins and never ends. */
export const endless = serve((_, response) => {
  response.writeHead(200, { "content-type": "application/json" })
  response.write('{"asset":"btc","full_name":"Bitcoin"}\n')
})

export const lines = { format: "json_stream" } as const

/** A new folder, which is removed when the test ends. */
export const folder = async () => {
  const made = await fs.mkdtemp(path.join(os.tmpdir(), "sluice-promise-"))
  onTestFinished(() => fs.rm(made, { recursive: true }))
  return made
}
