import { assert, describe, it } from "@effect/vitest"
import { Client, ReferenceData } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { ServerResponse } from "node:http"
import { constants, createGzip, gzipSync } from "node:zlib"
import * as TransientBody from "../src/internal/http/TransientBody.ts"
import { settings } from "./Harness.ts"
import { serve } from "./Server.ts"

const kilobyte = 1_024

/** Memory of a socket's chunk. */
const memory = (size = 64 * kilobyte) => new Uint8Array(size).fill(7)

/** Pulls each array of chunks by itself, and tells which of the memories are freed at each pull and at the end. */
const freedWhile = (pulls: ReadonlyArray<readonly [Uint8Array, ...Array<Uint8Array>]>) =>
  Effect.gen(function* () {
    const all = [...new Set(pulls.flat().map(({ buffer }) => buffer as ArrayBuffer))]
    const freed = () => all.flatMap(({ detached }, index) => (detached ? [index] : []))
    const seen: Array<ReadonlyArray<number>> = []
    const body = Stream.fromIterable(pulls).pipe(Stream.rechunk(1), Stream.flatMap(Stream.fromArray))
    yield* Stream.runForEachArray(TransientBody.make(body), (chunks) =>
      Effect.sync(() => {
        assert.isTrue(chunks.every((chunk) => chunk[0] === 7))
        seen.push(freed())
      })
    )
    return [...seen, freed()]
  })

describe("a body for a reader that keeps no chunk", () => {
  it.effect("frees memory once a chunk of other memory was read, but not that of the first chunk", () =>
    Effect.gen(function* () {
      const freed = yield* freedWhile([[memory()], [memory()], [memory(), memory()], [memory()]])
      assert.deepStrictEqual(freed, [[], [], [], [1, 2], [1, 2, 3]])
    })
  )

  it.effect("keeps memory of which the next chunk is a part", () =>
    Effect.gen(function* () {
      const [first, shared, last] = [memory(), memory(), memory()]
      const parts = [shared.subarray(0, 10), shared.subarray(10, 20), shared.subarray(20)] as const
      const freed = yield* freedWhile([[first], [parts[0]], [parts[1], parts[2]], [last]])
      assert.deepStrictEqual(freed, [[], [], [], [], [1]])
    })
  )

  it.effect("keeps the memory that small buffers of the process share", () =>
    Effect.gen(function* () {
      const small = Buffer.allocUnsafe(kilobyte).fill(7)
      const freed = yield* freedWhile([[memory()], [small], [memory()], [memory()]])
      assert.deepStrictEqual(freed.at(-1), [2])
      assert.strictEqual(small[0], 7)
      assert.strictEqual(Buffer.from("sluice").toString(), "sluice")
    })
  )
})

/** The assets in a stream that a program puts in the place of a body. */
const readingFrom = (root: string, stream: Stream.Stream<Uint8Array>) => {
  const wrapped = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(
      HttpClient.HttpClient,
      HttpClient.transformResponse(Effect.map((reply) => Object.create(reply, { stream: { value: stream } })))
    )
  )
  const client = Client.layer({ root, ...settings })
  return Stream.runCollect(ReferenceData.assets()).pipe(
    Effect.provide(Layer.provide(client, Layer.provideMerge(wrapped, NodeClient.layerHttp())))
  )
}

const asset = (index: number, length = kilobyte) => ({ asset: `asset${index}`, full_name: "a".repeat(length) })

