/**
 * Defects of datasets in tables.
 */
import type { Defect } from "./Defect.ts"

const database = "packages/datasets/src/internal/database"
const postgres = "packages/datasets/src/internal/postgres"

/** All of them. */
export const all: ReadonlyArray<Defect> = [
  {
    name: "a transaction that fails is not rolled back",
    file: `${database}/Session.ts`,
    from: 'Effect.ignore(run("roll back", "ROLLBACK"))',
    to: "Effect.void",
    targets: ["tables"]
  },
  {
    name: "rows of an entity are counted anew with each change",
    file: `${database}/KeptTables.ts`,
    from: "SET rows = c.rows + EXCLUDED.rows",
    to: "SET rows = EXCLUDED.rows",
    targets: ["tables"]
  },
  {
    name: "revised values are not written to a table",
    file: `${postgres}/Statements.ts`,
    from: "`UPDATE SET ${list(others.map((one) => `${one} = EXCLUDED.${one}`))}`",
    to: '"NOTHING"',
    targets: ["tables"]
  },
  {
    name: "rows of the change before stay in the staging table",
    file: `${postgres}/Writers.ts`,
    from: "staged === statements ? [clearStage] : statements.stage",
    to: "staged === statements ? [] : statements.stage",
    targets: ["tables"]
  },
  {
    name: "the definition of a table is kept without its columns after a kill",
    file: `${database}/SqlStore.ts`,
    from: "        yield* main.transaction(extend)\n",
    to: "        yield* bookkeeping.define(main, definition, settings)\n        yield* main.transaction(extend)\n",
    targets: ["tables"]
  },
  {
    name: "rows that the service has taken back stay in a table",
    file: `${database}/Apply.ts`,
    from: '"remove records", statements.remove, spans)',
    to: '"remove records", statements.remove, "[]")',
    targets: ["tables"]
  }
]
