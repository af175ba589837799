/**
 * The records of a part, as they may be kept: in order, of what was asked for, and none twice.
 */
import type { ApiError } from "@sluice/core/ApiError"
import type { Client } from "@sluice/core/Client"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as PartRequests from "../plan/PartRequests.ts"
import { UnexpectedRecord } from "../model/DatasetError.ts"
import type { Definition } from "../model/Definition.ts"
import * as Order from "./Order.ts"
import type { Part } from "../plan/RunRequests.ts"
import type { SeriesParams } from "../model/SeriesParams.ts"
import type { Tracker, Unexpected } from "./Tracker.ts"

/** What is read, and for which dataset. */
export interface Reading {
  readonly dataset: string
  readonly subject: SeriesParams
  readonly definition: Definition
  readonly part: Part
  /** Sees the records that are kept. */
  readonly see: Tracker["see"]
  /** What is looked at when all were read. */
  readonly complete?: Effect.Effect<void, UnexpectedRecord> | undefined
}

/** Reads the records of a part, once. */
export const of = ({
  complete,
  dataset,
  definition,
  part,
  see,
  subject
}: Reading): Stream.Stream<unknown, ApiError | UnexpectedRecord, Client> =>
  checked(dataset, PartRequests.records(subject, definition, part), Order.make(subject), see, complete)

/** Records in order and without repeats. Fails with the first that is out of order. */
export const inOrder = <E, R>(dataset: string, subject: SeriesParams, records: Stream.Stream<unknown, E, R>) =>
  checked(dataset, records, Order.make(subject), () => undefined)

const checked = <E, R>(
  dataset: string,
  records: Stream.Stream<unknown, E, R>,
  { repeats, see }: Order.Order,
  track: Tracker["see"],
  complete: Effect.Effect<void, UnexpectedRecord> = Effect.void
): Stream.Stream<unknown, E | UnexpectedRecord, R> => {
  const refuse = (issue: Unexpected) => Effect.fail(new UnexpectedRecord({ dataset, ...issue }))
  const tell = Effect.suspend(() => {
    const [entity] = repeats.keys()
    if (entity === undefined) return Effect.void
    const count = [...repeats.values()].reduce((sum, own) => sum + own, 0)
    return Effect.logWarning(
      `${dataset}: records that the service sent twice are kept once: ${count}, the first of ${entity}`
    )
  })
  return Stream.transformPull(records, (pull) => {
    const next: Pull.Pull<Arr.NonEmptyReadonlyArray<unknown>, E | UnexpectedRecord, void, R> = Pull.matchEffect(pull, {
      onSuccess: (batch) => {
        const seen = see(batch)
        if (Result.isFailure(seen)) return refuse(seen.failure)
        const kept = seen.success
        if (!Arr.isReadonlyArrayNonEmpty(kept)) return next
        const issue = track(kept)
        return issue === undefined ? Effect.succeed(kept) : refuse(issue)
      },
      onFailure: Effect.failCause,
      onDone: () => Effect.andThen(Effect.andThen(tell, complete), Cause.done())
    })
    return Effect.succeed(next)
  })
}
