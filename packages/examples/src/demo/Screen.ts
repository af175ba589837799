/**
 * Where the demo is shown: lines that stay, and on a terminal a few lines that are redrawn in place.
 */
import { Context, Effect, Layer, Semaphore, Stdio, Stream } from "effect"
import { TerminalCapabilities } from "effect/cli"

/** Ways of writing a text; without colours every one leaves it as it is. */
export interface Style {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly accent: (text: string) => string
  readonly good: (text: string) => string
  readonly warn: (text: string) => string
}

/** Shows lines to whoever watches. */
export class Screen extends Context.Service<
  Screen,
  {
    /** Whether the output is a terminal, so that `redraw` makes sense. */
    readonly live: boolean
    readonly style: Style
    /** Writes lines that stay, above the live ones. */
    readonly print: (...lines: ReadonlyArray<string>) => Effect.Effect<void>
    /** Replaces the live lines; none clears them. */
    readonly redraw: (...lines: ReadonlyArray<string>) => Effect.Effect<void>
  }
>()("@sluice/examples/Screen") {}

const sgr = (code: number) => (text: string) => `\x1b[${code}m${text}\x1b[0m`
const plain = (text: string) => text

const colours: Style = { bold: sgr(1), dim: sgr(2), accent: sgr(36), good: sgr(32), warn: sgr(33) }
const none: Style = { bold: plain, dim: plain, accent: plain, good: plain, warn: plain }

// The cursor is hidden while lines are redrawn, and lines too long for the terminal are cut instead of wrapped.
const enter = "\x1b[?25l\x1b[?7l"
const leave = "\x1b[?25h\x1b[?7h"
const erase = (lines: number) => (lines === 0 ? "" : `\x1b[${lines}A\x1b[J`)

const make = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  const { canAnimate: live, canColor } = yield* TerminalCapabilities.TerminalCapabilities
  const lock = yield* Semaphore.make(1)
  let drawn: ReadonlyArray<string> = []

  // Who stops listening, as `| head` does, does not stop the work.
  const write = (text: string) => Effect.ignore(Stream.run(Stream.succeed(text), stdio.stdout()))
  const show = (stay: ReadonlyArray<string>, next: () => ReadonlyArray<string>) =>
    Effect.suspend(() => {
      const before = erase(drawn.length)
      drawn = next()
      return write(before + [...stay, ...drawn].map((line) => `${line}\n`).join(""))
    }).pipe(Effect.uninterruptible, lock.withPermits(1))

  if (live) yield* Effect.acquireRelease(write(enter), () => write(erase(drawn.length) + leave))
  return Screen.of({
    live,
    style: canColor ? colours : none,
    print: (...lines) => show(lines, () => drawn),
    redraw: (...lines) => show([], () => lines)
  })
})

/** Shows on standard output: in place on a terminal, line by line elsewhere. */
export const layer: Layer.Layer<Screen, never, Stdio.Stdio> = Layer.effect(Screen, make).pipe(
  Layer.provide(TerminalCapabilities.layer)
)
