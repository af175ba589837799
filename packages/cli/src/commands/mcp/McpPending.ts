/**
 * The requests of a conversation that were not answered yet, by their ids. The server stops reading at a request whose id another
 * one has, so such a request is refused before.
 */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/** Reads a message, or a list of them. */
export const messageOf = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Union([Schema.Record(Schema.String, Schema.Unknown), Schema.Array(Schema.Unknown)]))
)

const isId = (id: unknown): id is string | number => Predicate.isString(id) || Predicate.isNumber(id)

const idsOf = (message: unknown, isRequest: boolean): ReadonlyArray<string> =>
  (Array.isArray(message) ? message : [message]).flatMap((one: unknown) =>
    Predicate.hasProperty(one, "id") && isId(one.id) && Predicate.hasProperty(one, "method") === isRequest
      ? [String(one.id)]
      : []
  )

/** The id of the request that a message takes back, which then gets no answer. */
const takenBack = (message: unknown): string | undefined =>
  Predicate.hasProperty(message, "method") &&
  message.method === "notifications/cancelled" &&
  Predicate.hasProperty(message, "params") &&
  Predicate.hasProperty(message.params, "requestId")
    ? String(message.params.requestId)
    : undefined

export const make = () => {
  const pending = new Set<string>()
  return {
    /** Notes the requests of a message; gives the id that is in use already, where one is, and then notes none. */
    begin: (message: unknown): string | undefined => {
      const ids = idsOf(message, true)
      const twice = ids.find((id, at) => pending.has(id) || ids.indexOf(id) < at)
      // A list may be answered as a whole.
      if (twice === undefined && !Array.isArray(message)) for (const id of ids) pending.add(id)
      const cancelled = takenBack(message)
      if (cancelled !== undefined) pending.delete(cancelled)
      return twice
    },
    /** Notes the answers in a piece of the output, which has whole lines. */
    end: (output: string | Uint8Array): void => {
      const text = Predicate.isString(output) ? output : new TextDecoder().decode(output)
      for (const line of text.split("\n")) {
        for (const message of Option.toArray(messageOf(line)))
          for (const id of idsOf(message, false)) pending.delete(id)
      }
    }
  }
}
