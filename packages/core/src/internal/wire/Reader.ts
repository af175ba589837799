/** What reads bytes with WebAssembly, where a program has it. Without it records are parsed and checked. */
import * as Context from "effect/Context"
import type * as Nesting from "./Nesting.ts"
import type * as RecordReader from "./RecordReader.ts"

/** What a client reads with. */
export interface Reader {
  /** Builds the reader of the records of a schema. */
  readonly records: typeof RecordReader.make
  /** Builds what finds the ends of long values. */
  readonly nesting: typeof Nesting.make
}

/** The reader of the clients that are built. */
export const Reader = Context.Reference<Reader | undefined>("@sluice/core/Reader", { defaultValue: () => undefined })
