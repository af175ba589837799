import { assert, describe, it } from "@effect/vitest"
import { Live, LiveClient, Retry } from "@sluice/core"
import { NodeLive } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as FreePort from "./FreePort.ts"
import { serve } from "./Server.ts"

const markets = "coinbase-btc-usd-spot"

const layer = Sandbox.layer()

const withLive = <A, E>(program: Effect.Effect<A, E, LiveClient.LiveClient>, key: string) =>
  Effect.flatMap(Sandbox.Sandbox, ({ url }) =>
    Effect.provide(program, NodeLive.layer({ root: url, apiKey: Redacted.make(key), retry: Retry.none }))
  )

describe("A live stream over a real socket", () => {
  it.live("delivers records, and leaves no connection behind", () =>
    Effect.gen(function* () {
      const read = yield* withLive(
        Effect.gen(function* () {
          const messages = yield* Live.marketTrades({ markets }).pipe(Stream.take(2), Stream.runCollect)
          const client = yield* LiveClient.LiveClient
          assert.strictEqual(yield* client.connections, 0)
          return messages.map((message) => (message._tag === "Data" ? message.record.market : message._tag))
        }),
        "demo-key"
      )
      assert.deepStrictEqual(read, ["Connected", markets])
    }).pipe(Effect.provide(layer))
  )

  it.live("says why a handshake was refused, without the key", () =>
    Effect.gen(function* () {
      const key = "a-key-that-nobody-knows"
      const error = yield* withLive(Effect.flip(Stream.runDrain(Live.marketTrades({ markets }))), key)
      assert(error._tag === "Unauthorized", error.message)
      assert.strictEqual(error.type, "wrong_credentials")
      assert.notInclude(JSON.stringify(error) + String(error.stack), key)
    }).pipe(Effect.provide(layer))
  )

  it.live("says that nobody listens", () =>
    Effect.gen(function* () {
      const root = `http://127.0.0.1:${yield* FreePort.find}/v4`
      const nobody = yield* Stream.runDrain(Live.marketTrades({ markets })).pipe(
        Effect.flip,
        Effect.provide(NodeLive.layer({ root, apiKey: Redacted.make("k"), retry: Retry.none }))
      )
      assert.deepInclude(nobody, { _tag: "Unavailable", phase: "connect", reason: "the host refused the connection" })
    })
  )

  it.live("says why a handshake was refused also where the body of the refusal never ends", () =>
    Effect.gen(function* () {
      const service = yield* serve((_, response) => {
        response.writeHead(403, { "content-type": "application/json" })
        response.write('{"error":{"type":"forbidden","message":"not yours"}}')
      })
      const program = Effect.flip(Stream.runDrain(Live.marketTrades({ markets })))
      const error = yield* Effect.provide(
        program,
        NodeLive.layer({ root: service.url, apiKey: Redacted.make("k"), retry: Retry.none })
      )
      assert.deepInclude(error, { _tag: "Forbidden", type: "forbidden" })
    })
  )
})
