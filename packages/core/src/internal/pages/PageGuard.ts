/** Checks the pages of one stream: not too many empty ones in a row, and no records repeated or out of order. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import type { Decode } from "../../ApiError.ts"
import type { DisorderPolicy } from "../../Client.ts"
import * as Order from "../series/Order.ts"
import * as PageHead from "./PageHead.ts"

export interface Options {
  /** How many pages in a row may be empty although more follow. */
  readonly maxEmpty: number
  readonly onDisorder: DisorderPolicy
  readonly order: Order.ExpectedOrder
}

interface Received {
  readonly head: PageHead.PageHead
  readonly page: { readonly next_page_token: string | undefined }
}

export const make = ({ onDisorder, maxEmpty, order: expected }: Options) => {
  const order = onDisorder === "ignore" ? undefined : Order.make(expected, onDisorder === "fail")
  let current: Received | undefined
  let records = 0
  let empty = 0
  let failure: Decode | undefined

  return {
    /** The error that follows the records emitted so far, if any. */
    failure: () => failure,
    /** Pulls the next page, unless too many in a row were empty. */
    next: <A extends Received, E, D, R>(receive: Pull.Pull<A, E, D, R>): Pull.Pull<A, E | Decode, D, R> =>
      Effect.suspend((): Pull.Pull<A, E | Decode, D, R> => {
        empty = current === undefined || records > 0 ? 0 : empty + 1
        if (empty >= maxEmpty && current?.page.next_page_token !== undefined) {
          const issue = `${empty} pages in a row were empty although more were to follow`
          return Effect.fail(PageHead.unexpected(current.head, "data", issue, "limits.maxEmptyPages"))
        }
        return Effect.map(receive, (received) => {
          current = { head: received.head, page: received.page }
          records = 0
          return received
        })
      }),
    /**
     * Checks records of the current page and returns those to emit: all of them, or those before one that fails the
     * stream. Then `failure` is set.
     */
    check: <A>(batch: Arr.NonEmptyReadonlyArray<A>): Effect.Effect<Arr.NonEmptyReadonlyArray<A>, Decode> => {
      const first = records
      records += batch.length
      const found = order?.check(batch, first === 0)
      if (found === undefined || current === undefined) return Effect.succeed(batch)
      // A page read from the end is one reversed batch.
      const index = expected.reverse ? batch.length - 1 - found.index : first + found.index
      const error = PageHead.unexpected(current.head, `data[${index}]`, found.issue)
      if (onDisorder !== "fail") return Effect.as(Effect.logWarning(error.message), batch)
      failure = error
      const before = batch.slice(0, found.emittable)
      return Arr.isReadonlyArrayNonEmpty(before) ? Effect.succeed(before) : Effect.fail(error)
    }
  }
}