describe("an HttpClient of NodeClient", () => {
  const body = Buffer.from(JSON.stringify({ data: Array.from({ length: kilobyte }, (_, index) => asset(index)) }))

  it.live("whose replies a program wraps is read as the program changed them", () =>
    Effect.gen(function* () {
      const server = yield* serve((_, response) => {
        response.end(body)
      })
      const other = Stream.succeed(Buffer.from(JSON.stringify({ data: [asset(-1)] })))
      const records = yield* readingFrom(server.url, other)
      assert.deepStrictEqual<ReadonlyArray<unknown>>(records, [asset(-1)])
    })
  )

  it.live("gives core another stream of the body, which core reads in its place", () =>
    Effect.gen(function* () {
      const server = yield* serve((_, response) => {
        response.end(body)
      })
      const [symbol] = Object.getOwnPropertySymbols(TransientBody.attach(Stream.make(memory())))
      assert.isDefined(symbol)
      const other = Stream.succeed(Buffer.from(JSON.stringify({ data: [asset(-1)] })))
      const stream = Object.assign(Stream.die("core read the stream of programs"), { [symbol!]: other })
      const records = yield* readingFrom(server.url, stream)
      assert.deepStrictEqual<ReadonlyArray<unknown>>(records, [asset(-1)])
    })
  )

  for (const isGzip of [false, true]) {
    it.live(`gives programs chunks that stay valid, ${isGzip ? "decompressed" : "as they came"}`, () =>
      Effect.gen(function* () {
        const server = yield* serve((_, response) => {
          if (isGzip) response.setHeader("content-encoding", "gzip")
          response.end(isGzip ? gzipSync(body) : body)
        })
        const chunks = yield* HttpClient.get(server.url).pipe(
          Effect.flatMap(({ stream }) => Stream.runCollect(stream)),
          Effect.provide(NodeClient.layerHttp())
        )
        assert.isAbove(chunks.length, 4)
        assert.isTrue(Buffer.concat(chunks).equals(body))
      })
    )

    it.live(`is read by a client whose pages are whole, ${isGzip ? "decompressed" : "as they came"}`, () =>
      Effect.gen(function* () {
        const server = yield* serve((_, response) => {
          if (isGzip) response.setHeader("content-encoding", "gzip")
          response.end(isGzip ? gzipSync(body) : body)
        })
        const records = yield* Stream.runCollect(ReferenceData.assets()).pipe(
          Effect.provide(NodeClient.layer({ root: server.url, ...settings }))
        )
        assert.deepStrictEqual(
          records.map((record) => record.asset),
          Array.from({ length: kilobyte }, (_, index) => `asset${index}`)
        )
      })
    )
  }
})

/** Each piece is a chunk of HTTP, and so many of them go out together. */
const sendPieces = (response: ServerResponse, pieces: ReadonlyArray<Uint8Array>, together: number) => {
  const send = (from: number): void => {
    if (from >= pieces.length) return void response.end()
    response.cork()
    for (const piece of pieces.slice(from, from + together)) response.write(piece)
    response.uncork()
    setImmediate(() => send(from + together))
  }
  send(0)
}

describe("a reader that waits", () => {
  const lines = Array.from({ length: 8_000 }, (_, index) => `${JSON.stringify(asset(index, 80))}\n`)

  /** Compressed so that each piece can be read before the next one is there. */
  const flushed = Effect.callback<ReadonlyArray<Uint8Array>>((resume) => {
    const gzip = createGzip({ level: 1 })
    const pieces: Array<Uint8Array> = []
    gzip.on("data", (piece) => pieces.push(piece)).on("end", () => resume(Effect.succeed(pieces)))
    const write = (from: number): void => {
      if (from >= lines.length) return void gzip.end()
      const to = from + 1 + ((from * 7) % 60)
      gzip.write(lines.slice(from, to).join(""))
      gzip.flush(constants.Z_SYNC_FLUSH, () => write(to))
    }
    write(0)
  })

  const sizes = [1, 300, 17, 5_000, 90, 64, 2, 150_000, 33, 700, 12_000, 8]

  const odd = Effect.sync(() => {
    const body = Buffer.from(lines.join(""))
    const pieces: Array<Uint8Array> = []
    for (let from = 0; from < body.length;) {
      const to = from + sizes[pieces.length % sizes.length]!
      pieces.push(body.subarray(from, to))
      from = to
    }
    return pieces
  })

  const bodies = {
    "flushed gzip": { body: flushed, encoding: "gzip", together: 1 },
    "chunks of odd sizes": { body: odd, encoding: "identity", together: 5 }
  }
  for (const [name, { body, encoding, together }] of Object.entries(bodies)) {
    it.live(`gets every record of ${name}`, () =>
      Effect.gen(function* () {
        const pieces = yield* body
        const server = yield* serve((_, response) => {
          response.setHeader("content-encoding", encoding)
          sendPieces(response, pieces, together)
        })
        const wait = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
        const records: Array<string> = []
        yield* Stream.runForEachArray(ReferenceData.assets({ format: "json_stream" }), (some) =>
          Effect.suspend(() => {
            for (const record of some) records.push(`${JSON.stringify(record)}\n`)
            return Effect.repeat(wait, { times: records.length % 9 })
          })
        ).pipe(Effect.provide(NodeClient.layer({ root: server.url, ...settings })))
        assert.isTrue(records.join("") === lines.join(""))
      })
    )
  }
})
