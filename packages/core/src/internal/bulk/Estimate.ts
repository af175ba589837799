/**
 * How many records a part may have, as far as its parameters tell.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Parameter from "../../Parameter.ts"
import * as Params from "../../Params.ts"
import * as Timestamp from "../../Timestamp.ts"
import * as Call from "../call/Call.ts"
import * as Series from "../series/Series.ts"

/**
 * Whether all records of a call fit one page: it names its entities and both ends of its range, and its records come at a
 * frequency. A service that has more of them than that sends further pages, so this decides about requests only.
 */
export const fitsPage = (call: Call.Call): boolean => {
  const [entities, instants, size] = [countEntities(call), countInstants(call), Call.usualPageSize(call)]
  return entities !== undefined && instants !== undefined && size !== undefined && entities * instants <= size
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

const seconds: Readonly<Record<string, bigint>> = { s: 1n, m: 60n, h: 3_600n, d: 86_400n }

/** The instants of a range at a frequency such as `15s`, `4h` or `1d-ny-close`; nothing for `1b`, of blocks. */
const countInstants = (call: Call.Call): number | undefined => {
  const [, count = "", unit = ""] =
    /^([1-9]\d{0,5})([smhd])(?![a-z])/.exec(String(Call.valueOf(call, "Frequency"))) ?? []
  const [from, to] = (["Start", "End"] as const).map((role) => {
    const text = Call.valueOf(call, role, "time")
    return Predicate.isString(text) ? Result.getOrUndefined(Timestamp.toEpochNanos(text)) : undefined
  })
  const every = seconds[unit]
  if (every === undefined || from === undefined || to === undefined) return undefined
  return Number((to - from) / (BigInt(count) * every * 1_000_000_000n)) + 1
}
