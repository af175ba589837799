import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Live, Timestamp } from "@sluice/core"
import { NodeLive } from "@sluice/node"
import { Console, Effect, FileSystem, Option, Predicate, Ref, Result, Schedule, Schema, Stream } from "effect"

/** How far a program is: where to begin again, and the trades from there on that it kept. */
export const Position = Schema.Struct({
  since: Schema.String,
  trades: Schema.Array(Schema.Struct({ id: Schema.String, time: Schema.String }))
})
export type Position = typeof Position.Type

const follow = (since: string) => Live.marketTrades({ markets: "coinbase-btc-usd-spot" }, { since })

type Message = Stream.Success<ReturnType<typeof follow>>
type Trade = Extract<Message, { readonly _tag: "Data" }>["record"]

const minuteBefore = (time: string) => {
  const nanos = Result.getOrThrow(Timestamp.toEpochNanos(time))
  return Timestamp.fromEpochNanos(nanos - 60_000_000_000n)
}

const isKept = ({ trades }: Position, { coin_metrics_id }: Trade) => trades.some(({ id }) => id === coin_metrics_id)

/** A trade may be published late, so the last minute is read again. */
const next = (position: Position, { coin_metrics_id: id, time }: Trade): Position => {
  const earliest = minuteBefore(time)
  const since = earliest > position.since ? earliest : position.since
  return { since, trades: [...position.trades.filter((trade) => trade.time >= since), { id, time }] }
}

/** Keeps each trade behind a position, with the position that it leads to. */
export const goOn = <E, R>(from: Position, keep: (trade: Trade, position: Position) => Effect.Effect<void, E, R>) =>
  Effect.gen(function* () {
    const newest = yield* Ref.make(from)
    const handle = Effect.fnUntraced(function* (message: Message) {
      if (message._tag === "Gap") yield* Effect.logWarning(`trades may be missing up to ${message.to}`)
      if (message._tag !== "Data") return
      const before = yield* Ref.get(newest)
      if (isKept(before, message.record)) return
      const position = next(before, message.record)
      yield* keep(message.record, position)
      yield* Ref.set(newest, position)
    })
    // The stream is built anew for each attempt: one that is only run again begins at the first `since`.
    const attempt = Effect.flatMap(Ref.get(newest), ({ since }) => Stream.runForEach(follow(since), handle))
    return yield* Effect.retry(attempt, {
      while: (error) => Predicate.isTagged(error, "Unavailable"),
      schedule: Schedule.spaced("1 minute")
    })
  })

if (import.meta.main) {
  const Saved = Schema.fromJsonString(Position)
  const program = Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const saved = yield* Effect.option(fs.readFileString("position.json"))
    const from = Option.isSome(saved)
      ? yield* Schema.decodeEffect(Saved)(saved.value)
      : { since: "2026-10-31T23:00:00Z", trades: [] }
    yield* goOn(from, (trade, position) =>
      Console.log(trade.time, trade.price).pipe(
        Effect.andThen(Schema.encodeEffect(Saved)(position)),
        Effect.flatMap((text) => fs.writeFileString("position.json", text))
      )
    )
  })
  program.pipe(Effect.provide([NodeLive.layerConfig(), NodeServices.layer]), NodeRuntime.runMain)
}
