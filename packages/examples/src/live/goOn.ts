import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Live } from "@sluice/core"
import { NodeLive } from "@sluice/node"
import { Console, Effect, FileSystem, Option, Predicate, Ref, Schedule, Schema, Stream } from "effect"

/** How far a program is: the time of the last trade it kept, and the trades of that time, which `since` brings again. */
export const Position = Schema.Struct({ time: Schema.String, trades: Schema.Array(Schema.String) })
export type Position = typeof Position.Type

const follow = (since: string) => Live.marketTrades({ markets: "coinbase-btc-usd-spot" }, { since })

type Message = Stream.Success<ReturnType<typeof follow>>
type Trade = Extract<Message, { readonly _tag: "Data" }>["record"]

const isKept = ({ time, trades }: Position, trade: Trade) =>
  trade.time === time && trades.includes(trade.coin_metrics_id)

const next = ({ time, trades }: Position, trade: Trade): Position => ({
  time: trade.time,
  trades: trade.time === time ? [...trades, trade.coin_metrics_id] : [trade.coin_metrics_id]
})

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
    const attempt = Effect.flatMap(Ref.get(newest), ({ time }) => Stream.runForEach(follow(time), handle))
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
      : { time: "2026-10-31T23:00:00Z", trades: [] }
    yield* goOn(from, (trade, position) =>
      Console.log(trade.time, trade.price).pipe(
        Effect.andThen(Schema.encodeEffect(Saved)(position)),
        Effect.flatMap((text) => fs.writeFileString("position.json", text))
      )
    )
  })
  program.pipe(Effect.provide([NodeLive.layerConfig(), NodeServices.layer]), NodeRuntime.runMain)
}
