/** One simulated run: a program on its own clock, its fibers in the order of the choices. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import type { Choices } from "./Choices.ts"
import * as Turns from "./Turns.ts"
import * as VirtualClock from "./VirtualClock.ts"

/** How a run ended: by itself, without anybody who could go on, or at a bound. */
export type End<A, E> =
  | { readonly _tag: "Ended"; readonly exit: Exit.Exit<A, E> }
  | { readonly _tag: "Stuck" }
  | { readonly _tag: "Endless"; readonly after: string }

export interface Bounds {
  readonly start: number
  /** The most milliseconds of its clock. */
  readonly within: number
  /** The most turns of its fibers. */
  readonly turns: number
}

/** How long a run waits for something outside of it, when nothing in it can go on. */
const patience = 500

// Turns of fibers between two of the process, in which promises settle anyway and an interruption of the simulation is heard.
const burst = 1_000

export const run = <A, E, R>(
  program: Effect.Effect<A, E, R>,
  seed: number,
  choices: Choices,
  { start, turns: most, within }: Bounds
): Effect.Effect<End<A, E>, never, R> =>
  Effect.contextWith((context: Context.Context<R>) =>
    Effect.callback<End<A, E>>((resume) => {
      let isAwake = true
      let isOver = false
      let count = 0
      const turns = Turns.make(choices, () => {
        if (isAwake || isOver) return
        isAwake = true
        setImmediate(go)
      })
      const time = VirtualClock.make(start, turns.add)
      let told = (how: End<A, E>) => resume(Effect.succeed(how))
      const end = (how: End<A, E>) => {
        if (isOver) return
        isOver = true
        told(how)
      }
      const endless = () =>
        time.now() - start > within
          ? `${Duration.format(Duration.millis(within))} of its clock`
          : count > most
            ? `${most} turns of its fibers`
            : undefined
      const go = () => {
        for (let n = 0; n < burst; n++) {
          if (isOver) return
          if (turns.next()) count++
          else if (n > 0) break
          else if (!time.advance()) return wait()
          const after = endless()
          if (after !== undefined) return end({ _tag: "Endless", after })
        }
        if (!isOver) setImmediate(go)
      }
      const wait = () => {
        isAwake = false
        setTimeout(() => {
          if (!isAwake && !time.advance()) end({ _tag: "Stuck" })
        }, patience)
      }
      const services = Context.omit(Layer.CurrentMemoMap)(Context.add(context, Clock.Clock, time.clock))
      const seeded = Random.withSeed(program, seed)
      // Type boundary: a run builds its layers itself, so what the program needs is there without those that were built before.
      const fork = Effect.runForkWith(services as Context.Context<R>)
      let fiber: Fiber.Fiber<A, E> | undefined
      let isInterrupted = false
      const interrupt = () => {
        isInterrupted = true
        fiber?.interruptUnsafe()
      }
      // In a turn, so that the program may be interrupted from its first operation on.
      turns.add(() => {
        fiber = fork(seeded, { scheduler: turns.scheduler })
        fiber.addObserver((exit) => end({ _tag: "Ended", exit }))
        if (isInterrupted) interrupt()
      })
      setImmediate(go)
      // The run goes on until the program has let itself be interrupted.
      return Effect.callback<void>((ended) => {
        if (isOver) return ended(Effect.void)
        told = () => ended(Effect.void)
        interrupt()
      })
    })
  )
