/**
 * The request target (path and query) as `@sluice/node` sends it and as the service counts it.
 *
 * Another `HttpClient` may escape more characters, so that its requests are longer than counted here and get a 414.
 */
import type * as Params from "../../Params.ts"

/** The longest path and query the service reads, in characters (docs/interface.md 1.2). */
export const longest = 10_000

// RFC 3986 3.4 allows these characters in a query. Lists contain commas and times contain colons, which would take three
// characters each when escaped. Always escaped are separators and spaces of some service (`&`, `;`, `=`, `+`), and the
// apostrophe, which URL parsers escape.
const escaped = /[^\w.~!*(),:/?@$-]+/g

/** Encodes a name or a value of a query. A lone surrogate becomes U+FFFD. */
const encode = (text: string) =>
  text.toWellFormed().replaceAll(escaped, (part) => encodeURIComponent(part).replaceAll("'", "%27"))

const pairs = (query: Params.Query) => query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&")

/** Builds path and query of a request. The path is that of the root followed by that of the endpoint. */
export const target = (path: string, query: Params.Query): string =>
  query.length === 0 ? path : `${path}?${pairs(query)}`

/** The number of characters of a value in a query. */
export const valueLength = (value: string): number => encode(value).length
