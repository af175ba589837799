/**
 * Checks the pages of one stream: not too many empty ones in a row, and no records repeated or out of order.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import { Decode } from "../../ApiError.ts"
import type { DisorderPolicy } from "../../Client.ts"
import type { Reply } from "../http/Engine.ts"
import * as Order from "../series/Order.ts"

/** What is checked. */
export interface Options {
  readonly endpoint: string
  /** How many pages in a row may be empty although more follow. */
  readonly maxEmpty: number
  readonly onDisorder: DisorderPolicy
  readonly order: Order.ExpectedOrder
}

/** The current page. */
interface PageHead {
  readonly page: number
  readonly next_page_token: string | undefined
  readonly trace: string | undefined
  readonly scrub: Reply["scrub"]
}

/** Builds the guard of one stream. */
export const make = ({ onDisorder, endpoint, maxEmpty, order: expected }: Options) => {
  const order = onDisorder === "ignore" ? undefined : Order.make(expected, onDisorder === "fail")
  let head: PageHead | undefined
  let records = 0
  let empty = 0
  let failure: Decode | undefined

  const errorOf = ({ index, issue }: Order.Disorder, count: number): Decode => {
    const { page, scrub, trace } = head ?? { page: undefined, scrub: (text: string) => text, trace: undefined }
    // A page read from the end is one reversed batch.
    const path = `data[${expected.reverse ? count - 1 - index : records + index}]`
    return new Decode({ endpoint, trace, page, path, issue: issue(scrub) })
  }

  return {
    /** The error that follows the records emitted so far, if any. */
    failure: () => failure,
    /** Pulls the next page, unless too many in a row were empty. */
    next: <A extends PageHead, E, D, R>(receive: Pull.Pull<A, E, D, R>): Pull.Pull<A, E | Decode, D, R> =>
      Effect.suspend((): Pull.Pull<A, E | Decode, D, R> => {
        empty = head === undefined || records > 0 ? 0 : empty + 1
        if (empty >= maxEmpty && head?.next_page_token !== undefined) {
          const { page, trace } = head
          const issue = `${empty} pages in a row were empty although more were to follow`
          return Effect.fail(
            new Decode({ endpoint, trace, page, path: "data", issue, setting: "limits.maxEmptyPages" })
          )
        }
        return Effect.map(receive, (received) => {
          const { next_page_token, page, scrub, trace } = received
          head = { next_page_token, page, scrub, trace }
          records = 0
          return received
        })
      }),
    /**
     * Checks records of the current page and returns those to emit: all of them, or those before one that fails the
     * stream. Then `failure` is set.
     */
    check: <A>(batch: Arr.NonEmptyReadonlyArray<A>): Effect.Effect<Arr.NonEmptyReadonlyArray<A>, Decode> => {
      const found = order?.check(batch, records === 0)
      const error = found === undefined ? undefined : errorOf(found, batch.length)
      records += batch.length
      if (found === undefined || error === undefined) return Effect.succeed(batch)
      if (onDisorder !== "fail") return Effect.as(Effect.logWarning(error.message), batch)
      failure = error
      const before = batch.slice(0, found.emittable)
      return Arr.isReadonlyArrayNonEmpty(before) ? Effect.succeed(before) : Effect.fail(error)
    }
  }
}
