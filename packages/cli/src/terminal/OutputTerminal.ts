/**
 * The terminal as the command writes to it. That of Node.js opens standard input as it is made, so that it no longer blocks for
 * others either who read the same pipe; here it is made where somebody reads.
 */
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Terminal from "effect/Terminal"

const made = NodeTerminal.make()

/** A terminal that reads nothing unless it is asked to. */
export const layer: Layer.Layer<Terminal.Terminal> = Layer.succeed(
  Terminal.Terminal,
  Terminal.make({
    // Standard output has none where it is no terminal.
    columns: Effect.sync(() => process.stdout.columns ?? 0),
    rows: Effect.sync(() => process.stdout.rows ?? 0),
    size: Effect.flatMap(made, ({ size }) => size),
    readInput: Effect.flatMap(made, ({ readInput }) => readInput),
    readLine: Effect.scoped(Effect.flatMap(made, ({ readLine }) => readLine)),
    display: (text) => Effect.scoped(Effect.flatMap(made, ({ display }) => display(text)))
  })
)
