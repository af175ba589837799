import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { serve } from "../../node/test/Server.ts"

const program = fileURLToPath(new URL("unclosed.ts", import.meta.url))

it.live("a program that is done ends, though it has not closed its client", () =>
  Effect.gen(function* () {
    const server = yield* serve((request, response) => {
      response.writeHead(200, { "content-type": "application/json" })
      const asset = { asset: "btc", full_name: "Bitcoin" }
      // The lines never end: what reads them has to close the connection.
      if (request.url?.includes("format=json_stream")) response.write(`${JSON.stringify(asset)}\n`)
      else response.end(JSON.stringify({ data: [asset] }))
    })
    // Without an end of its own, it would be killed with the test's time.
    const { stdout } = yield* Effect.promise((signal) =>
      promisify(execFile)(process.execPath, [program, server.url], { signal })
    )
    assert.strictEqual(stdout, "btc")
  }).pipe(Effect.scoped)
)
