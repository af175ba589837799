/**
 * What says which files a version has that others read: the log of a Delta table, or a catalog of DuckLake.
 */
import type { ColumnType } from "@sluice/core/internal/columns/ColumnType"
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { StoreError } from "./DatasetError.ts"

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
  readonly entry: {
    readonly path: string
    readonly entity?: string
    readonly rows: number
    readonly bytes: number
    readonly first: string
    readonly last: string
  }
}

/** A version, and when it was made. */
export interface Version {
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
  /** Whether its files hold what those before held. */
  readonly isRewrite: boolean
}

/** The versions of a table. */
export interface VersionLog {
  /** The last version, of which all is done. */
  readonly settle: Effect.Effect<Version | undefined, StoreError>
  /** Columns as text, to compare them. */
  readonly schemaOf: (columns: ReadonlyArray<Column>) => string
  readonly commit: (next: Next) => Effect.Effect<void, StoreError>
}

/** A table whose versions a catalog has. */
export interface LakeTable {
  /** Its folder: an absolute path or one in a bucket. */
  readonly root: string
  /** The column that the folders of files name; absent where files have it. */
  readonly entity: string | undefined
  /** The files that are there. */
  readonly names: ReadonlySet<string>
  /** Reads how long the metadata at the end of a file is. */
  readonly footerOf: (path: string) => Effect.Effect<number, StoreError>
}

/** A catalog that tells others of versions, such as `DatasetPostgres.duckLake` makes one. */
export interface Lake {
  /** What messages call it. */
  readonly name: string
}

/** The same, as the library knows it. */
export interface OpenLake extends Lake {
  readonly versionsOf: (table: LakeTable) => VersionLog
}

/** Whether something is a catalog. */
export const isLake = (value: unknown): value is OpenLake => Predicate.hasProperty(value, "versionsOf")
