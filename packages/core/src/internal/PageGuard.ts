/**
 * What is watched over the pages of one stream: that they do not come empty for ever, nor repeated or out of order.
 */
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import { Decode } from "../ApiError.ts"
import * as Order from "./Order.ts"

/** How it is watched. */
export interface Options {
  readonly endpoint: string
  /** How many pages in a row may be empty although more are to follow. */
  readonly mostEmpty: number
  readonly onDisorder: Order.Policy
  readonly order: Order.Known
}

/** Where the stream stands. */
interface Head {
  readonly page: number
  readonly next_page_token: string | undefined
  readonly trace: string | undefined
}

/** Begins at the start of a stream. */
export const make = ({ onDisorder, endpoint, mostEmpty, order }: Options) => {
  const watch = onDisorder === "ignore" ? undefined : Order.make(order)
  let head: Head | undefined
  let records = 0
  let empty = 0

  const report = ({ index, issue }: Order.Disorder, count: number): Effect.Effect<void, Decode> => {
    const { page, trace } = head ?? { page: undefined, trace: undefined }
    // A page from the end is turned round, and whole.
    const path = `data[${order.reverse ? count - 1 - index : records + index}]`
    const error = new Decode({ endpoint, trace, page, path, issue })
    return onDisorder === "fail" ? Effect.fail(error) : Effect.logWarning(error.message)
  }

  return {
    /** Pulls the next page, unless too many in a row were empty. */
    next: <A extends Head, E, D, R>(receive: Pull.Pull<A, E, D, R>): Pull.Pull<A, E | Decode, D, R> =>
      Effect.suspend((): Pull.Pull<A, E | Decode, D, R> => {
        empty = head === undefined || records > 0 ? 0 : empty + 1
        if (empty >= mostEmpty && head?.next_page_token !== undefined) {
          const { page, trace } = head
          const issue = `${empty} pages in a row were empty although more were to follow`
          return Effect.fail(new Decode({ endpoint, trace, page, path: "data", issue }))
        }
        return Effect.map(receive, (received) => {
          const { next_page_token, page, trace } = received
          head = { next_page_token, page, trace }
          records = 0
          return received
        })
      }),
    /** Looks at records of the current page, and gives them. */
    emit: <B extends ReadonlyArray<unknown>>(batch: B): Effect.Effect<B, Decode> => {
      const found = watch?.see(batch, records === 0)
      const said = found === undefined ? undefined : report(found, batch.length)
      records += batch.length
      return said === undefined ? Effect.succeed(batch) : Effect.as(said, batch)
    }
  }
}
