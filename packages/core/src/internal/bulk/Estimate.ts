/** How many records a part may have, as far as its parameters tell. */
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Parameter from "../../Parameter.ts"
import * as Params from "../../Params.ts"
import * as Call from "../call/Call.ts"
import * as Prepare from "../pages/Prepare.ts"
import * as Series from "../series/Series.ts"

/**
 * Whether all records of a call fit one page of about a megabyte: it names its entities and both ends of its range, its records
 * come at a frequency, and their columns are known. A larger page would be in memory at once, where a json_stream is not. A
 * service that has more records than that sends a token with the page, so this decides about requests only.
 */
export const fitsPage = (endpoint: Estimated, params: object): boolean => {
  const call = Call.make(endpoint, params)
  const [entities, instants, size] = [countEntities(call), countInstants(call), Call.usualPageSize(call)]
  if (entities === undefined || instants === undefined || size === undefined) return false
  const records = entities * instants
  if (records > Math.min(size, maxBytes / columnBytes)) return false
  const columns = countColumns(call, endpoint, params)
  return columns !== undefined && records * (keyBytes + columns * columnBytes) <= maxBytes
}

/**
 * How many records the last page of a call has where nothing tells how many there are, such as trades of a day: a page of about a
 * megabyte. Nothing where another page would say no more than a page of one: of a list, of any entities, without an end, of
 * unknown columns, with a limit, and where a frequency tells how many records there are.
 */
export const lastPageSize = (endpoint: Estimated, params: object): number | undefined => {
  const call = Call.make(endpoint, params)
  const series = Series.of(call)
  const size = Call.usualPageSize(call)
  const hasEnd = (["time", "height"] as const).some((unit) => Call.valueOf(call, "End", unit) !== undefined)
  if (series === undefined || size === undefined || !hasEnd || Call.isIndivisible(call)) return undefined
  const named = Params.items(call.values.get(series.entities))
  if (named.length === 0 || named.some((item) => item.includes("*")) || Call.stepOf(call) !== undefined)
    return undefined
  const columns = countColumns(call, endpoint, params)
  return columns === undefined ? undefined : Math.min(size, Math.floor(maxBytes / (keyBytes + columns * columnBytes)))
}

/** What an estimate needs to know about an endpoint. */
export interface Estimated extends Call.EndpointInfo {
  readonly record: (params?: never) => Schema.Top
}

/** The bytes of a page that is better than a json_stream: a few pieces of it. */
const maxBytes = 1_048_576

/** The usual bytes of the entity and the time of a record, with their names. */
const keyBytes = 64

/** The usual bytes of another column, with its name. */
const columnBytes = 32

/**
 * The columns of a record beside entity and time, without those only some have; nothing where lists or wildcards are
 * among them.
 */
const countColumns = (call: Call.Call, { record }: Estimated, params: object): number | undefined => {
  const named = Parameter.find(call.endpoint.parameters, "Columns")?.name
  if (named !== undefined) {
    const items = Params.items(call.values.get(named))
    return items.some((item) => item.includes("*")) ? undefined : items.length
  }
  // Type boundary: the parameters were checked when the part was made, and are checked again when it is read.
  const { ast } = record(params as never)
  if (!SchemaAST.isObjects(ast) || ast.propertySignatures.some(({ type }) => Prepare.holdsList(type))) return undefined
  return Math.max(0, ast.propertySignatures.length - 2)
}

/** The entities of which a call requests records; nothing where it may be any number. */
const countEntities = (call: Call.Call): number | undefined => {
  const series = Series.of(call)
  const [list, ...others] = Parameter.withRole(call.endpoint.parameters, "Entities").filter(({ name }) =>
    call.values.has(name)
  )
  const isNamed = list?.role._tag === "Entities" && list.role.field === series?.entity && others.length === 0
  // An identity beside entity and time: there may be many records of one time.
  if (!isNamed || series === undefined || series.identity !== undefined) return undefined
  const items = Params.items(call.values.get(list.name))
  return items.some((item) => item.includes("*")) ? undefined : items.length
}

/** The instants of a range at a frequency; nothing for `1b`, of blocks. */
const countInstants = (call: Call.Call): number | undefined => {
  const step = Call.stepOf(call)
  const { end, start } = Call.rangeOf(call)
  if (step === undefined || start === undefined || end === undefined) return undefined
  const last = end.isIncluded ? end.nanos : end.nanos - 1n
  return Number((last - start) / step.nanos) + 1
}
