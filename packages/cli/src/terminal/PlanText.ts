/** A plan as people read it. */
import type * as Bulk from "@sluice/core/Bulk"
import * as Amount from "./Amount.ts"

/** A number of a plan: `about` where it is an estimate, and its bounds where nothing is expected. */
export const amount = (
  { expected, isExact, least, most }: Bulk.Amount,
  text: (value: number) => string = Amount.count
): string => {
  if (expected !== null) return isExact ? text(expected) : `about ${text(expected)}`
  return most === null ? `${text(least)} or more` : `${text(least)} to ${text(most)}`
}

const planOf = ({ isKnown, limit, plan, window }: Bulk.Plan["quota"]) => {
  if (limit === null) return "no rate limit is known"
  const name = isKnown ? `the plan ${plan}` : "no plan is known, and the strictest assumed"
  return `${name}: ${Amount.count(limit)} requests in ${Amount.duration(window)}`
}

export const total = ({ parts, quota, total: { bytes, millis, records, requests } }: Bulk.Plan): string =>
  `Planned: ${Amount.some(parts, "part")}, ${amount(requests)} requests, ${amount(records)} records, ` +
  `${amount(bytes, Amount.bytes)}, ${amount(millis, Amount.duration)} under the rate limit (${planOf(quota)}).`

/** The rows of a table by entity, and of the requests that no entity has: those of a download check access. */
export const rows = ({ otherRequests, entities }: Bulk.Plan) => [
  ...entities.map(({ bytes, entity, millis, records, requests }) => ({
    entity,
    requests: amount(requests),
    records: amount(records),
    bytes: amount(bytes, Amount.bytes),
    time: amount(millis, Amount.duration)
  })),
  ...(otherRequests === 0 ? [] : [{ entity: "(access check)", requests: Amount.count(otherRequests) }])
]

/** Says what a plan does not know, and why its rows come to more than the total. */
export const notes = ({ entities, otherRequests, total, unknown }: Bulk.Plan): string => {
  const ofRows = entities.reduce((sum, { requests }) => sum + requests.least, otherRequests)
  const shared =
    ofRows > total.requests.least ? "Requests that entities share are counted in each of their rows.\n" : ""
  return shared + unknown.map((text) => `Not known: ${text}.\n`).join("")
}
