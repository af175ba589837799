/**
 * The names of the options, so that a slip in one is refused where no compiler has seen it: the stand-in would behave as if it
 * had not been given.
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Dialect from "../../Dialect.ts"
import type { HistoryOptions, LiveOptions, Options, StreamOptions } from "./Options.ts"

/** An option that the stand-in does not have. */
export class UnknownOption extends Schema.TaggedError<UnknownOption>()("UnknownOption", {
  /** Its path, such as `live.sped`. */
  option: Schema.String,
  /** Those that there are at its place. */
  known: Schema.Array(Schema.String)
}) {
  override get message() {
    return `${this.option}: is no option of the stand-in; there are ${this.known.join(", ")}`
  }
}

type Names<O> = Readonly<Record<keyof O, true>>

const live: Names<LiveOptions> = { from: true, speed: true, httpLag: true, jitter: true, httpJitter: true }

const history: Names<HistoryOptions> = { seed: true, since: true, settles: true, fills: true, renamed: true }

const streams: Names<StreamOptions> = { connections: true, queue: true, pingEvery: true, journal: true }

// Type boundary: the names of the questions are those of the answers.
const dialect = Object.fromEntries(Dialect.names.map((name) => [name, true])) as Names<Dialect.Dialect>

const all: Readonly<Record<keyof Options, true | Readonly<Record<string, true>>>> = {
  port: true,
  host: true,
  plan: true,
  keys: true,
  latency: true,
  prepared: true,
  dialect,
  catalogMarkets: true,
  live,
  history,
  streams,
  jobTime: true,
  resultTime: true
}

/** Returns options as they are. Throws `UnknownOption` where one is unknown: that is a fault of the program. */
export const known = <O extends Options>(options: O): O => {
  refuse(options, all, "")
  return options
}

const refuse = (
  given: object,
  names: Readonly<Record<string, true | Readonly<Record<string, true>>>>,
  within: string
) => {
  for (const [name, value] of Object.entries(given)) {
    const found = Object.hasOwn(names, name) ? names[name] : undefined
    if (found === undefined) throw new UnknownOption({ option: `${within}${name}`, known: Object.keys(names) })
    if (found !== true && Predicate.isObject(value)) refuse(value, found, `${name}.`)
  }
}
