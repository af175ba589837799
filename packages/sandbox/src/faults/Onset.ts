/**
 * Faults that strike before the head of a reply.
 */
import * as Effect from "effect/Effect"
import { Cut } from "../Body.ts"
import type { Fault } from "../Fault.ts"

/** Waits, or ends the connection, as the faults ask. */
export const apply = Effect.fnUntraced(function* (faults: ReadonlyArray<Fault>) {
  for (const fault of faults) {
    const { kind } = fault
    if (kind === "reset" || kind === "close" || kind === "garbage") return yield* new Cut({ how: kind })
    if (fault.kind === "stall") return yield* Effect.never
    if (fault.kind === "slow") yield* Effect.sleep(fault.amount)
  }
})
