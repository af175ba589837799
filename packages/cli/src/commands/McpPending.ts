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

const idsOf = (message: unknown, isRequest: boolean): ReadonlyArray<string> =>
  (Array.isArray(message) ? message : [message]).flatMap((one: unknown) =>
    Predicate.hasProperty(one, "id") && Predicate.hasProperty(one, "method") === isRequest ? [String(one.id)] : []
  )

/** Builds the memory of a conversation. */
export const make = () => {
  const pending = new Set<string>()
  return {
    /** Notes the requests of a message; gives the id that is in use already, where one is, and then notes none. */
    begin: (message: unknown): string | undefined => {
      const ids = idsOf(message, true)
      const twice = ids.find((id, at) => pending.has(id) || ids.indexOf(id) < at)
      if (twice === undefined) for (const id of ids) pending.add(id)
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
