/**
 * Which parameters of an endpoint a dataset takes, as a type.
 */
import type * as Bulk from "@sluice/core/Bulk"

/** Parameters that say something of one request; a dataset takes many, and has no end. */
type OfOneRequest =
  | "end_time"
  | "start_inclusive"
  | "end_inclusive"
  | "start_height"
  | "end_height"
  | "start_hash"
  | "end_hash"
  | "start_with_snapshot"
  | "timezone"
  | "page_size"
  | "paging_from"
  | "next_page_token"
  | "sort"
  | "format"
  | "pretty"
  | `limit_per_${string}`

/**
 * The parameters that a dataset of an endpoint takes: those of a request that say which records it has and where they
 * begin. What is neither a series nor a list is refused when the program runs.
 */
export type ParamsOf<E> = string extends keyof Bulk.ParamsOf<E>
  ? Bulk.ParamsOf<E>
  : Bulk.ParamsOf<E> & { readonly [K in Extract<keyof Bulk.ParamsOf<E>, OfOneRequest>]?: never }
