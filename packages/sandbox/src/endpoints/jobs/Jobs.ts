/**
 * GET /jobs (docs/interface.md 13.2).
 */
import * as Effect from "effect/Effect"
import type { Endpoint } from "../../internal/listing/Endpoint.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Reference from "../Reference.ts"

/** The endpoint. A caller without jobs has none that it could be told of. */
export const all: ReadonlyArray<Endpoint> = [
  {
    path: "/jobs",
    community: true,
    parameters: ["ids", "include_warnings"],
    pagingFrom: "none",
    formats: ["json"],
    list: Effect.fnUntraced(function* (query, caller) {
      const ids = yield* Query.required(query, "ids")
      const withWarnings = yield* Query.boolean(query, "include_warnings", false)
      const jobs = caller.jobs?.(ids) ?? []
      return Reference.listing(jobs, (job) => (withWarnings ? { ...job, warnings: [] } : job))
    })
  }
]
