/**
 * The options of a table of PostgreSQL, as schemas.
 */
import * as Schema from "effect/Schema"
import type { ConnectionOptions } from "node:tls"
import * as StoreOptions from "../database/StoreOptions.ts"
import * as Kinds from "../options/Kinds.ts"

/** Where the table is, and how records become rows. */
export const fields = {
  ...StoreOptions.fields,
  url: Kinds.redacted,
  tls: Schema.optional(Kinds.object<ConnectionOptions>()),
  connections: Schema.optional(Kinds.whole)
}
