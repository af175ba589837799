/** A stream that is read while its requests meet faults: to its end, or given up in the middle. */
import { type ApiError, type Bulk, Client } from "@sluice/core"
import { Sandbox, Simulation } from "@sluice/sandbox"
import { Effect, Fiber, Stream } from "effect"
import * as Auditor from "./Auditor.ts"

/** Records of a client, as far as they are compared. */
export type Records = Stream.Stream<unknown, ApiError.ApiError | Bulk.PartFailed, Client.Client>

/** What a stream gives from a service of its own that does not fail. */
export const truthOf = (records: Records, options: Sandbox.ClientOptions = {}) =>
  Effect.map(
    Stream.runCollect(records).pipe(Effect.provide(Sandbox.layerClient(Client.layer, options), { local: true })),
    (all) => all.map(Auditor.textOf)
  )

/**
 * Reads records, interrupts their reader, or takes the first of them, as the run has chosen. Each record comes once, in its order
 * where `isOrdered`; an error is a failure, unless the run has `refusals`.
 */
export const audit = Effect.fnUntraced(function* (
  records: Records,
  truth: ReadonlyArray<string>,
  { hasRefusals = false, isOrdered = true }: { readonly hasRefusals?: boolean; readonly isOrdered?: boolean } = {}
) {
  const told: Array<unknown> = []
  let isWhole = true
  const refused = <A, E>(self: Effect.Effect<A, E, Client.Client>) =>
    Effect.catch(self, (error) => {
      isWhole = false
      return hasRefusals ? Auditor.told(error) : Effect.fail(error)
    })
  const read = refused(Stream.runForEachArray(records, (batch) => Effect.sync(() => told.push(...batch))))
  const way = yield* Simulation.below(3)
  if (way === 0) yield* read
  else if (way === 1) {
    isWhole = false
    const fiber = yield* Effect.forkChild(read)
    yield* Effect.sleep([0, 1, 20, 300, 5_000][yield* Simulation.below(5)]!)
    yield* Fiber.interrupt(fiber)
  } else {
    const count = 1 + (yield* Simulation.below(40))
    isWhole = count >= truth.length
    const first = Stream.runForEach(Stream.take(records, count), (record) => Effect.sync(() => told.push(record)))
    yield* refused(first)
    if (!hasRefusals) yield* Auditor.released({ missing: Math.min(count, truth.length) - told.length })
  }
  if (isOrdered) yield* Auditor.inOrder(told, truth)
  else yield* Auditor.part(told, truth)
  if (isWhole) yield* Auditor.same(told, truth)
})

/**
 * What was interrupted lets go in its own turn, and afterwards as many requests as before may be under way: the client holds
 * nothing, and has lost none of its permits.
 */
export const released = Effect.gen(function* () {
  yield* Effect.sleep("2 minutes")
  const { inFlight, limit, remaining, waiting } = yield* Client.quota
  const { running } = yield* Effect.flatMap(Sandbox.Sandbox, ({ stats }) => stats)
  yield* Auditor.released({ inFlight, waiting, running, taken: limit - remaining })
})
