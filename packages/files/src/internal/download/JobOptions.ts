/** The options of a download as schemas, and their check. */
import type { Misconfigured } from "@sluice/core/ApiError"
import type * as Bulk from "@sluice/core/Bulk"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { BadFormat } from "@sluice/core/internal/columns/FormatError"
import * as FormatOptions from "../format/Options.ts"
import * as Kinds from "@sluice/node/internal/options/Kinds"
import * as Request from "@sluice/node/internal/options/Request"
import * as Settings from "@sluice/node/internal/options/Settings"
import * as Shape from "@sluice/node/internal/options/Shape"

/** A request and how it is split. `Bulk.split` checks the members of both. */
export const request = {
  endpoint: Request.endpoint,
  params: Request.params,
  split: Schema.optional(Kinds.object<Bulk.Split>())
}

/** What decides the files, and what they hold. */
export const files = {
  ...request,
  to: Kinds.folder,
  format: FormatOptions.whole,
  given: Schema.optional(Schema.Record(Schema.String, Schema.String))
}

/** Fails at the first option that a job of this shape cannot have. */
export const checker = (shape: Schema.Top): ((job: unknown) => Effect.Effect<void, BadFormat | Misconfigured>) => {
  const faultOf = Shape.faultOf(shape)
  return (job) =>
    Effect.suspend(() => {
      const found = faultOf(job)
      if (found === undefined) return Effect.void
      return Effect.fail(FormatOptions.refusalOf(found) ?? Settings.refusalOf(found, "job"))
    })
}
