/** Objects of a storage that speaks S3, by addresses such as `s3://bucket/prices/manifest.json`. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { FileFailed } from "./FileError.ts"

export interface Info {
  readonly size: number
  /** Time of its last write, in milliseconds since 1970 by the clock of the storage; 0 where it is unknown. */
  readonly modified: number
  /** Changes with its bytes. */
  readonly tag: string
  /** The mark it was put with; empty where it has none. */
  readonly mark: string
}

export interface Whole extends Info {
  readonly bytes: Uint8Array
}

/** Whether an object is put only where there is none, or only in place of the one with a tag. */
export type Condition = "absent" | { readonly tag: string }

export interface Putting {
  readonly condition?: Condition | undefined
  /** Kept with the object. */
  readonly mark?: string | undefined
}

/** What an address begins. */
export interface Listed {
  /** Behind the last slash of the address, up to the next one. */
  readonly name: string
  readonly isFolder: boolean
  readonly size: number
}

/** An object that is sent in parts. It is there once all are, or never. */
export interface Upload {
  readonly add: (bytes: Uint8Array) => Effect.Effect<void, FileFailed>
  readonly finish: Effect.Effect<void, FileFailed>
}

export interface Objects {
  readonly head: (path: string) => Effect.Effect<Info | undefined, FileFailed>
  /** From one byte to another where that is said; undefined where there is no object. */
  readonly get: (
    path: string,
    range?: { readonly from: number; readonly to: number }
  ) => Effect.Effect<Whole | undefined, FileFailed>
  /** Gives the tag of what is there then. */
  readonly put: (path: string, bytes: Uint8Array, how?: Putting) => Effect.Effect<string, FileFailed>
  /** Copies within the storage. */
  readonly copy: (from: string, to: string) => Effect.Effect<void, FileFailed>
  /** Does nothing where there is none. */
  readonly remove: (path: string) => Effect.Effect<void, FileFailed>
  /** What begins with an address, up to the next slash, in no order. */
  readonly list: (path: string) => Effect.Effect<ReadonlyArray<Listed>, FileFailed>
  /** Begins to send an object in parts; what is not finished when the scope closes is given up. */
  readonly upload: (path: string) => Effect.Effect<Upload, FileFailed, Scope.Scope>
}

/** The storage of paths that begin with `s3://`; none by default. */
export const Objects = Context.Reference<Objects | undefined>("@sluice/files/ObjectStorage", {
  defaultValue: () => undefined
})

export const isObject = (path: string): boolean => path.startsWith("s3://")
