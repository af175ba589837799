/**
 * The statements of one table, as a dialect writes them.
 */
import type { Table } from "./Table.ts"

/** The statements of one table. Those that count give `entity` and `rows`. */
export interface Statements {
  readonly create: ReadonlyArray<string>
  /** Makes the staging table of a connection, which others do not see. */
  readonly stage: ReadonlyArray<string>
  /** Finds the entity of a record that was staged twice; absent where the table itself refuses it. */
  readonly twice?: string | undefined
  /** Statements for spans that hold no records yet; absent where the database gains nothing. */
  readonly intoEmpty?: {
    /** Finds spans with records. It has the spans as JSON. */
    readonly find: string
    /** Adds the staged records, and counts them. */
    readonly add: ReadonlyArray<string>
  }
  /**
   * Lets values of `carried` columns stay: statements before records are removed, the first of which has the spans as JSON, and after
   * the staged ones were added, which count the records that were added once more. Absent where there are no such columns.
   */
  readonly carry?: { readonly before: ReadonlyArray<string>; readonly after: ReadonlyArray<string> } | undefined
  /** Removes the records in the spans, which the first statement has as JSON (`Apply.ts`), and counts them. */
  readonly remove: ReadonlyArray<string>
  /** Adds the staged records, and counts those that are new. */
  readonly add: ReadonlyArray<string>
}

/** The table as a definition makes it. */
export interface Current {
  readonly table: Table
  readonly statements: Statements
}
