/**
 * Names that were perhaps meant where the service refuses one: `PriceUSD` for `PriceUDS`. From discovery, which is asked only then.
 */
import * as Effect from "effect/Effect"
import type { InvalidRequest } from "./ApiError.ts"
import * as Client from "./Client.ts"
import * as Discover from "./Discover.ts"
import { nearest } from "./Nearest.ts"
import * as Params from "./Params.ts"

type Values = Readonly<Record<string, unknown>>

/** How long discovery may take: the failure waits for it. */
const patience = "5 seconds"

const patiently = <E, R>(asked: Effect.Effect<ReadonlyArray<string>, E, R>) =>
  asked.pipe(
    Effect.timeout(patience),
    Effect.orElseSucceed((): ReadonlyArray<string> => [])
  )

/**
 * Names that were perhaps meant in a request that the service refused, at most three and the most similar first; none where nothing is
 * similar. Never fails: where discovery fails too, or takes longer than five seconds, there is nothing to suggest.
 *
 * **Example** (Saying what was perhaps meant)
 *
 * ```ts
 * const params = { assets: "btc", metrics: "PriceUDS" }
 * const prices = Stream.runCollect(Timeseries.assetMetrics(params)).pipe(
 *   Effect.tapErrorTag("InvalidRequest", (error) =>
 *     Effect.flatMap(Suggestions.ofRefusal(error, params), (names) => Console.error(`${error.message}: ${names.join(", ")}?`))
 *   ),
 *   Effect.provide(Discover.layer())
 * )
 * ```
 */
export const ofRefusal = (
  error: InvalidRequest,
  params: Values
): Effect.Effect<ReadonlyArray<string>, never, Client.Client | Discover.Discover> =>
  error.kind === "refused" ? patiently(meantBy(error, params)) : Effect.succeed([])

const meantBy = Effect.fnUntraced(function* ({ endpoint, parameter, value }: InvalidRequest, params: Values) {
  // The service has a word of its own for some lists: then the list that has the value is meant.
  for (const name of [parameter, itemOf(params, value)]) {
    if (name === undefined) continue
    const found = yield* similar({ path: endpoint }, name, value === undefined ? Params.items(params[name]) : [value])
    if (found.length > 0) return found
  }
  return []
})

/** The parameter that has this item. */
const itemOf = (params: Values, value: string | undefined) =>
  value === undefined ? undefined : Object.keys(params).find((name) => Params.items(params[name]).includes(value))

/** The names of a parameter's list that are most similar to the first of these that is none of it. */
export const similar = Effect.fnUntraced(function* (
  series: Discover.Series,
  parameter: string,
  given: ReadonlyArray<string>
) {
  const first = yield* asMarket(series, parameter, given[0] ?? "")
  const found = yield* similarLike(series, parameter, given, first)
  const [exchange = ""] = first.split("-")
  // Its type may be the wrong word: the first look was at the markets of this type alone.
  return found.length > 0 || parameter !== "markets" || exchange === ""
    ? found
    : yield* similarLike(series, parameter, given, `${exchange}-`)
})

const similarLike = Effect.fnUntraced(function* (
  series: Discover.Series,
  parameter: string,
  given: ReadonlyArray<string>,
  like: string
) {
  const known = yield* Discover.names(series, parameter, like)
  const names = new Set(known.map(({ name }) => name))
  const wrong = given.find((item) => !names.has(item) && !item.includes("*"))
  if (wrong === undefined) return []
  const { account } = yield* Client.Client
  // A service may have the key among its names.
  return nearest(wrong, known.map(candidateOf)).filter((name) => account.scrub(name) === name)
})

/** A market with the exchange that was perhaps meant: markets are looked for at their exchange alone. */
const asMarket = Effect.fnUntraced(function* (series: Discover.Series, parameter: string, market: string) {
  if (parameter !== "markets") return market
  const [exchange = ""] = market.split("-")
  const exchanges = yield* Discover.names(series, "exchange")
  if (exchanges.some(({ name }) => name === exchange)) return market
  const [meant = exchange] = nearest(exchange, exchanges.map(candidateOf))
  return meant + market.slice(exchange.length)
})

const candidateOf = ({ full_name, name }: Discover.Name) => ({
  value: name,
  names: full_name === undefined ? [name] : [name, full_name]
})
