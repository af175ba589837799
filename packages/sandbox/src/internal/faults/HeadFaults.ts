/** Faults before the head of a reply. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Cut, encode } from "../reply/Body.ts"
import type { Fault } from "./Spec.ts"

// Written by hand: no server would send such a reply.
const announcing = (length: string) =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{"data":[]}`

const closeAfter = (text: string) => new Cut({ how: "close", last: Stream.fromIterable(encode([text])) })

/** Waits, or ends the connection, as the faults ask. */
export const apply = Effect.fnUntraced(function* (faults: ReadonlyArray<Fault>) {
  for (const fault of faults) {
    const { kind } = fault
    if (kind === "reset" || kind === "close") return yield* new Cut({ how: kind })
    if (kind === "garbage") return yield* closeAfter("SANDBOX 0.1 ready\r\n")
    if (kind === "content-length") return yield* closeAfter(announcing(fault.value))
    if (fault.kind === "stall") return yield* Effect.never
    if (fault.kind === "slow") yield* Effect.sleep(fault.amount)
  }
})
