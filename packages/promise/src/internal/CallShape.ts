/** The options of calls as schemas: a program in JavaScript is told the name of one that is unknown or wrong. */
import type * as Bulk from "@sluice/core/Bulk"
import type * as Job from "@sluice/core/Job"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as ClientOptions from "@sluice/node/internal/options/ClientOptions"
import * as Kinds from "@sluice/node/internal/options/Kinds"
import * as Settings from "@sluice/node/internal/options/Settings"
import * as Shape from "@sluice/node/internal/options/Shape"
import type {
  CallOptions,
  ColumnOptions,
  DownloadOptions,
  JobOptions,
  ResultOptions,
  SingleOptions,
  PlanOptions,
  SplitOptions
} from "./Call.ts"

/** When to retry a request: a policy, or its limits. */
export const retry = Schema.optional(Schema.Union([ClientOptions.policy, ClientOptions.limits]))

const length = Schema.optional(Kinds.anyLength)

const poll = Schema.Union([
  Kinds.schedule<Job.Polling>(),
  Shape.of<Job.PollingOptions>()({ base: length, cap: length, within: length })
])

const stoppable = { signal: Schema.optional(Kinds.signal) }

const single = { ...stoppable, retry, query: Schema.optional(Schema.Record(Schema.String, Schema.String)) }

const result = { ...stoppable, retry, poll: Schema.optional(poll) }

export const checkSingle = Settings.checker(Shape.of<SingleOptions>()(single))

export const checkCall = Settings.checker(
  Shape.of<CallOptions>()({ ...single, checkEnd: Schema.optional(Schema.Boolean) })
)

export const checkJob = Settings.checker(Shape.of<JobOptions>()({ ...single, ...result }))

export const checkResults = Settings.checker(Shape.of<ResultOptions>()(result))

const anything = <A>() => Schema.declare((value: unknown): value is A => Predicate.isNotUndefined(value))

const split = {
  by: Schema.optional(Schema.String),
  size: Schema.optional(Schema.Number),
  every: Schema.optional(anything<NonNullable<Bulk.Split["every"]>>()),
  order: Schema.optional(Schema.Literals(["arrival", "parts"]))
}

/** Checks how a request is split, and how its parts are read. `Bulk.split` says which values of the first there may be. */
export const checkSplit = Settings.checker(
  Shape.of<SplitOptions>()({ ...split, concurrency: Schema.optional(Kinds.count) })
)

/** Checks how a request is split that is planned, and what it may take. */
export const checkPlan = Settings.checker(
  Shape.of<PlanOptions>()({
    ...split,
    maxRequests: Schema.optional(Kinds.count),
    maxBytes: Schema.optional(Kinds.count),
    samples: Schema.optional(Schema.Number)
  })
)

/** Checks how columns are made. `Columns` says which there may be. */
export const checkColumns = Settings.checker(
  Shape.of<ColumnOptions>()({
    columns: Schema.optional(Schema.Array(Schema.String)),
    numbers: Schema.optional(Schema.Literals(["double", "decimal", "text"])),
    decimal: Schema.optional(Schema.Struct({ precision: Schema.Int, scale: Schema.Int }))
  })
)

/** Checks what a download has here beside the options of `Download`, which checks those. */
export const checkDownload = Settings.checker(
  Shape.of<Pick<DownloadOptions, "signal" | "onEvent">>()({
    ...stoppable,
    onEvent: Schema.optional(Kinds.callback<NonNullable<DownloadOptions["onEvent"]>>())
  })
)
