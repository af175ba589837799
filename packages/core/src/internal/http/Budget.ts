/**
 * A limit on the bytes of all pages that are being received at once. When it is reached, all but the oldest page stop
 * reading: their sockets fill, and the service waits. The oldest page always continues, so no page waits for ever.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Wait from "../observe/Wait.ts"
import * as Waits from "../retry/Waits.ts"

/** What one page does with the budget. */
export interface Share {
  /** Counts bytes that have arrived. */
  readonly add: (bytes: number) => void
  /** Runs an effect, first waiting while the budget is used up and an older page is still being received. */
  readonly whenAvailable: <A, E>(self: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** Registers a page until the scope closes. */
export type Budget = Effect.Effect<Share, never, Scope.Scope>

/** A page that is being received. */
interface Receiving {
  bytes: number
  waiting: Deferred.Deferred<void> | undefined
}

export const make = (maxBytes: number): Budget => {
  /** Oldest first. */
  const pages = new Set<Receiving>()
  let used = 0

  const mayContinue = (page: Receiving) => used <= maxBytes || pages.values().next().value === page

  const wake = () => {
    for (const page of pages) {
      const { waiting } = page
      if (waiting === undefined || !mayContinue(page)) continue
      // The fiber may run at once and wait again, so this is cleared first.
      page.waiting = undefined
      Deferred.doneUnsafe(waiting, Exit.void)
    }
  }

  const remove = (page: Receiving) =>
    Effect.sync(() => {
      pages.delete(page)
      used -= page.bytes
      wake()
    })

  return Effect.flatMap(Effect.scope, (scope) => {
    const page: Receiving = { bytes: 0, waiting: undefined }
    const share: Share = {
      add: (bytes) => {
        page.bytes += bytes
        used += bytes
      },
      whenAvailable: (self) =>
        Effect.suspend(() => {
          if (mayContinue(page)) return self
          page.waiting = Deferred.makeUnsafe<void>()
          return Effect.andThen(
            Waits.counted(Wait.during("memory", Deferred.await(page.waiting))),
            share.whenAvailable(self)
          )
        })
    }
    // The finalizer comes first, so that an interruption between the two leaves nothing behind.
    return Effect.map(Scope.addFinalizer(scope, remove(page)), () => {
      pages.add(page)
      return share
    })
  })
}
