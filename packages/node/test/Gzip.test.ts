import { assert, describe, it } from "@effect/vitest"
import { ReferenceData } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as UrlParams from "effect/http/UrlParams"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type * as Http from "node:http"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import { decompress } from "../src/internal/http/Gunzip.ts"
import { outcome, settings, summary } from "./Harness.ts"
import { type Server, serve } from "./Server.ts"

const records = Array.from({ length: 500 }, (_, n) => ({ asset: `asset${n}`, full_name: `Ξ→₿ ${n}` }))
const page = Buffer.from(JSON.stringify({ data: records }))
const lines = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(""))

const client = (server: Server, options: NodeClient.Options = {}) =>
  NodeClient.layer({ root: server.url, ...settings, ...options })

const read = (server: Server, options?: NodeClient.Options) =>
  outcome(ReferenceData.assets()).pipe(Effect.provide(client(server, options)))

const readLines = (server: Server, options?: NodeClient.Options) =>
  outcome(ReferenceData.assets({ format: "json_stream" })).pipe(Effect.provide(client(server, options)))

const send = (response: Http.ServerResponse, body: Uint8Array, encoding: string | undefined) => {
  response.writeHead(200, {
    "content-type": "application/json",
    ...(encoding === undefined ? {} : { "content-encoding": encoding })
  })
  response.end(body)
}

/** Answers the first request with one body and all that follow with another, both as gzip. */
const firstThen = (first: Uint8Array, then: Uint8Array): Http.RequestListener => {
  let count = 0
  return (_, response) => send(response, count++ === 0 ? first : then, "gzip")
}

const readers = { pages: read, lines: readLines }

