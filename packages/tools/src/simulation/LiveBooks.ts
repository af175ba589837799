/** Order books of several markets over connections that break: each book is that of the service, or a gap names it. */
import { Client, OrderBook } from "@sluice/core"
import { type Dialect, Sandbox, Simulation } from "@sluice/sandbox"
import { Effect } from "effect"
import * as Books from "../../../node/test/LiveBookOracle.ts"
import * as Auditor from "./Auditor.ts"
import * as LiveWorld from "./LiveWorld.ts"

const markets = "coinbase-btc-usd-spot,binance-ADAUSDT-future"

/**
 * When HTTP has a snapshot, when the stream begins, and when all have ended. At midnight is a snapshot of another collector, before which
 * nothing comes for twenty seconds.
 */
const [since, from, end] = ["2026-09-30T23:55:00Z", "2026-09-30T23:55:30Z", "2026-10-01T00:02:00Z"]

type Truth = Effect.Success<ReturnType<typeof truthOf>>

const pathOf = (depth: string) => `/timeseries-stream/market-orderbooks?markets=${markets}&depth_limit=${depth}`

/** What the service has, by how it tells of snapshots. */
const truthOf = (bookSnapshots: Dialect.Dialect["bookSnapshots"]) =>
  Effect.provide(Books.books(markets, since, end), Sandbox.layerClient(Client.layer, { dialect: { bookSnapshots } }), {
    local: true
  })

/**
 * Frames that are lost or overtaken: one, since a jump replaces the connection once, and of another there is a warning and nothing else.
 * Without a jump only a lost snapshot is noticed.
 */
const lost = ["", "", "live-skip=#", "live-reverse=#", "live-lose=1"] as const

/** Numbers without jumps of their own; with them the first replaces the connection, whether a frame was lost or not. */
const plain: ReadonlyArray<Dialect.Dialect["sequence"]> = ["zero", "one"]

const follow = Effect.fnUntraced(function* (truths: Readonly<Record<Dialect.Dialect["bookSnapshots"], Truth>>) {
  const dialect = {
    bookSnapshots: yield* LiveWorld.word("bookSnapshots"),
    leavingLevels: yield* LiveWorld.word("leavingLevels"),
    sequence: yield* LiveWorld.word("sequence")
  }
  const others = plain.includes(dialect.sequence) ? yield* LiveWorld.drawFault(yield* LiveWorld.one(lost), 1) : ""
  const faults = [yield* LiveWorld.drawFaults, others].filter((fault) => fault !== "").join(",")
  const hasHistory = (yield* Simulation.below(4)) === 1
  const depth_limit = (yield* Simulation.below(6)) === 1 ? "full_book" : "100"
  const isSlow = (yield* Simulation.below(4)) === 1
  const run = Effect.gen(function* () {
    const options = { ...(hasHistory && { since }), ...(isSlow && { capacity: 3, whenFull: "dropOldest" as const }) }
    const pause = isSlow
      ? Effect.flatMap(LiveWorld.one(["0 seconds", "1 second", "20 seconds"]), Effect.sleep)
      : undefined
    const books = OrderBook.follow({ markets, depth_limit }, options)
    const { messages, until } = yield* LiveWorld.read(books, { seconds: 240, pause })
    const texts = yield* (yield* Sandbox.Sandbox).live.series(pathOf(depth_limit), { after: since, until })
    const asked = new Map(
      [...truths[dialect.bookSnapshots]].map(([market, all]) => [market, all.filter(({ time }) => time <= until)])
    )
    // History begins at the last snapshot that HTTP has: where that lags, it is older than the truth that is known.
    const known = messages.filter((message) => message._tag !== "Book" || message.book.time >= since.slice(0, -1))
    const found = Books.faultsOf(
      { asked, error: undefined, messages: known, truth: texts.map((text) => JSON.parse(text)) },
      depth_limit === "100" ? 100 : Number.POSITIVE_INFINITY,
      hasHistory
    )
    // Where HTTP begins to lag between two attempts, it has fewer records than before, which is told as a gap with its error.
    yield* Auditor.none(found.filter((problem) => !problem.includes("the stream came back shorter than before")))
  })
  yield* Effect.provide(run, LiveWorld.layer({ faults, dialect, from }), { local: true })
})

/** Two markets. The truth takes longer than a run, and is read before them. */
export const make = Effect.map(
  Effect.all({ amid: truthOf("amid"), redundant: truthOf("redundant"), first: truthOf("first") }),
  follow
)
