/**
 * What differs between databases: statements, and the little that is more than a statement.
 */
import type * as Effect from "effect/Effect"
import type { StoreFailed } from "../model/DatasetError.ts"
import type * as Ddl from "@sluice/files/internal/format/Ddl"
import type { Session } from "./Session.ts"
import type { Statements } from "./Statements.ts"
import type { Table, TableAddress } from "./Table.ts"

/** The language of a database. */
export interface Dialect {
  readonly name: Ddl.Dialect
  readonly statements: (table: Table, place: TableAddress) => Statements
  /** The time of a row as the service writes it, or of a function of all of them such as `min`; of another column where it is named. */
  readonly timeText: (isGrid: boolean, column?: string, bound?: "min" | "max") => string
  /** By what rows of an entity are sorted as their times are. */
  readonly timeOrder: (isGrid: boolean) => ReadonlyArray<string>
  /** Whether the time of a row is from one time on and before another, both in nanoseconds since 1970 as text. */
  readonly timeWithin: (isGrid: boolean, from: string, to: string) => string
  /** Finds a table by its schema and its name. */
  readonly tableExists: string
  /** After a `SELECT`: keeps others from changing its rows until the end of the transaction. */
  readonly forShare: string
  /** A list of objects in JSON as rows `n` with these columns. */
  readonly rowsOf: (json: string, columns: Readonly<Record<string, string>>) => string
  /** Lets one at a time make the tables of Sluice in a schema, until the end of its transaction. */
  readonly lockSchema: (session: Session, schema: string) => Effect.Effect<unknown, StoreFailed>
  /** Finds the first name that the database would not keep, and says why. */
  readonly badName: (names: ReadonlyArray<string>) => { readonly name: string; readonly reason: string } | undefined
}
