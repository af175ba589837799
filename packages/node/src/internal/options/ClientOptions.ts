/**
 * The options of clients, as schemas. Which numbers and lengths of time there may be, the layers that take them say.
 */
import type * as Client from "@sluice/core/Client"
import type * as Retry from "@sluice/core/Retry"
import * as Schema from "effect/Schema"
import * as Kinds from "./Kinds.ts"
import * as Shape from "./Shape.ts"

const number = Schema.optional(Schema.Number)
const length = Schema.optional(Kinds.anyLength)

export const policy = Kinds.schedule<Retry.Policy>()

/** Limits of which a policy is made. */
export const limits = Shape.of<Retry.Options>()({
  times: Schema.optional(Kinds.times),
  within: length,
  base: length,
  cap: length
})

/** The options of a client and of its quota. */
export const fields = {
  root: Schema.optional(Kinds.root),
  apiKey: Schema.optional(Kinds.redacted),
  deprecated: Schema.optional(Schema.Literals(["warn", "fail", "ignore"])),
  plan: Schema.optional(Schema.String),
  parallel: number,
  longestWait: length,
  quotaStore: Schema.optional(Kinds.redacted),
  whenUnavailable: Schema.optional(Schema.Literals(["share", "fail"])),
  retry: Schema.optional(policy),
  onDisorder: Schema.optional(Schema.Literals(["warn", "fail", "ignore"])),
  firstByte: length,
  idle: length,
  minBytesPerSecond: number,
  limits: Schema.optional(
    Shape.of<Client.Limits>()({
      maxPageBytes: number,
      maxReceivingBytes: number,
      maxLineBytes: number,
      maxErrorBytes: number,
      maxEmptyPages: number
    })
  ),
  connect: length,
  maxHeaderBytes: Schema.optional(Kinds.count),
  gzip: Schema.optional(Schema.Boolean),
  proxy: Schema.optional(
    Schema.Struct({
      https: Schema.optional(Kinds.secret),
      http: Schema.optional(Kinds.secret),
      except: Schema.optional(Schema.String)
    })
  ),
  caFile: Schema.optional(Kinds.file)
}
