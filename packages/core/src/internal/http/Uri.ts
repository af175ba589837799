/**
 * The request target, path and query, as `@sluice/node` sends it and as the service counts it.
 *
 * Another `HttpClient` escapes more characters, so its requests may be longer than is counted here: a 414 is the answer then.
 */
import type * as Params from "../../Params.ts"

/** Longest path and query the service reads, in characters. Source: docs/interface.md 1.2 (414). */
export const longest = 10_000

// RFC 3986 3.4 allows these in a query as they are. Lists are joined by commas and times have colons: escaped, they would
// take three characters each. Not among them is what some service reads as a separator or as a space (`&`, `;`, `=`, `+`),
// and the apostrophe, which URL parsers escape.
const escaped = /[^\w.~!*(),:/?@$-]+/g

/** Writes a name or a value of a query; half a surrogate pair becomes U+FFFD. */
const encode = (text: string) =>
  text.toWellFormed().replaceAll(escaped, (part) => encodeURIComponent(part).replaceAll("'", "%27"))

const pairs = (query: Params.Query) => query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&")

/** Writes path and query of a request, to count them; the path is that of the root and of the endpoint below it. */
export const target = (path: string, query: Params.Query): string =>
  query.length === 0 ? path : `${path}?${pairs(query)}`

/** Characters a value takes within a query. */
export const valueLength = (value: string): number => encode(value).length
