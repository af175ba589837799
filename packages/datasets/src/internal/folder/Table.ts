/**
 * How records of a dataset become the bytes of its files.
 */
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Effect from "effect/Effect"
import * as Parameter from "@sluice/core/Parameter"
import * as Format from "@sluice/files/Format"
import type * as Columns from "@sluice/core/internal/columns/Column"
import * as ColumnType from "@sluice/core/internal/columns/ColumnType"
import { BadFormat } from "@sluice/core/internal/columns/FormatError"
import * as FormatOptions from "@sluice/files/internal/format/Options"
import type { Definition } from "../model/Definition.ts"
import type { Layout } from "../ledger/Layout.ts"

/** How files are written, and what is needed to read them back. */
export interface Table {
  readonly encode: Format.Encoder
  /** Columns that hold JSON. */
  readonly json: ReadonlySet<string>
  /** The columns of the files, and the types that they have in Parquet. */
  readonly columns: ReadonlyArray<Columns.Column & { readonly type: ColumnType.ColumnType }>
}

interface How {
  readonly layout: Layout
  readonly format: Format.Options
}

/**
 * Chooses the columns of the files. Where a folder names the entity, they have no column of it: readers take it from
 * the name of the folder, and some refuse to have it twice.
 */
export const make = Effect.fnUntraced(function* (
  endpoint: Endpoint.Any,
  { params, versions }: Pick<Definition, "params" | "versions">,
  { format, layout }: How
) {
  if (format.as === "ndjson") {
    const table: Table = { encode: yield* Format.encode(endpoint, params, format), json: new Set(), columns: [] }
    return table
  }
  const all = yield* Format.columns(endpoint, params)
  const names = all.map(({ name }) => name)
  const entity = Parameter.withRole(endpoint.parameters, "Entities").flatMap(({ role }) =>
    role._tag === "Entities" && role.field !== undefined ? [role.field] : []
  )[0]
  const { columns: chosen, statusColumns } = FormatOptions.withDefaults(format)
  const wanted = chosen ?? names.filter((name) => statusColumns === true || !isStatus(name, names))
  const identity = Parameter.identityOf(endpoint, Object.entries(params)) ?? []
  const needed =
    endpoint.order === "list"
      ? []
      : ["time", ...(layout.byEntity ? [] : [entity ?? "time"]), ...(versions === undefined ? [] : identity)]
  const lacking = needed.find((name) => !wanted.includes(name))
  if (lacking !== undefined) {
    return yield* new BadFormat({ option: "columns", reason: `a dataset needs the column "${lacking}"` })
  }
  const columns = wanted.filter((name) => !layout.byEntity || name !== entity)
  const typeOf = (column: Columns.Column) => ColumnType.of(column, format)
  const table: Table = {
    encode: yield* Format.encode(endpoint, params, { ...format, columns }),
    json: new Set(all.flatMap(({ kind, name }) => (kind === "json" ? [name] : []))),
    columns: columns.flatMap((name) =>
      all.filter((one) => one.name === name).map((one) => ({ ...one, type: typeOf(one) }))
    )
  }
  return table
})

/** The columns that hold JSON. */
export const jsonOf = (endpoint: Endpoint.Any, how: How & { readonly definition: Definition }) =>
  Effect.map(make(endpoint, { params: how.definition.params }, how), ({ json }) => json)

const isStatus = (name: string, names: ReadonlyArray<string>): boolean => {
  const metric = name.replace(/-status(?:-time)?$/, "")
  return metric !== name && names.includes(metric)
}
