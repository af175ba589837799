/**
 * A catalog in which others find the versions of a dataset's folder: that of DuckLake, in a database.
 */
import type * as Effect from "effect/Effect"
import type { BadDefinition, StoreFailed } from "./DatasetError.ts"

/** Where the files of versions are. */
export interface LakePlace {
  /** The folder around that of the table, as an absolute path or in a bucket, with a separator at its end. */
  readonly parent: string
  /** The folder of the table, below that. */
  readonly folder: string
  /** Name of the table. */
  readonly table: string
  /** The column that the folders of files name; absent where files have it. */
  readonly entity: string | undefined
}

/** A column of the table. */
export interface LakeColumn {
  readonly name: string
  /** As the catalog has it, such as `float64`. */
  readonly type: string
}

/** A file of a version. */
export interface LakeFile {
  /** Below the folder of the table. */
  readonly path: string
  readonly entity: string | undefined
  readonly rows: number
  readonly bytes: number
  /** Bytes of the metadata at its end. */
  readonly footer: number
  /** Times of the first and the last record. */
  readonly first: string
  readonly last: string
}

/** A version, as the catalog has it. */
export interface LakeVersion {
  /** The snapshot that made it; 0 where there is no table, though files of a former one are known. */
  readonly snapshot: number
  /** When it was made, in milliseconds since 1970. */
  readonly at: number
  readonly columns: ReadonlyArray<LakeColumn>
  /** Paths of its files. */
  readonly files: ReadonlyArray<string>
  /** Files that older versions have alone, and when they went. */
  readonly gone: ReadonlyArray<{ readonly path: string; readonly at: number }>
}

/** What the next version changes. */
export interface LakeChange {
  readonly at: number
  /** The snapshot of the version before it. */
  readonly after: number
  /** Whether files of the versions before are missing, so that these go. */
  readonly isLost: boolean
  readonly columns: ReadonlyArray<LakeColumn>
  readonly added: ReadonlyArray<LakeFile>
  /** Paths that it has no more. */
  readonly removed: ReadonlyArray<string>
  /** What went before this time is forgotten, in milliseconds since 1970. */
  readonly expired: number
}

/** The table of a dataset in a catalog. Fails where it is of somebody else. */
export interface LakeTable {
  /** The last version; nothing where there is none. */
  readonly read: Effect.Effect<LakeVersion | undefined, BadDefinition | StoreFailed>
  /** Makes a version in one transaction, and gives its snapshot. */
  readonly commit: (change: LakeChange) => Effect.Effect<number, BadDefinition | StoreFailed>
}

/** A catalog; `DatasetPostgres.duckLake` makes one. */
export interface Lake {
  readonly name: string
  readonly open: (place: LakePlace) => LakeTable
}
