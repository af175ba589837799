/** The tools of `sluice mcp`. All of them only read. */
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"

const mostRecords = 1_000

/** Records of an answer where nothing else is said. */
export const usualRecords = 100

/** Why a tool failed, as an error of the command line tells it. */
const Failure = Schema.Struct({
  /** The category, such as `usage`, `key`, `licence`, `rate` or `network`. */
  kind: Schema.String,
  /** The error's name, such as `InvalidRequest`. */
  tag: Schema.String,
  message: Schema.String,
  next: Schema.optionalKey(Schema.String)
})

/** The arguments of a tool. Another one would be left out, and another question answered, so it is refused. */
const argumentsOf = <const Fields extends Schema.Struct.Fields>(tool: string, fields: Fields, hint = "") => {
  const names = Object.keys(fields)
  const known = `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`
  return Schema.Struct(fields).annotate({
    messageUnexpectedKey: `no such argument: those of ${tool} are ${known}${hint}`
  })
}

/** What is told of each tool. */
const reads = Context.make(Tool.Readonly, true).pipe(
  Context.add(Tool.Destructive, false),
  Context.add(Tool.Strict, true)
)

const Value = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Schema.Array(Schema.String)])

const text = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

const truncated = Schema.Boolean.annotate({
  description: "Whether something was left out because there is more than was asked for, or than an answer holds"
})

export const Items = Schema.Array(Schema.Json)

const discover = Tool.make("discover", {
  description:
    "Finds what there is to read: endpoints, the metrics of an asset, or the markets of an exchange, of assets or of a type. Without `what` it is about what else is named: an asset alone stands for its metrics.",
  parameters: argumentsOf("discover", {
    what: Schema.optionalKey(Schema.Literals(["endpoints", "metrics", "markets"])),
    words: text("Words that all have to be in the path, name or summary of an endpoint, or in the name of a metric"),
    asset: text("For metrics, required: a ticker such as btc. For markets: the base or quote asset"),
    exchange: text("For markets: an exchange such as coinbase"),
    base: text("For markets: the base asset"),
    quote: text("For markets: the quote asset"),
    type: text("For markets: spot, future, option or bond")
  }),
  success: Schema.Struct({ items: Items, truncated }),
  failure: Failure
}).annotateMerge(reads)

const describe = Tool.make("describe", {
  description:
    "Describes an endpoint: its parameters, rules and records. With names, such as btc, also what there is of them: metrics, frequencies and times.",
  parameters: argumentsOf("describe", {
    endpoint: Schema.String.annotate({ description: "A path such as timeseries/asset-metrics" }),
    names: Schema.optionalKey(
      Schema.Array(Schema.String).annotate({ description: "Assets, markets or others that the endpoint has data of" })
    )
  }),
  success: Schema.Struct({ description: Schema.Json, available: Schema.optionalKey(Items), truncated }),
  failure: Failure
}).annotateMerge(reads)

const get = Tool.make("get", {
  description: `Reads records of an endpoint, at most ${mostRecords.toLocaleString("en")}; ${usualRecords} unless limit says otherwise.`,
  parameters: argumentsOf(
    "get",
    {
      endpoint: Schema.String.annotate({ description: "A path such as timeseries/asset-metrics" }),
      params: Schema.optionalKey(
        Schema.Record(Schema.String, Value).annotate({
          description:
            'Parameters by the names that describe gives, such as {"assets": ["btc"], "metrics": ["PriceUSD"], "start_time": "-30d"}'
        })
      ),
      limit: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: mostRecords })))
    },
    "; parameters of the endpoint go into params"
  ),
  success: Schema.Struct({
    records: Items,
    truncated,
    note: text("Where there are no records: the times that are covered, or names that were perhaps meant")
  }),
  failure: Failure
}).annotateMerge(reads)

const quota = Tool.make("quota", {
  description: "Tells the plan of the key and what is left of its rate limit. Costs one request.",
  success: Schema.Struct({
    root: Schema.String,
    plan: Schema.NullOr(Schema.String),
    limit: Schema.NullOr(Schema.Finite),
    window_seconds: Schema.NullOr(Schema.Finite),
    remaining: Schema.NullOr(Schema.Finite),
    reset_seconds: Schema.Finite
  }),
  failure: Failure
}).annotateMerge(reads)

export const toolkit = Toolkit.make(discover, describe, get, quota)
