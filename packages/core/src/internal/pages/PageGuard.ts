/**
 * What is watched over the pages of one stream: that they do not come empty for ever, nor repeated or out of order.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import { Decode } from "../../ApiError.ts"
import type { DisorderPolicy } from "../../Client.ts"
import type { Reply } from "../http/Engine.ts"
import * as Order from "../series/Order.ts"

/** How it is watched. */
export interface Options {
  readonly endpoint: string
  /** How many pages in a row may be empty although more are to follow. */
  readonly mostEmpty: number
  readonly onDisorder: DisorderPolicy
  readonly order: Order.Known
}

/** Where the stream stands. */
interface Head {
  readonly page: number
  readonly next_page_token: string | undefined
  readonly trace: string | undefined
  readonly scrub: Reply["scrub"]
}

/** Begins at the start of a stream. */
export const make = ({ onDisorder, endpoint, mostEmpty, order }: Options) => {
  const watch = onDisorder === "ignore" ? undefined : Order.make(order, onDisorder === "fail")
  let head: Head | undefined
  let records = 0
  let empty = 0
  let failure: Decode | undefined

  const errorOf = ({ index, issue }: Order.Disorder, count: number): Decode => {
    const { page, scrub, trace } = head ?? { page: undefined, scrub: (text: string) => text, trace: undefined }
    // A page from the end is reversed, and whole.
    const path = `data[${order.reverse ? count - 1 - index : records + index}]`
    return new Decode({ endpoint, trace, page, path, issue: issue(scrub) })
  }

  return {
    /** Why no more records may be emitted after those that were. */
    failure: () => failure,
    /** Pulls the next page, unless too many in a row were empty. */
    next: <A extends Head, E, D, R>(receive: Pull.Pull<A, E, D, R>): Pull.Pull<A, E | Decode, D, R> =>
      Effect.suspend((): Pull.Pull<A, E | Decode, D, R> => {
        empty = head === undefined || records > 0 ? 0 : empty + 1
        if (empty >= mostEmpty && head?.next_page_token !== undefined) {
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
     * Looks at records of the current page, and gives those that may be emitted: all of them, or those in order before one
     * that fails the stream. `failure` is set then.
     */
    emit: <A>(batch: Arr.NonEmptyReadonlyArray<A>): Effect.Effect<Arr.NonEmptyReadonlyArray<A>, Decode> => {
      const found = watch?.see(batch, records === 0)
      const error = found === undefined ? undefined : errorOf(found, batch.length)
      records += batch.length
      if (found === undefined || error === undefined) return Effect.succeed(batch)
      if (onDisorder !== "fail") return Effect.as(Effect.logWarning(error.message), batch)
      failure = error
      const before = batch.slice(0, found.intact)
      return Arr.isReadonlyArrayNonEmpty(before) ? Effect.succeed(before) : Effect.fail(error)
    }
  }
}
