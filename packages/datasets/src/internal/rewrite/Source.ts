/**
 * Records that are taken in pieces: as many of the next array as stand before a place.
 */
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Keys from "../model/Keys.ts"

/** Records in order, of which the first were taken. */
export interface Source<E> {
  readonly fields: Keys.Fields
  /** The next record; nothing behind the last. Pulls more only where all that were pulled before are taken. */
  readonly head: Effect.Effect<Head | undefined, E>
  /**
   * Takes those of the array at hand that stand before a place: the first so many, one at least, with all of the moment at which
   * the last of these is. Valid until {@link head} is asked for again. It is fast where there are as many as is `likely`.
   */
  readonly take: (before: Keys.Key, most: number, likely?: number) => ReadonlyArray<unknown>
}

/** The next record. */
export interface Head {
  readonly record: unknown
}

/** Begins to read a stream until the scope closes. */
export const make = Effect.fnUntraced(function* <E>(
  stream: Stream.Stream<unknown, E>,
  fields: Keys.Fields
): Effect.fn.Return<Source<E>, never, Scope.Scope> {
  // `Stream.toPull` takes a permit and makes a context for each array: 2 % of the time of a load, with that of ReadLarge.ts.
  const pull = yield* Channel.toPullScoped(Stream.toChannel(stream), yield* Effect.scope)
  let batch: ReadonlyArray<unknown> = []
  let at = 0
  let isDone = false
  const more: Source<E>["head"] = Pull.matchEffect(pull, {
    onSuccess: (next) => {
      batch = next
      at = 0
      return Effect.succeed({ record: next[0] })
    },
    onFailure: Effect.failCause,
    onDone: () => {
      batch = []
      at = 0
      isDone = true
      return Effect.undefined
    }
  })
  const head: Source<E>["head"] = Effect.suspend(() => {
    if (at < batch.length) return Effect.succeed({ record: batch[at] })
    return isDone ? Effect.undefined : more
  })
  const take: Source<E>["take"] = (before, most, likely) => {
    const left = at === 0 ? batch : batch.slice(at)
    const all = Keys.countBefore(fields, left, before, likely)
    const count =
      all <= most ? all : Keys.countBefore(fields, left, Keys.behind(Keys.keyOf(fields, left[Math.max(1, most) - 1])))
    at += count
    // The array itself where all of it is taken: a lazy one loses its bytes in a copy.
    return count === left.length ? left : left.slice(0, count)
  }
  return { fields, head, take }
})

/** Several sources as one, in the order of their records. No two have records of one place. */
export const merge = <E>(sources: ReadonlyArray<Source<E>>, fields: Keys.Fields): Source<E> => {
  /** The next place of each source that has more; those that were taken from are looked at again. */
  const places = new Map<Source<E>, Keys.Key>()
  const advanced = new Set(sources)
  let current: { readonly source: Source<E>; readonly to: Keys.Key | undefined } | undefined
  return {
    fields,
    head: Effect.gen(function* () {
      for (const source of advanced) {
        const head = yield* source.head
        if (head === undefined) places.delete(source)
        else places.set(source, Keys.keyOf(fields, head.record))
      }
      advanced.clear()
      const [first, second] = [...places].toSorted(([, a], [, b]) => Keys.compare(a, b))
      if (first === undefined) return undefined
      current = { source: first[0], to: second?.[1] }
      advanced.add(current.source)
      return yield* current.source.head
    }),
    take: (before, most) => {
      if (current === undefined) return []
      const to = current.to !== undefined && Keys.compare(current.to, before) < 0 ? current.to : before
      return current.source.take(to, most)
    }
  }
}
