/** The statements that create a table. */
import type { ColumnType } from "@sluice/core/internal/columns/ColumnType"

/** Name of a table, or of its schema and the table. */
export type Table = string | readonly [schema: string, table: string]

/** What a table is created of. */
interface Described {
  readonly endpoint: string
  readonly columns: ReadonlyArray<{
    readonly name: string
    readonly nullable: boolean
    readonly type: ColumnType
    readonly description?: string | undefined
  }>
  readonly key: ReadonlyArray<string>
}

/** A database, by its language. */
export type Dialect = "duckdb" | "postgres"

interface Options {
  readonly dialect: Dialect
  readonly table?: Table | undefined
  readonly primaryKey?: boolean | undefined
  readonly ifNotExists?: boolean | undefined
}

/** A name as SQL has it, in quotes. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

const plain = /^[a-z_][a-z0-9_$]*$/

/** A table as messages name it: in quotes where SQL needs them, so that it can be copied, and a space does not end the name. */
export const qualified = ({ schema, table }: { readonly schema: string; readonly table: string }): string =>
  [schema, table].map((name) => (plain.test(name) ? name : identifier(name))).join(".")

export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** The path of a file as DuckDB reads it, in which no character stands for others. */
export const path = (file: string): string => literal(file.replaceAll(/[*?[]/g, "[$&]"))

/** Gives the statements, without semicolons: the table first, then a comment for each column that has one. */
export const statements = (
  { columns, endpoint, key }: Described,
  { dialect, ifNotExists = false, primaryKey = true, table = endpoint.split("/").at(-1) ?? "records" }: Options
): ReadonlyArray<string> => {
  const name = (typeof table === "string" ? [table] : table).map(identifier).join(".")
  const keys = primaryKey ? key : []
  const lines = columns.map(({ name, nullable, type }) => {
    const isRequired = !nullable || keys.includes(name)
    return `${identifier(name)} ${typeOf(type, dialect)}${isRequired ? " NOT NULL" : ""}`
  })
  const last = keys.length === 0 ? [] : [`PRIMARY KEY (${keys.map(identifier).join(", ")})`]
  const body = [...lines, ...last].map((line) => `  ${line}`).join(",\n")
  const comments = columns.flatMap((column) =>
    column.description === undefined
      ? []
      : [`COMMENT ON COLUMN ${name}.${identifier(column.name)} IS ${literal(column.description)}`]
  )
  return [`CREATE TABLE ${ifNotExists ? "IF NOT EXISTS " : ""}${name} (\n${body}\n)`, ...comments]
}

const types = {
  duckdb: {
    Text: "VARCHAR",
    Json: "JSON",
    Boolean: "BOOLEAN",
    Int64: "BIGINT",
    Double: "DOUBLE",
    Time: "TIMESTAMP_NS"
  },
  postgres: {
    Text: "text",
    Json: "jsonb",
    Boolean: "boolean",
    Int64: "bigint",
    Double: "double precision",
    Time: "timestamptz"
  }
} as const

export const typeOf = (type: ColumnType, dialect: Dialect): string => {
  if (type._tag !== "Decimal") return types[dialect][type._tag]
  const { isUsual, shape } = type
  // Without bounds it has as many digits as the service may write.
  if (dialect === "postgres" && isUsual) return "numeric"
  return `${dialect === "postgres" ? "numeric" : "DECIMAL"}(${shape.precision}, ${shape.scale})`
}