describe("gzip", () => {
  it.live("is requested every time unless it is switched off", () =>
    Effect.gen(function* () {
      const server = yield* serve(({ url }, response) =>
        send(response, url?.includes("json_stream") === true ? lines : page, undefined)
      )
      yield* read(server)
      yield* readLines(server)
      yield* read(server, { gzip: false })
      assert.deepStrictEqual(
        server.requests.map(({ headers }) => headers["accept-encoding"]),
        ["gzip", "gzip", undefined]
      )
    })
  )

  for (const encoding of ["gzip", "GZIP", "x-gzip", undefined]) {
    it.live(`a body sent as ${encoding ?? "it is"} gives its records`, () =>
      Effect.gen(function* () {
        const server = yield* serve(({ url }, response) => {
          const body = url?.includes("json_stream") === true ? lines : page
          send(response, encoding === undefined ? body : gzipSync(body), encoding)
        })
        assert.deepStrictEqual(yield* read(server), { records, error: undefined })
        assert.deepStrictEqual(yield* readLines(server), { records, error: undefined })
      })
    )
  }

  it.live("a compressed error page is read too", () =>
    Effect.gen(function* () {
      const body = { error: { type: "bad_parameter", message: "Bad parameter 'assets'. Value 'x' is not supported." } }
      const server = yield* serve((_, response) => {
        response.writeHead(400, { "content-type": "application/json", "content-encoding": "gzip" })
        response.end(gzipSync(JSON.stringify(body)))
      })
      const { error } = yield* read(server)
      assert.deepInclude(error, { _tag: "InvalidRequest", parameter: "assets", value: "x" })
    })
  )

  const unasked = {
    br: { encoding: "br", pack: brotliCompressSync },
    deflate: { encoding: "Deflate", pack: deflateSync },
    "br, gzip": { encoding: "br, gzip", pack: (body: Uint8Array) => gzipSync(brotliCompressSync(body)) }
  }
  for (const [shown, { encoding, pack }] of Object.entries(unasked)) {
    it.live(`a body in the encoding ${shown}, which was not asked for, fails by that name`, () =>
      Effect.gen(function* () {
        const server = yield* serve(({ url }, response) =>
          send(response, pack(url?.includes("json_stream") === true ? lines : page), encoding)
        )
        for (const { error, records } of [yield* read(server), yield* readLines(server)]) {
          assert.deepInclude(error, {
            _tag: "Unavailable",
            phase: "body",
            reason: `the body has the content-encoding ${shown.toLowerCase()}, which was not asked for`
          })
          assert.deepStrictEqual(records, [])
        }
      })
    )
  }

  it.live("gzip is named where it was switched off and arrives all the same", () =>
    Effect.gen(function* () {
      const server = yield* serve((_, response) => send(response, gzipSync(page), "gzip"))
      const { error } = yield* read(server, { gzip: false })
      assert.include(error?.message, "content-encoding gzip, which was not asked for")
    })
  )

  it.live("an error reply in an encoding that was not requested is recognised by its status", () =>
    Effect.gen(function* () {
      const server = yield* serve((_, response) => {
        response.writeHead(403, { "content-encoding": "br" }).end(brotliCompressSync('{"error":{"type":"forbidden"}}'))
      })
      const { error } = yield* read(server)
      assert.deepInclude(error, { _tag: "Forbidden", reason: "the service answered with status 403" })
    })
  )

  describe("of the HttpClient itself", () => {
    const form = "a=%CE%9E&b=1+2"
    const boundary = "--x"
    const bodies = {
      json: [JSON.stringify({ Ξ: 1 }), "application/json"],
      form: [form, "application/x-www-form-urlencoded"],
      parts: [
        `--${boundary}\r\ncontent-disposition: form-data; name="a"\r\n\r\nΞ\r\n--${boundary}--\r\n`,
        `multipart/form-data; boundary=${boundary}`
      ]
    } as const

    const get = (body: keyof typeof bodies, encoding: string | undefined) =>
      Effect.gen(function* () {
        const [text, type] = bodies[body]
        const server = yield* serve((_, response) => {
          response.writeHead(200, {
            "content-type": type,
            ...(encoding === undefined ? {} : { "content-encoding": encoding })
          })
          response.end(encoding === "gzip" ? gzipSync(text) : text)
        })
        return yield* HttpClient.get(server.url).pipe(Effect.provide(NodeClient.layerHttp()))
      })

    for (const encoding of ["gzip", undefined]) {
      const sent = encoding === undefined ? "as it is" : `as ${encoding}`
      it.live(`gives every form of a body that is sent ${sent}, more than once`, () =>
        Effect.gen(function* () {
          const reply = yield* get("json", encoding)
          for (let time = 0; time < 2; time++) {
            assert.strictEqual(new TextDecoder().decode(yield* reply.arrayBuffer), bodies.json[0])
            assert.strictEqual(yield* reply.text, bodies.json[0])
            assert.deepStrictEqual(yield* reply.json, { Ξ: 1 })
          }
          const streamed = yield* get("json", encoding)
          assert.strictEqual(yield* Stream.mkString(Stream.decodeText(streamed.stream)), bodies.json[0])
          const params = yield* Effect.flatMap(get("form", encoding), (form) => form.urlParamsBody)
          assert.strictEqual(UrlParams.toString(params), form)
          for (const body of ["form", "parts"] as const) {
            const data = yield* Effect.flatMap(get(body, encoding), (form) => form.formData)
            assert.strictEqual(data.get("a"), "Ξ")
          }
        })
      )
    }

    it.live("fails in every form of a body whose encoding was not asked for", () =>
      Effect.gen(function* () {
        const reply = yield* get("json", "br")
        const { arrayBuffer, formData, json, text, urlParamsBody } = reply
        const reads: ReadonlyArray<Effect.Effect<unknown, HttpClientError.HttpClientError>> = [
          arrayBuffer,
          formData,
          json,
          text,
          urlParamsBody
        ]
        for (const read of reads) {
          const error = yield* Effect.flip(read)
          assert.strictEqual(error.reason._tag, "DecodeError")
          assert.deepInclude(error.reason.cause, { _tag: "UnaskedEncoding", encoding: "br" })
        }
      })
    )
  })

  const bomb = { pages: `{"data":[${"{},".repeat(2_000_000)}{}]}`, lines: "\n".repeat(6_000_000) }
  for (const format of ["pages", "lines"] as const) {
    it.live(
      `a few kilobytes of ${format} that unpack to megabytes are given up after the first, and not asked for again`,
      () =>
        Effect.gen(function* () {
          const packed = gzipSync(bomb[format])
          assert.isBelow(packed.length, 10_000)
          const server = yield* serve((_, response) => send(response, packed, "gzip"))
          const { error } = yield* readers[format](server)
          const reason = "the compressed body grows to more than 300 times its length, which no records do"
          assert.deepInclude(error, { _tag: "Unavailable", phase: "body", transient: false, reason } as const)
          assert.strictEqual(server.requests.length, 1)
        })
    )
  }

  /** A head, and blocks without content: each has its length, 0, and the same inverted. */
  const endless = {
    members: [Buffer.alloc(0), Buffer.concat(Array.from({ length: 1_000 }, () => gzipSync("")))],
    blocks: [
      gzipSync("").subarray(0, 10),
      Buffer.concat(Array.from({ length: 4_000 }, () => Buffer.from("000000ffff", "hex")))
    ]
  } as const
  for (const [what, [head, more]] of Object.entries(endless)) {
    for (const format of ["pages", "lines"] as const) {
      it.live(`a gzip body of ${format} that goes on with empty ${what} is given up after a megabyte`, () =>
        Effect.gen(function* () {
          const server = yield* serve((_, response) => {
            response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
            response.write(head)
            const goOn = () => {
              while (!response.destroyed && response.write(more));
            }
            response.on("drain", goOn)
            goOn()
          })
          const { error } = yield* readers[format](server)
          const reason = "the compressed body is damaged"
          assert.deepInclude(error, { _tag: "Unavailable", phase: "body", reason } as const)
        })
      )
    }
  }

  it.live("records that are all alike, as wide as any and as well compressed as may be, are read", () =>
    Effect.gen(function* () {
      const columns = Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`sandbox_column_${n}`, null]))
      const alike = Array.from({ length: 1_000 }, (_, n) => ({ asset: `asset${n}`, ...columns }))
      const body = Buffer.from(JSON.stringify({ data: alike }))
      const packed = gzipSync(body, { level: 9 })
      assert.isAbove(body.length, 100 * packed.length)
      const server = yield* serve((_, response) => send(response, packed, "gzip"))
      assert.deepStrictEqual(yield* read(server), { records: alike, error: undefined })
    })
  )

  const whole = { pages: page, lines }
  for (const format of ["pages", "lines"] as const) {
    const packed = gzipSync(whole[format])
    const cuts = {
      "inside its header": packed.subarray(0, 5),
      "in the middle": packed.subarray(0, packed.length >> 1),
      "before its checksum": packed.subarray(0, -8),
      "inside its checksum": packed.subarray(0, -3)
    }
    for (const [where, cut] of Object.entries(cuts)) {
      it.live(`a gzip body of ${format} that ends ${where} is asked for again`, () =>
        Effect.gen(function* () {
          const server = yield* serve(firstThen(cut, packed))
          assert.deepStrictEqual(yield* readers[format](server), { records, error: undefined })
          assert.strictEqual(server.requests.length, 2)
        })
      )
    }

    it.live(`a gzip body of ${format} whose checksum is wrong is asked for again`, () =>
      Effect.gen(function* () {
        const damaged = Buffer.from(packed)
        damaged.writeUInt32LE(0, damaged.length - 8)
        const server = yield* serve(firstThen(damaged, packed))
        assert.deepStrictEqual(yield* readers[format](server), { records, error: undefined })
        assert.strictEqual(server.requests.length, 2)
      })
    )

    it.live(`${format} that call themselves gzip and are not are Unavailable`, () =>
      Effect.gen(function* () {
        const server = yield* serve(firstThen(whole[format], whole[format]))
        const { error, records } = yield* readers[format](server)
        assert.deepStrictEqual(records, [])
        assert.deepStrictEqual(summary(error), { _tag: "Unavailable", phase: "body", attempts: 3 })
      })
    )

    it.live(`a gzip body of ${format} in several members gives all records`, () =>
      Effect.gen(function* () {
        const at = whole[format].length >> 1
        const parts = [whole[format].subarray(0, at), whole[format].subarray(at)].map((part) => gzipSync(part))
        const server = yield* serve((_, response) => send(response, Buffer.concat(parts), "gzip"))
        assert.deepStrictEqual(yield* readers[format](server), { records, error: undefined })
      })
    )
  }
})

