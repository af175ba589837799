/** Reads the records of replies. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isItem, itemOf, itemsOf, textOf } from "./Item.ts"
import { type Query, type Reply, Service, type Way } from "./Service.ts"
import { forbidden, unclear } from "./Undecided.ts"

/** Sends a request, and receives its reply, whatever its status. */
export const reply = (path: string, query?: Query, way?: Way) => Service.use(({ get }) => get(path, query, way))

/** The type of an error body; empty where it has none. */
export const errorType = ({ body }: Reply): string => {
  const error = itemOf(body)?.["error"]
  return isItem(error) ? textOf(error, "type") : ""
}

/** What a reply is, in a few words: its status and the type of its error. */
export const told = (reply: Reply): string => `HTTP ${reply.status} ${errorType(reply).slice(0, 40)}`.trim()

/** Gives a reply that brings records. */
export const granted = (reply: Reply) => {
  if (reply.status === 200) return Effect.succeed(reply)
  return reply.status === 403 ? forbidden(told(reply)) : unclear(told(reply))
}

/** The word for a request that the service refuses with 400, or for one that it grants. */
export const refusedOr = Effect.fnUntraced(function* (
  [refused, other]: readonly [refused: string, granted: string],
  path: string,
  query: Query,
  way?: Way
) {
  const answer = yield* reply(path, query, way)
  if (answer.status === 400) return refused
  yield* granted(answer)
  return other
})

export const page = Effect.fnUntraced(function* (path: string, query?: Query) {
  const envelope = itemOf((yield* granted(yield* reply(path, query))).body)
  if (envelope === undefined) return yield* unclear("the reply is no JSON object")
  // On the last page there is no token.
  return { items: itemsOf(envelope["data"]), token: textOf(envelope, "next_page_token") || undefined, envelope }
})

/** Reads the records of a page. Fails where there is none. */
export const records = Effect.fnUntraced(function* (path: string, query?: Query) {
  const { items } = yield* page(path, query)
  return items.length === 0 ? yield* unclear(`no records in ${path.slice(1)}`) : items
})

/** Reads the records of a json_stream, as far as it is read. */
export const lines = Effect.fnUntraced(function* (path: string, query: Query, way?: Way) {
  const answer = yield* granted(yield* reply(path, { ...query, format: "json_stream" }, way))
  const found = answer.body.split("\n").map(itemOf)
  return { ...answer, items: found.filter((item) => item !== undefined) }
})

/** A time so much later, or earlier, as a request takes it. */
export const shifted = (time: string, by: Partial<DateTime.DateTime.PartsForMath>) =>
  Option.match(DateTime.make(time), { onNone: () => time, onSome: (at) => DateTime.formatIso(DateTime.add(at, by)) })

export const dayOf = (time: string): string => time.slice(0, 10)
