/**
 * Replies that the service may send, made from the table for every operation: what a reader must accept.
 */
import type { Operation } from "./Operation.ts"
import * as Sample from "./Sample.ts"
import * as View from "./View.ts"

export interface Reply {
  readonly name: string
  /** What the call gives beside what is required. */
  readonly query: string
  readonly records: ReadonlyArray<Sample.Json>
}

const viewed = ({ fields, name, params }: View.View, apart: Operation["apart"]): ReadonlyArray<Reply> => {
  const reply = (what: string, records: Reply["records"]): Reply => ({
    name: name === "record" ? what : `${what} (${name})`,
    query: String(new URLSearchParams(params)),
    records
  })
  return [
    reply("every field, in every form of its kind", Sample.rows(fields)),
    reply("only what names a record", Sample.least(fields)),
    reply("null in every other field", Sample.nulls(fields)),
    ...(apart === undefined ? [] : [reply("two records of one time", Sample.together(fields, apart))])
  ]
}

/** The replies of an operation. */
export const of = (operation: Operation): ReadonlyArray<Reply> =>
  View.of(operation).flatMap((view) => viewed(view, operation.apart))