const text = Buffer.from("a\n".repeat(1_000))
const member = gzipSync(text)
const zeros = (count: number) => Buffer.alloc(count)

/** The length of what these bytes decompress to, given in chunks of this size, or why they do not. */
const unpack = (bytes: Uint8Array, size: number) => {
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    bytes.subarray(n * size, n * size + size)
  )
  return decompress(Stream.fromIterable(chunks), (issue) => issue).pipe(
    Stream.runFold(
      () => 0,
      (sum, chunk) => sum + chunk.length
    ),
    Effect.result,
    Effect.map((result) => (Result.isSuccess(result) ? result.success : result.failure))
  )
}

describe("behind a member", () => {
  const sizes = [1, 7, member.length, member.length + 1, 65_536, 3_000_000]

  const accepted: Readonly<Record<string, readonly [bytes: Uint8Array, length: number]>> = {
    nothing: [member, 2_000],
    "another member": [Buffer.concat([member, member]), 4_000],
    "one zero": [Buffer.concat([member, zeros(1)]), 2_000],
    "a block of zeros": [Buffer.concat([member, member, zeros(70_000)]), 4_000],
    "a member that ends with zeros": [Buffer.concat([member, gzipSync("")]), 2_000]
  }
  for (const [shown, [bytes, length]] of Object.entries(accepted)) {
    it.live(`${shown} is no error`, () =>
      Effect.gen(function* () {
        for (const size of sizes) assert.strictEqual(yield* unpack(bytes, size), length, `${size}`)
      })
    )
  }

  const refused: Readonly<Record<string, Uint8Array>> = {
    "a zero and a member": Buffer.concat([member, zeros(1), member]),
    "a zero and other bytes": Buffer.concat([member, zeros(1), Buffer.from("junk")]),
    "a block of zeros and a member": Buffer.concat([member, zeros(70_000), member]),
    "many zeros and a byte": Buffer.concat([member, zeros(2_200_000), Buffer.from("x")]),
    "other bytes": Buffer.concat([member, Buffer.from("junk")]),
    "the start of a member": Buffer.concat([member, member.subarray(0, 12)])
  }
  for (const [shown, bytes] of Object.entries(refused)) {
    it.live(`${shown} is damage`, () =>
      Effect.gen(function* () {
        for (const size of bytes.length > 1_000_000 ? sizes.slice(-2) : sizes) {
          assert.strictEqual(yield* unpack(bytes, size), "damaged", `${size}`)
        }
      })
    )
  }

  it.live("fails a reply too, which has no member behind a zero", () =>
    Effect.gen(function* () {
      const bytes = Buffer.concat([gzipSync(lines), zeros(1), gzipSync(lines)])
      const server = yield* serve((_, response) => send(response, bytes, "gzip"))
      const { error } = yield* readLines(server)
      assert.deepInclude(error, { _tag: "Unavailable", phase: "body", reason: "the compressed body is damaged" })
    })
  )
})
