/** Reading an endpoint up to a number of records, with no more requests than that takes. */
import * as Bulk from "@sluice/core/Bulk"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Parameter from "@sluice/core/Parameter"
import * as Stream from "effect/Stream"

/** The parameters of a call, and the most of its records that are read. */
export interface Limited {
  readonly count: number | undefined
  readonly params: Readonly<Record<string, unknown>>
}

/**
 * Adds what a limit says to the parameters given. An endpoint that has a limit of its own gets it, since it answers in one
 * reply; others get pages of no more records, unless the records are the latest of each entity: these all have to come
 * before the first is known.
 */
export const limited = (
  endpoint: Endpoint.Info,
  text: string | undefined,
  given: Readonly<Record<string, unknown>>
): Limited => {
  const count = text === undefined || text === "none" ? undefined : Number(text)
  const own = Parameter.find(endpoint.parameters, "Limit")
  if (text === undefined || own === undefined) return { count, params: { ...sizeOf(endpoint, count, given), ...given } }
  const isSmall = count !== undefined && count <= (own.maximum ?? 0)
  return { count, params: { [own.name]: isSmall ? count : "none", ...given } }
}

const sizeOf = ({ parameters }: Endpoint.Info, count: number | undefined, given: Readonly<Record<string, unknown>>) => {
  const size = Parameter.find(parameters, "PageSize")
  const isOfLatest = given[Parameter.find(parameters, "LimitPer")?.name ?? ""] !== undefined
  const hasPages = !Parameter.isStreamOnly(parameters, Object.entries(given))
  return size?.maximum === undefined || count === undefined || count >= size.maximum || isOfLatest || !hasPages
    ? {}
    : { [size.name]: count }
}

/** Reads pages that are no larger than the limit; without a limit, in the format that suits the service best. */
export const read = (
  endpoint: Endpoint.Any,
  params: Readonly<Record<string, unknown>>,
  options: Endpoint.CallOptions,
  count: number | undefined
) =>
  count === undefined
    ? Bulk.read(endpoint, { index: 0, params }, options)
    : // Type boundary: the flags of an endpoint known only at run time are data; the call checks them.
      Stream.take(endpoint(params as never, options), count)
