/**
 * A number of bytes shared by all pages that are being received. Where it is used up the younger ones stop reading, so
 * that their sockets fill and the service waits; the oldest always goes on, up to its own limit, so that none waits for
 * ever.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as Waits from "../retry/Waits.ts"

/** The share of one page. */
export interface Share {
  /** Notes bytes that have arrived. */
  readonly add: (bytes: number) => void
  /** Waits while the budget is used up and an older page is still being received. */
  readonly room: Effect.Effect<void>
}

/** Gives a page its share, until the scope closes. */
export type Budget = Effect.Effect<Share, never, Scope.Scope>

/** A page that is being received. */
interface Receiving {
  bytes: number
  waiting: Deferred.Deferred<void> | undefined
}

/** Builds a budget of so many bytes. */
export const make = (most: number): Budget => {
  /** The oldest first. */
  const pages = new Set<Receiving>()
  let used = 0

  const mayGoOn = (page: Receiving) => used <= most || pages.values().next().value === page

  const wake = () => {
    for (const page of pages) {
      const { waiting } = page
      if (waiting === undefined || !mayGoOn(page)) continue
      // It may run at once, and wait again.
      page.waiting = undefined
      Deferred.doneUnsafe(waiting, Exit.void)
    }
  }

  const leave = (page: Receiving) =>
    Effect.sync(() => {
      pages.delete(page)
      used -= page.bytes
      wake()
    })

  return Effect.suspend(() => {
    const page: Receiving = { bytes: 0, waiting: undefined }
    const share: Share = {
      add: (bytes) => {
        page.bytes += bytes
        used += bytes
      },
      room: Effect.suspend(() => {
        if (mayGoOn(page)) return Effect.void
        page.waiting = Deferred.makeUnsafe<void>()
        return Effect.andThen(Waits.counted(Deferred.await(page.waiting)), share.room)
      })
    }
    return Effect.as(
      Effect.acquireRelease(
        Effect.sync(() => pages.add(page)),
        () => leave(page)
      ),
      share
    )
  })
}
