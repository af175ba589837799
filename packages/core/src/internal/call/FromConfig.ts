/**
 * The settings of a client that come from the environment.
 */
import * as Effect from "effect/Effect"
import type { Options } from "../../Client.ts"
import * as Environment from "../../Environment.ts"
import * as Root from "../../Root.ts"

const policy = Environment.word(["warn", "fail", "ignore"])

const environment = Effect.all({
  root: Environment.read("BASE_URL", "root", Environment.text),
  apiKey: Environment.read("API_KEY", "apiKey", Environment.secret),
  plan: Environment.read("PLAN", "plan", Environment.text),
  deprecated: Environment.read("DEPRECATED", "deprecated", policy),
  onDisorder: Environment.read("ON_DISORDER", "onDisorder", policy),
  firstByte: Environment.read("FIRST_BYTE_TIMEOUT", "firstByte", Environment.timeout),
  idle: Environment.read("IDLE_TIMEOUT", "idle", Environment.timeout),
  minBytesPerSecond: Environment.read(
    "MIN_BYTES_PER_SECOND",
    "minBytesPerSecond",
    Environment.number(0, "bytes a second")
  ),
  longestWait: Environment.read("LONGEST_WAIT", "longestWait", Environment.wait),
  parallel: Environment.read("PARALLEL", "parallel", Environment.count),
  maxPageBytes: Environment.read("MAX_PAGE_BYTES", "limits.maxPageBytes", Environment.count),
  maxLineBytes: Environment.read("MAX_LINE_BYTES", "limits.maxLineBytes", Environment.count),
  maxEmptyPages: Environment.read("MAX_EMPTY_PAGES", "limits.maxEmptyPages", Environment.count)
})

const presets: ReadonlyMap<string, Root.Root> = new Map([
  ["paid", Root.paid],
  ["community", Root.community]
])

/** Adds to the options of a program what the environment has besides. */
export const complete = (options: Options) =>
  Effect.map(environment, (read): Options => ({
    ...options,
    root: options.root ?? (read.root === undefined ? undefined : (presets.get(read.root) ?? read.root)),
    apiKey: options.apiKey ?? read.apiKey,
    plan: options.plan ?? read.plan,
    deprecated: options.deprecated ?? read.deprecated,
    onDisorder: options.onDisorder ?? read.onDisorder,
    firstByte: options.firstByte ?? read.firstByte,
    idle: options.idle ?? read.idle,
    minBytesPerSecond: options.minBytesPerSecond ?? read.minBytesPerSecond,
    longestWait: options.longestWait ?? read.longestWait,
    parallel: options.parallel ?? read.parallel,
    limits: {
      ...options.limits,
      maxPageBytes: options.limits?.maxPageBytes ?? read.maxPageBytes,
      maxLineBytes: options.limits?.maxLineBytes ?? read.maxLineBytes,
      maxEmptyPages: options.limits?.maxEmptyPages ?? read.maxEmptyPages
    }
  }))
