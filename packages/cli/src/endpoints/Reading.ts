/**
 * Reading an endpoint up to a number of records, with no more requests than that takes.
 */
import * as Bulk from "@sluice/core/Bulk"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Parameter from "@sluice/core/Parameter"
import * as Stream from "effect/Stream"

/** Sends the limit to an endpoint that has one of its own, since such an endpoint answers in one reply. */
export const limitOf = (endpoint: Endpoint.Info, text: string | undefined) => {
  const count = text === undefined || text === "none" ? undefined : Number(text)
  const own = Parameter.find(endpoint.parameters, "Limit")
  if (text === undefined || own === undefined) return { count, params: sizeOf(endpoint, count) }
  const isSmall = count !== undefined && count <= (own.maximum ?? 0)
  return { count, params: { [own.name]: isSmall ? count : "none" } }
}

const sizeOf = ({ parameters }: Endpoint.Info, count: number | undefined) => {
  const size = Parameter.find(parameters, "PageSize")
  return size?.maximum === undefined || count === undefined || count >= size.maximum ? {} : { [size.name]: count }
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
