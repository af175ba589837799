import { assert, describe, it } from "@effect/vitest"
import { Fault, Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import * as Zlib from "node:zlib"
import { type End, type Exchange, inMemory, overSocket, under } from "./Exchange.ts"
import { get } from "./Harness.ts"

const page = "/timeseries/asset-metrics?assets=btc&metrics=PriceUSD&paging_from=start&page_size=5&end_time=2010-07-31"
const stream = `${page}&format=json_stream`

const endings: ReadonlyArray<readonly [kind: string, end: End]> = [
  ["reset-after", "reset"],
  ["close-after", "closed"],
  ["stall-after", "open"],
  ["truncate-after", "complete"]
]

const records = ({ text }: Exchange) => text.split("\n").slice(0, -1)

const unzipped = ({ body }: Exchange) =>
  Zlib.gunzipSync(body, { finishFlush: Zlib.constants.Z_SYNC_FLUSH }).toString("utf8")

describe("A long address", () => {
  it.live("is refused with 414 by the service, and not with 431 by the server, however long it is", () =>
    Effect.gen(function* () {
      for (const bytes of [9_000, 20_000, 200_000, 2_000_000]) {
        const seen = yield* under(overSocket, "", `${page}&more=${"x".repeat(bytes)}`)
        assert.strictEqual(seen.status, bytes < 10_000 ? 200 : 414)
        if (seen.status === 414) assert.strictEqual(seen.text, "")
      }
    }).pipe(Effect.provide(Sandbox.layer({ dialect: { unknownParameters: "ignore" } })))
  )
})

describe("The end of a body", () => {
  for (const [kind, end] of endings) {
    it.live(`${kind} occurs between two records and within one, of pages and of streams`, () =>
      Effect.gen(function* () {
        const plain = yield* under(overSocket, "", page)
        const data = plain.text.slice(0, plain.text.indexOf("]")).split("},{").join("}\n{").slice('{"data":['.length)
        const rows = data.split("\n")
        const between = yield* under(overSocket, `${kind}=record:3`, page)
        assert.strictEqual(between.text, `{"data":[${rows.slice(0, 3).join(",")}`)
        const inside = yield* under(overSocket, `${kind}=within:3`, page)
        assert.isTrue(plain.text.startsWith(inside.text))
        assert.isTrue(inside.text.startsWith(`{"data":[${rows.slice(0, 2).join(",")},{`))
        assert.isFalse(inside.text.includes(rows[2] ?? "nothing"))
        const lines = yield* under(overSocket, "", stream)
        const whole = yield* under(overSocket, `${kind}=record:3`, stream)
        assert.deepStrictEqual(records(whole), records(lines).slice(0, 3))
        assert.isTrue(whole.text.endsWith("}\n"))
        const broken = yield* under(overSocket, `${kind}=within:3`, stream)
        assert.deepStrictEqual(records(broken), records(lines).slice(0, 2))
        assert.isFalse(broken.text.endsWith("\n"))
        // Every record has been sent, and yet the reply is not over.
        const all = yield* under(overSocket, `${kind}=record:${records(lines).length}`, stream)
        assert.strictEqual(all.text, lines.text)
        // Nothing of the body, but the head.
        const head = yield* under(overSocket, `${kind}=0`, page)
        assert.strictEqual(head.status, 200)
        assert.strictEqual(head.text, "")
        for (const seen of [between, inside, whole, broken, all, head]) assert.strictEqual(seen.end, end)
        // A place that is never reached changes nothing.
        for (const far of ["100000", "record:100", "within:100"]) {
          const seen = yield* under(overSocket, `${kind}=${far}`, page)
          assert.deepStrictEqual([seen.text, seen.end], [plain.text, "complete"])
        }
      }).pipe(Effect.provide(Sandbox.layer()))
    )

    it.live(`${kind} affects a compressed body and an error alike`, () =>
      Effect.gen(function* () {
        const plain = yield* under(overSocket, "", stream)
        const zipped = yield* under(overSocket, `${kind}=100`, stream, { "accept-encoding": "gzip" })
        assert.strictEqual(zipped.headers["content-encoding"], "gzip")
        assert.strictEqual(unzipped(zipped), plain.text.slice(0, 100))
        const error = yield* under(overSocket, "status=502;body=html", page)
        const cut = yield* under(overSocket, `status=502;body=html,${kind}=20`, page)
        assert.strictEqual(cut.status, 502)
        assert.strictEqual(cut.text, error.text.slice(0, 20))
        const refused = yield* under(overSocket, `${kind}=20`, `${page}&sort=colour`)
        assert.deepStrictEqual([refused.status, refused.text], [400, '{"error":{"type":"ba'])
        for (const seen of [zipped, cut, refused]) assert.strictEqual(seen.end, end)
      }).pipe(Effect.provide(Sandbox.layer()))
    )
  }

  it.live("close-after: before the last chunk, before the announced length, or where nothing tells", () =>
    Effect.gen(function* () {
      for (const path of [page, stream]) {
        const plain = yield* under(overSocket, "", path)
        const chunked = yield* under(overSocket, "close-after=record:2", path)
        assert.strictEqual(chunked.headers["transfer-encoding"], "chunked")
        assert.strictEqual(chunked.end, "closed")
        const announced = yield* under(overSocket, "close-after=record:2;framing=length", path)
        assert.strictEqual(announced.headers["content-length"], String(plain.body.length))
        assert.isUndefined(announced.headers["transfer-encoding"])
        assert.strictEqual(announced.end, "closed")
        const unframed = yield* under(overSocket, "close-after=record:2;framing=none", path)
        assert.isUndefined(unframed.headers["content-length"])
        assert.isUndefined(unframed.headers["transfer-encoding"])
        assert.strictEqual(unframed.headers["connection"], "close")
        assert.strictEqual(unframed.end, "complete")
        for (const seen of [announced, unframed]) assert.strictEqual(seen.text, chunked.text)
        const whole = yield* under(overSocket, "close-after=100000;framing=length", path)
        assert.deepStrictEqual([whole.text, whole.end], [plain.text, "complete"])
        // The announced length is that of the plain text, so it is not compressed.
        const spec = "close-after=record:2;framing=length"
        const zipped = yield* under(overSocket, spec, path, { "accept-encoding": "gzip" })
        assert.isUndefined(zipped.headers["content-encoding"])
      }
    }).pipe(Effect.provide(Sandbox.layer()))
  )

  it.effect("close-after in memory: an error of the body, or with framing=none a clean end", () =>
    Effect.gen(function* () {
      const broken = yield* under(inMemory, "close-after=record:2;framing=length", stream)
      assert.deepStrictEqual([broken.end, records(broken).length], ["broken", 2])
      const clean = yield* under(inMemory, "close-after=record:2;framing=none", stream)
      assert.deepStrictEqual([clean.end, records(clean).length], ["complete", 2])
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.live("of several places the first one counts", () =>
    Effect.gen(function* () {
      const seen = yield* under(overSocket, "truncate-after=within:4,close-after=30,stall-after=40", stream)
      assert.deepStrictEqual([seen.body.length, seen.end], [30, "closed"])
    }).pipe(Effect.provide(Sandbox.layer()))
  )

  it.effect("drip: so many bytes, then a pause, then as many again", () =>
    Effect.gen(function* () {
      const plain = yield* under(inMemory, "", page)
      const fiber = yield* Effect.forkChild(get(page, { headers: { [Fault.header]: "drip=100;every=1000" } }))
      yield* TestClock.adjust(`${Math.ceil(plain.body.length / 100) * 1000 - 1001} millis`)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(fiber)).status, 200)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.live("drip: each piece is a chunk of its own, of compressed bodies too", () =>
    Effect.gen(function* () {
      const plain = yield* under(overSocket, "", page)
      const seen = yield* under(overSocket, "drip=50;every=1", page)
      assert.strictEqual(seen.text.replaceAll(/v4\/[^"]*/g, ""), plain.text.replaceAll(/v4\/[^"]*/g, ""))
      assert.strictEqual(seen.headers["transfer-encoding"], "chunked")
      const zipped = yield* under(overSocket, "drip=50;every=1", page, { "accept-encoding": "gzip" })
      assert.strictEqual(unzipped(zipped), seen.text)
    }).pipe(Effect.provide(Sandbox.layer()))
  )

  it.live("endless: an error, a page or a stream goes on for as long as it is read", () =>
    Effect.gen(function* () {
      const error = yield* under(overSocket, "status=500;body=html,endless", page)
      assert.deepStrictEqual([error.status, error.end], [500, "more"])
      assert.match(error.text, /^<html>[^]*<\/html>\r\n +$/)
      const lines = yield* under(overSocket, "endless=lines", stream)
      assert.match(lines.text.slice(-100), /^\n{100}$/)
      const bounded = yield* under(overSocket, "endless,truncate-after=1000000", page)
      assert.deepStrictEqual([bounded.body.length, bounded.end], [1_000_000, "complete"])
      const { stats } = yield* Sandbox.Sandbox
      yield* Effect.repeat(stats, { until: ({ running }) => running === 0 })
    }).pipe(Effect.provide(Sandbox.layer()))
  )
})
