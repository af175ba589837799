import { assert, describe, it } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Zlib from "node:zlib"
import { overSocket, under } from "./Exchange.ts"
import { pages } from "./Harness.ts"

const page = "/timeseries/asset-metrics?assets=btc&metrics=PriceUSD&paging_from=start&page_size=2000"
const stream = `${page}&format=json_stream`

const gzip = { "accept-encoding": "gzip" }

// The members that the service documents.
const own = (rows: ReadonlyArray<object>) =>
  rows.map((row) => Object.entries(row).filter(([name]) => ["asset", "time", "PriceUSD"].includes(name)))

// What a reader has been given when it meets the damage.
const before = (body: Buffer) =>
  Effect.callback<{ readonly text: string; readonly code: string | undefined }>((resume) => {
    const parts: Array<Buffer> = []
    const unzip = Zlib.createGunzip()
    const done = (code?: string) => resume(Effect.succeed({ text: Buffer.concat(parts).toString(), code }))
    unzip.on("data", (part: Buffer) => parts.push(part))
    unzip.on("error", (error: NodeJS.ErrnoException) => done(error.code))
    unzip.on("end", () => done())
    unzip.end(body)
  })

describe("Faults of the coding", () => {
  for (const path of [page, stream]) {
    const what = path === page ? "a page" : "a stream"

    it.live(`gzip-corrupt: in the header, in the data, in the checksum of ${what}`, () =>
      Effect.gen(function* () {
        const plain = yield* under(overSocket, "", path)
        const zipped = yield* under(overSocket, "", path, gzip)
        const read = (fault: string) => under(overSocket, fault, path)
        const header = yield* read("gzip-corrupt=0")
        assert.deepStrictEqual(yield* before(header.body), { text: "", code: "Z_DATA_ERROR" })
        const data = yield* read("gzip-corrupt")
        assert.deepStrictEqual(yield* before(data.body), { text: "", code: "Z_DATA_ERROR" })
        const late = yield* before((yield* read("gzip-corrupt=20000")).body)
        assert.strictEqual(late.code, "Z_DATA_ERROR")
        assert.isAbove(late.text.length, 10_000)
        assert.isTrue(plain.text.startsWith(late.text.slice(0, 10_000)))
        const checksum = yield* read("gzip-corrupt=checksum")
        assert.strictEqual((yield* before(checksum.body)).code, "Z_DATA_ERROR")
        assert.isTrue(Zlib.inflateRawSync(checksum.body.subarray(10, -8)).equals(plain.body))
        for (const { body, end } of [header, data, checksum]) {
          assert.deepStrictEqual([body.length, end], [zipped.body.length, "complete"])
        }
        assert.isTrue(zipped.body.subarray(0, -8).equals(checksum.body.subarray(0, -8)))
      }).pipe(Effect.provide(Sandbox.layer()))
    )

    it.live(`gzip-cut: ${what} ends cleanly within its compressed bytes`, () =>
      Effect.gen(function* () {
        const zipped = yield* under(overSocket, "", path, gzip)
        for (const length of [0, 5, 15_000, zipped.body.length - 1]) {
          const seen = yield* under(overSocket, `gzip-cut=${length}`, path)
          assert.strictEqual(seen.end, "complete")
          assert.isTrue(seen.body.equals(zipped.body.subarray(0, length)))
          assert.strictEqual((yield* before(seen.body)).code, "Z_BUF_ERROR")
        }
        assert.isTrue((yield* under(overSocket, "gzip-cut=1000000", path)).body.equals(zipped.body))
      }).pipe(Effect.provide(Sandbox.layer()))
    )

    it.live(`content-encoding: ${what} says that it is packed, and is not`, () =>
      Effect.gen(function* () {
        const plain = yield* under(overSocket, "", path)
        for (const coding of ["gzip", "br"]) {
          const seen = yield* under(overSocket, `content-encoding=${coding}`, path, gzip)
          assert.strictEqual(seen.headers["content-encoding"], coding)
          assert.isTrue(seen.body.equals(plain.body))
        }
      }).pipe(Effect.provide(Sandbox.layer()))
    )
  }

  it.live("an error can be damaged too", () =>
    Effect.gen(function* () {
      const seen = yield* under(overSocket, "status=500,gzip-corrupt", page)
      assert.deepStrictEqual([seen.status, seen.headers["content-encoding"]], [500, "gzip"])
      assert.throws(() => Zlib.gunzipSync(seen.body))
      const plain = yield* under(overSocket, "status=500,content-encoding=gzip", page)
      assert.match(plain.text, /^\{"error"/)
    }).pipe(Effect.provide(Sandbox.layer()))
  )

  it.live("bom: before the first line of a stream, the first byte of an error", () =>
    Effect.gen(function* () {
      const plain = yield* under(overSocket, "", stream)
      assert.isTrue((yield* under(overSocket, "bom", stream)).text === `\uFEFF${plain.text}`)
      assert.isTrue((yield* under(overSocket, "bom-line=1", stream)).text === `\uFEFF${plain.text}`)
      assert.match((yield* under(overSocket, "bom,status=500", stream)).text, /^\uFEFF\{"error"/)
    }).pipe(Effect.provide(Sandbox.layer()))
  )

  it.live("content-type: none is none", () =>
    Effect.gen(function* () {
      for (const path of [page, stream, page.replace("2000", "5")]) {
        const seen = yield* under(overSocket, "content-type=none", path)
        assert.deepStrictEqual([seen.status, "content-type" in seen.headers], [200, false])
        const html = yield* under(overSocket, "content-type=text/html", path)
        assert.strictEqual(html.headers["content-type"], "text/html")
      }
    }).pipe(Effect.provide(Sandbox.layer()))
  )

  it.live("large-page: as large as it is asked to be, whatever the number of its records", () =>
    Effect.gen(function* () {
      const plain = yield* under(overSocket, "", page)
      const seen = yield* under(overSocket, "large-page=3000000", page)
      assert.isAtLeast(seen.body.length, 3_000_000)
      assert.isBelow(seen.body.length, 3_000_000 + 2 * plain.body.length)
    }).pipe(Effect.provide(Sandbox.layer()))
  )

  it.effect("records stay whole under the faults that only add to them", () =>
    Effect.gen(function* () {
      const { faultUrl } = yield* Sandbox.Sandbox
      const short = `${page.replace("2000", "5")}&end_time=2010-07-31`
      const plain = own((yield* pages(short)).flat())
      const spec = "deep=100,proto-keys,duplicate-keys,long-line=500,extra-fields,split-utf8,missing=nothing"
      assert.deepStrictEqual(own((yield* pages(short, faultUrl(spec))).flat()), plain)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )
})
