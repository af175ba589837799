/**
 * What says which files a version has: the log of a Delta table, or a catalog of DuckLake.
 */
import type { ColumnType } from "@sluice/core/internal/columns/ColumnType"
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Ledger from "../ledger/Ledger.ts"
import type { StoreError } from "../model/DatasetError.ts"

/** How long what a version needs is kept after another followed, in milliseconds. */
export const kept = Duration.toMillis("7 days")

/** A column of the table. */
export interface Column {
  readonly name: string
  readonly type: ColumnType
}

/** A file of the table, and when it was added, or went, in milliseconds since 1970. */
export interface Named {
  readonly path: string
  readonly at: number
}

/** A file of a version: where the table has it, and what it holds. */
export interface File extends Named {
  readonly entry: Ledger.FileEntry
}

/** A version. */
export interface Version {
  /** When it was made, in milliseconds since 1970. */
  readonly at: number
  readonly schema: string
  readonly files: ReadonlyArray<Named>
  /** Files that older versions have alone. */
  readonly gone: ReadonlyArray<Named>
}

/** The version after it. */
export interface Next extends Version {
  readonly columns: ReadonlyArray<Column>
  readonly files: ReadonlyArray<File>
  readonly added: ReadonlyArray<File>
  readonly removed: ReadonlyArray<string>
  /** Whether its columns are others than before. */
  readonly isOther: boolean
}

/** The versions of a table. */
export interface VersionLog {
  /** The last version, of which all is done. */
  readonly settle: Effect.Effect<Version | undefined, StoreError>
  /** Columns as text, to compare them. */
  readonly schemaOf: (columns: ReadonlyArray<Column>) => string
  readonly commit: (next: Next) => Effect.Effect<void, StoreError>
}
