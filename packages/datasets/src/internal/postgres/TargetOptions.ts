/**
 * The options of a table of PostgreSQL.
 */
import * as Schema from "effect/Schema"
import type { ConnectionOptions } from "node:tls"
import * as StoreOptions from "../database/StoreOptions.ts"
import type * as Table from "../database/Table.ts"
import * as Kinds from "@sluice/node/internal/options/Kinds"
import type { Connection } from "./Session.ts"

/** Where the table is, and how records become rows. */
export interface Options extends Connection, Table.TableOptions {
  /** Name of the table, exactly as it is written here. */
  readonly table: string
  /** The schema; created if missing. Default `public`. */
  readonly schema?: string | undefined
  /**
   * Connections that write at the same time, beside the one that has the lock of a sync. Default 4, and 10 in each process of a
   * load that several share, of which each reads a part.
   */
  readonly connections?: number | undefined
}

/** The same as schemas. */
export const fields = {
  ...StoreOptions.fields,
  url: Kinds.redacted,
  tls: Schema.optional(Kinds.object<ConnectionOptions>()),
  connections: Schema.optional(Kinds.whole)
}
