import * as NodeWS from "@effect/platform-node/NodeWS"
import { assert, describe, it } from "@effect/vitest"
import { Fault, Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Socket from "effect/socket/Socket"
import { TestClock } from "effect/testing"
import * as Noise from "../src/internal/random/Noise.ts"
import { get, type Row, rows } from "./Harness.ts"
import { refusal } from "./LiveHandshake.ts"
import { address, open, record, type Seen } from "./LiveHarness.ts"

const quotes = "/timeseries-stream/market-quotes?markets=coinbase-btc-usd-spot&backfill=none"
const blocks = "/timeseries-stream/asset-metrics?assets=eth&metrics=PriceUSD&backfill=none"

const live = Sandbox.layerMemory({ live: { httpLag: 0 } })

const ids = (frames: Seen["frames"]) => frames.map((frame) => record(frame)["cm_sequence_id"])

/** What a stream sends in ten seconds under a fault, and without. */
const compared = Effect.fnUntraced(function* (fault: string, path = quotes, wait: `${number} seconds` = "10 seconds") {
  const plain = yield* open(path)
  const seen = yield* open(path, fault)
  yield* TestClock.adjust(wait)
  return { plain: plain.frames, seen: seen.frames, ended: seen.ended }
})

describe("A fault of the frames of a live stream", () => {
  for (const [fault, code] of [
    ["live-close=3", 1012],
    ["live-close=3;code=1001", 1001],
    ["live-drop=3", 1006],
    ["live-close=3000ms", 1012],
    ["live-drop=3000ms", 1006]
  ] as const) {
    it.effect(`${fault} ends it after the third frame`, () =>
      Effect.gen(function* () {
        const { ended, plain, seen } = yield* compared(fault)
        assert.deepStrictEqual(seen, plain.slice(0, 3))
        assert.deepStrictEqual([ended?.tag, ended?.code], ["SocketCloseError", code])
      }).pipe(Effect.scoped, Effect.provide(live))
    )
  }

  it.effect("live-close=0 ends it before the first frame, and with times=1 the next connection is whole", () =>
    Effect.gen(function* () {
      const first = yield* compared("live-close=0;times=1")
      assert.deepStrictEqual([first.seen, first.ended?.code], [[], 1012])
      const second = yield* compared("live-close=0;times=1")
      assert.deepStrictEqual(second.seen, second.plain)
      const later = yield* compared("live-drop=2;after=1;times=1")
      assert.deepStrictEqual(later.seen, later.plain)
      const met = yield* compared("live-drop=2;after=1;times=1")
      assert.strictEqual(met.seen.length, 2)
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.effect("live-silence: no frames, no pings and no pongs any more, and it stays open", () =>
    Effect.gen(function* () {
      const make = yield* Socket.WebSocketConstructor
      for (const fault of ["", "live-silence=3"]) {
        // Type boundary: what the sockets in memory have beside those of the platform.
        const socket = make(yield* address(quotes, fault)) as Socket.WebSocketLike & {
          readonly ping: () => void
          readonly on: (type: "ping" | "pong", listener: () => void) => void
        }
        const seen = { frames: 0, pings: 0, pongs: 0 }
        socket.addEventListener("message", () => seen.frames++)
        socket.on("ping", () => seen.pings++)
        socket.on("pong", () => seen.pongs++)
        yield* TestClock.adjust("1 millis")
        socket.ping()
        yield* TestClock.adjust("1 minute")
        socket.ping()
        yield* TestClock.adjust("1 millis")
        assert.strictEqual(socket.readyState, 1)
        assert.deepStrictEqual(
          seen,
          fault === "" ? { frames: 60, pings: 3, pongs: 2 } : { frames: 3, pings: 0, pongs: 1 }
        )
        socket.close(1000)
      }
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.effect("live-stall: an error without time and id, and a close with 1008", () =>
    Effect.gen(function* () {
      const { ended, plain, seen } = yield* compared("live-stall=2")
      assert.deepStrictEqual(seen.slice(0, 2), plain.slice(0, 2))
      const { error } = record(seen[2] ?? "") as { readonly error: Row }
      assert.strictEqual(error["type"], "stall")
      assert.deepStrictEqual(Object.keys(record(seen[2] ?? "")), ["error"])
      assert.deepStrictEqual([seen.length, ended?.code], [3, 1008])
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.effect.each(["bad_parameter", "unauthorized", "wrong_credentials", "forbidden"])(
    "live-error=%s: an error of this type in place of the first frame, and a close with 1008",
    (type) =>
      Effect.gen(function* () {
        const { ended, seen } = yield* compared(`live-error=${type}`)
        const { error } = record(seen[0] ?? "") as { readonly error: Row }
        assert.strictEqual(error["type"], type)
        assert.isNotEmpty(error["message"])
        assert.deepStrictEqual([seen.length, ended?.code], [1, 1008])
      }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.effect("live-warning: a warning before the frame, and nothing missing", () =>
    Effect.gen(function* () {
      const { plain, seen } = yield* compared("live-warning=2")
      const [warning] = seen.splice(1, 1)
      assert.deepStrictEqual(seen, plain)
      assert.strictEqual((record(warning ?? "")["warning"] as Row)["type"], "falling_behind")
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.effect("live-repeat: every so many frames twice, with one id; live-again: with an id each", () =>
    Effect.gen(function* () {
      const repeated = yield* compared("live-repeat=2")
      assert.deepStrictEqual(
        repeated.seen,
        repeated.plain.flatMap((frame, n) => (n % 2 === 1 ? [frame, frame] : [frame]))
      )
      const again = yield* compared("live-again=2")
      assert.deepStrictEqual(
        ids(again.seen),
        again.seen.map((_, n) => String(n))
      )
      assert.deepStrictEqual(
        again.seen.map((frame) => record(frame)["coin_metrics_id"]),
        again.plain.flatMap((frame, n) => {
          const id = record(frame)["coin_metrics_id"]
          return n % 2 === 1 ? [id, id] : [id]
        })
      )
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.effect("live-skip: a frame and its id are missing; live-lose: a record, and no id", () =>
    Effect.gen(function* () {
      const skipped = yield* compared("live-skip=2")
      assert.deepStrictEqual(skipped.seen, skipped.plain.toSpliced(1, 1))
      const lost = yield* compared("live-lose=2")
      assert.deepStrictEqual(
        ids(lost.seen),
        lost.seen.map((_, n) => String(n))
      )
      assert.deepStrictEqual(
        lost.seen.map((frame) => record(frame)["time"]),
        lost.plain.toSpliced(1, 1).map((frame) => record(frame)["time"])
      )
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.effect("live-reverse: two frames change places", () =>
    Effect.gen(function* () {
      const { plain, seen } = yield* compared("live-reverse=2")
      assert.deepStrictEqual(ids(seen).slice(0, 4), ["0", "2", "1", "3"])
      assert.sameMembers(seen.map(String), plain.map(String))
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.effect("live-garbage: a frame that is no JSON comes before one", () =>
    Effect.gen(function* () {
      const { plain, seen } = yield* compared("live-garbage=2")
      assert.throws(() => record(seen[1] ?? ""))
      assert.deepStrictEqual(seen.toSpliced(1, 1), plain)
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.effect("live-binary: a frame is binary, and says the same", () =>
    Effect.gen(function* () {
      const { plain, seen } = yield* compared("live-binary=2")
      assert.instanceOf(seen[1], Uint8Array)
      assert.deepStrictEqual(seen.map(record), plain.map(record))
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.effect("live-huge, live-extra, live-number: a frame of so many bytes, fields of no document, ids as numbers", () =>
    Effect.gen(function* () {
      const { plain, seen } = yield* compared("live-huge=100000;at=3,live-extra,live-number")
      assert.isAbove(seen[2]?.length ?? 0, 100_000)
      assert.isBelow(seen[3]?.length ?? 0, 1000)
      assert.deepStrictEqual(
        ids(seen),
        plain.map((_, n) => n)
      )
      for (const frame of seen) assert.property(record(frame), "sandbox_extra")
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.effect(
    "live-reorg: so many blocks before each new one, each taken back, and the chain is the same in the end",
    () =>
      Effect.gen(function* () {
        const { plain, seen } = yield* compared("live-reorg=3", blocks, "300 seconds")
        const chain = new Map<unknown, Row>()
        let reorgs = 0
        for (const row of seen.map(record)) {
          if (row["type"] === "new_block") chain.set(row["height"], row)
          else {
            reorgs++
            assert.strictEqual(chain.get(row["height"])?.["hash"], row["hash"])
            assert.strictEqual(chain.get(row["height"])?.["parent_hash"], row["parent_hash"])
            chain.delete(row["height"])
          }
        }
        assert.isAtLeast(reorgs, 3 * chain.size)
        const last = new Map(plain.map(record).map((row) => [row["height"], row["hash"]]))
        assert.deepStrictEqual(
          [...chain.values()].map(({ hash }) => hash),
          [...last.values()]
        )
        assert.deepStrictEqual(
          ids(seen),
          seen.map((_, n) => String(n))
        )
      }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.effect("live-echo-key: the key stands in warnings, errors and the reason of the close", () =>
    Effect.gen(function* () {
      const { ended, seen } = yield* compared("live-warning=1,live-stall=2,live-echo-key")
      assert.include(String(seen[0]), "demo-key")
      assert.include(String(seen.at(-1)), "demo-key")
      assert.include(ended?.reason ?? "", "demo-key")
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.effect("live-late: a request over HTTP sees the records of so long ago", () =>
    Effect.gen(function* () {
      const { faultUrl } = yield* Sandbox.Sandbox
      const path = "/timeseries/market-quotes?markets=coinbase-btc-usd-spot&limit_per_market=1"
      const [now] = yield* rows(path)
      const [then] = yield* rows(path, { root: faultUrl("live-late=5000") })
      assert.deepStrictEqual(
        [now?.["time"], then?.["time"]],
        ["2026-10-01T00:00:00.000000000Z", "2026-09-30T23:59:50.000000000Z"]
      )
    }).pipe(Effect.provide(live))
  )
})

const refused = (fault: string) => Effect.flatMap(address(quotes, fault), refusal)

describe("A fault of the handshake of a live stream", () => {
  it.effect("live-slow, live-never: it is open later, or never", () =>
    Effect.gen(function* () {
      const slow = yield* open(quotes, "live-slow=5000")
      const never = yield* open(quotes, "live-never")
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual(slow.frames.length, 0)
      yield* TestClock.adjust("10 minutes")
      assert.isAbove(slow.frames.length, 500)
      assert.deepStrictEqual([never.frames, never.ended], [[], undefined])
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.effect("live-reset, live-status: it fails, in memory as over a socket", () =>
    Effect.gen(function* () {
      for (const fault of ["live-reset", "live-status=503"]) {
        const seen = yield* open(quotes, fault)
        yield* TestClock.adjust("1 millis")
        assert.strictEqual(seen.ended?.tag, "SocketOpenError")
      }
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.live("live-status: has the status and the body that were asked for", () =>
    Effect.gen(function* () {
      const json = yield* refused("live-status=503,live-echo-key")
      assert.strictEqual(json.status, 503)
      assert.include(json.body, "api_key=demo-key")
      const html = yield* refused("live-status=429;body=html")
      assert.strictEqual(html.status, 429)
      assert.match(html.body, /^<html>/)
      const reset = yield* refused("live-reset")
      assert.strictEqual(reset.status, 0)
    }).pipe(Effect.provide(Sandbox.layer({ live: true })))
  )

  it.live("with a spec that cannot be read is refused with 400", () =>
    Effect.gen(function* () {
      for (const fault of [
        "live-nothing",
        "live-close",
        "live-close=x",
        "live-close=1;code=5",
        "live-close=1;body=json"
      ]) {
        const { body, status } = yield* Effect.flatMap(address(quotes, fault), refusal)
        assert.strictEqual(status, 400, fault)
        assert.include(body, "cannot be read")
      }
    }).pipe(Effect.provide(Sandbox.layer({ live: true })))
  )
})

const combinable = Fault.liveTable.filter(({ group, kind }) => group !== "http" && kind !== "live-never")

describe("The faults of live streams", () => {
  it.effect("of any combination leave the journal true: it has what the client saw, frame by frame", () =>
    Effect.gen(function* () {
      const { live, stats } = yield* Sandbox.Sandbox
      let told = 0
      for (let turn = 0; turn < 80; turn++) {
        const chosen = combinable.filter((_, n) => Noise.below(turn, n, 5) === 0).map(({ example }) => example)
        const before = (yield* stats).opened
        const frames = yield* Effect.scoped(
          Effect.gen(function* () {
            const seen = yield* open(turn % 2 === 0 ? quotes : blocks, [...chosen, `live-slow=0;id=${turn}`].join(","))
            yield* TestClock.adjust("60 seconds")
            return seen.frames
          })
        )
        yield* TestClock.adjust("1 millis")
        const after = yield* stats
        assert.strictEqual(after.connections, 0, chosen.join())
        const entry = after.opened === before ? undefined : (yield* live.journal).at(-1)
        assert.deepStrictEqual(
          entry?.frames.map(({ text }) => text) ?? [],
          frames.map((frame) => (typeof frame === "string" ? frame : new TextDecoder().decode(frame))),
          chosen.join()
        )
        if (frames.length > 0) told++
      }
      // The others were refused.
      assert.isAbove(told, 20)
    }).pipe(Effect.provide(live))
  )

  it.effect("are passed over by requests over HTTP, once they can be read, and those of HTTP by live streams", () =>
    Effect.gen(function* () {
      const { faultUrl } = yield* Sandbox.Sandbox
      const status = (fault: string) =>
        Effect.map(get("/reference-data/assets?assets=btc", { root: faultUrl(fault) }), ({ status }) => status)
      assert.deepStrictEqual(
        yield* Effect.all([status("live-close=1"), status("live-close=x"), status("live-close=1,status=503")]),
        [200, 400, 503]
      )
      const seen = yield* open(quotes, "live-close=2,status=503")
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual([seen.frames.length, seen.ended?.code], [2, 1012])
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it("are a table, whose examples can be read", () => {
    assert.deepStrictEqual(
      [...Fault.liveKinds],
      Fault.liveTable.map(({ kind }) => kind)
    )
    for (const { kind } of Fault.liveTable) assert.match(kind, /^live-/)
  })

  for (const { example, group } of Fault.liveTable) {
    it.live(`${example} does over a socket what it does in memory`, () =>
      Effect.gen(function* () {
        // Every hour of the data is a second, so that what is not the fault's own does not wait.
        const seen = yield* open(quotes, example)
        const settles = (): boolean =>
          seen.ended !== undefined || seen.frames.length >= (example.startsWith("live-silence") ? 3 : 12)
        const settled = Effect.suspend(() => (settles() ? Effect.void : Effect.fail("not yet"))).pipe(
          Effect.retry(Schedule.spaced("5 millis"))
        )
        // Nothing comes of the one that is never answered, however long it is waited for.
        yield* example === "live-never" ? Effect.timeoutOption(settled, "50 millis") : settled
        assert.strictEqual(settles(), example !== "live-never")
        if (group === "handshake" && example !== "live-slow=500") assert.strictEqual(seen.frames.length, 0)
        const { live } = yield* Sandbox.Sandbox
        const [entry] = yield* live.journal
        const sent = entry?.frames.map(({ text }) => text).slice(0, seen.frames.length) ?? []
        assert.deepStrictEqual(
          sent,
          seen.frames.map((frame) => (typeof frame === "string" ? frame : new TextDecoder().decode(frame)))
        )
      }).pipe(
        Effect.scoped,
        Effect.provide(
          Layer.merge(Sandbox.layer({ live: { httpLag: 0, speed: 100 } }), NodeWS.layerWebSocketConstructor)
        )
      )
    )
  }
})
