import { assert, describe, it } from "@effect/vitest"
import { Client, ReferenceData } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Otlp } from "effect/observability"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import { NodeHttpClient } from "@effect/platform-node"
import { fast } from "./Harness.ts"
import { serve } from "./Server.ts"

/** A key with characters that a URL writes differently. */
const secret = "zebra/gnu7+91c=d"

const base64 = Buffer.from(secret).toString("base64")

const forms = ["zebra", "gnu7", encodeURIComponent(secret), base64.slice(0, 12), Buffer.from(secret).toString("hex")]

/** Receives whatever a program exports, by the path it is sent to. */
const collector = Effect.gen(function* () {
  const received: Array<{ readonly path: string; readonly text: string }> = []
  const server = yield* serve((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const path = new URL(request.url ?? "", "http://here").pathname
      received.push({ path, text: JSON.stringify(request.headers) + Buffer.concat(chunks).toString() })
      response.end("{}")
    })
  })
  return { url: new URL(server.url).origin, received }
})

const calls = Effect.gen(function* () {
  yield* Effect.exit(Stream.runDrain(ReferenceData.assets({ page_size: 100 })))
  yield* Effect.exit(Stream.runDrain(ReferenceData.assets({ format: "json_stream" })))
  yield* Effect.log("the client and its quota", yield* Client.Client, yield* Client.quota)
})

describe("what a program exports", () => {
  it.live("its spans, metrics and logs over OTLP do not contain the key, with and without failures", () =>
    Effect.gen(function* () {
      const { received, url } = yield* collector
      const sandbox = yield* Sandbox.Sandbox
      const exporter = Otlp.layerJson({ baseUrl: url, resource: { serviceName: "test" } }).pipe(
        Layer.provide(NodeHttpClient.layerUndici)
      )
      const roots = [
        sandbox.url,
        ...["status=401", "status=503;body=html", "reset", "error-line=5", "wrong-type=asset"].map(sandbox.faultUrl)
      ]
      for (const root of roots) {
        const client = NodeClient.layer({ root, apiKey: Redacted.make(secret), retry: fast })
        yield* calls.pipe(Effect.withSpan("calls"), Effect.provide(client), Effect.provide(exporter))
      }
      const paths = new Set(received.map(({ path }) => path))
      assert.deepStrictEqual([...paths].toSorted(), ["/v1/logs", "/v1/metrics", "/v1/traces"])
      assert.isTrue(received.some(({ text }) => text.includes("GET /reference-data/assets")))
      assert.isTrue(received.some(({ text }) => text.includes("sluice.retries")))
      assert.isTrue(received.some(({ text }) => text.includes("Sluice met a fault")))
      for (const { path, text } of received) {
        for (const form of forms) assert.notInclude(text, form, path)
      }
    }).pipe(
      Effect.provide(Sandbox.layer({ keys: { [secret]: { plan: "download" } } })),
      Effect.provideService(References.MinimumLogLevel, "All")
    )
  )
})
