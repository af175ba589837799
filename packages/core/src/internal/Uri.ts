/**
 * How long a request is as the service counts it: root, path and query, encoded.
 */
import type * as Params from "../Params.ts"

/** Longest request URI the service reads. Source: facts.md 1.2 (414). */
export const longest = 10_000

/** Characters of a query, without the question mark. */
export const queryLength = (query: Params.Query): number =>
  new URLSearchParams(query.map(([name, value]) => [name, value])).toString().length

/** Characters a value takes within a query. */
export const valueLength = (value: string): number => queryLength([["", value]]) - 1

/** Characters of a whole request. */
export const length = (root: string, endpoint: string, query: Params.Query): number =>
  root.length + endpoint.length + 1 + queryLength(query)
