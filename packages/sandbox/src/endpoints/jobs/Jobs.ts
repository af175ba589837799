/**
 * GET /jobs (docs/interface.md 13.2).
 */
import * as Effect from "effect/Effect"
import type { Source } from "../../internal/listing/Endpoint.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Reference from "../Reference.ts"

/** The endpoint. A caller without jobs has none that it could be told of. */
export const all: ReadonlyArray<Source> = [
  {
    path: "/jobs",
    list: Effect.fnUntraced(function* (query, caller) {
      const ids = Query.list(query, "ids") ?? []
      const withWarnings = Query.flag(query, "include_warnings")
      const jobs = caller.jobs?.(ids) ?? []
      return Reference.listing(jobs, (job) => (withWarnings ? { ...job, warnings: [] } : job))
    })
  }
]
