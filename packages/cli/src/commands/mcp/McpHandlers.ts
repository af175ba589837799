/** What the tools of `sluice mcp` do: one client for all of them, built when the first of them needs it. */
import * as ApiError from "@sluice/core/ApiError"
import * as Client from "@sluice/core/Client"
import * as Discover from "@sluice/core/Discover"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Descriptions from "../../endpoints/Descriptions.ts"
import * as EndpointIndex from "../../endpoints/EndpointIndex.ts"
import * as Reading from "../../endpoints/Reading.ts"
import * as RelativeTime from "../../endpoints/RelativeTime.ts"
import * as Suggestions from "../../endpoints/Suggestions.ts"
import * as Connection from "../../settings/Connection.ts"
import { Explain } from "../../settings/Explain.ts"
import * as Answer from "../doctor/Answer.ts"
import * as Describe from "../help/Describe.ts"
import * as Endpoints from "../help/Endpoints.ts"
import * as Quota from "../doctor/Quota.ts"
import { Items, toolkit, usualRecords } from "./McpTools.ts"

/** A question that lacks something. */
const lacks = (message: string, next: string) => Effect.fail({ _tag: "BadUse", message, next } as const)

const itemsOf = Schema.decodeEffect(Schema.fromJsonString(Items))

const jsonOf = Schema.decodeEffect(Schema.fromJsonString(Schema.Json))

/** A list as it is answered: as much as fits, and plain JSON, which has no absent values. */
const answered = Effect.fnUntraced(function* (all: ReadonlyArray<unknown>) {
  const { isCut, items } = Answer.cut(all)
  return { items: yield* Effect.orDie(itemsOf(JSON.stringify(items))), isCut }
})

const wordsOf = (text: string | undefined) => (text ?? "").toLowerCase().split(/\s+/)

const matching = (words: string | undefined) => (row: object) => {
  const searched = JSON.stringify(Object.values(row)).toLowerCase()
  return wordsOf(words).every((word) => searched.includes(word))
}

/** Provides what the tools do. */
export const layer = toolkit.toLayer(
  Effect.gen(function* () {
    const explain = yield* Explain
    const scope = yield* Effect.scope
    const services = yield* Effect.context<Connection.Needs>()
    // Nothing is asked of the environment before a tool needs it, so that the server starts, and tells what is missing.
    const [built, forget] = yield* Effect.cachedInvalidateWithTTL(
      Effect.uninterruptible(Effect.provide(Layer.buildWithScope(Connection.layerDiscover, scope), services)),
      Duration.infinity
    )
    // What was wrong may have been corrected since, such as the config file.
    const connected = Effect.onError(built, () => forget)

    const withClient = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.flatMap(connected, (context) => Effect.provide(effect, context))

    /** Items without the key, which a service may have put into them. */
    const cleaned = (items: ReadonlyArray<unknown>) =>
      Effect.map(withClient(Client.Client), ({ account }) => items.map((item) => Answer.withoutKey(account, item)))

    const told = <A, R>(effect: Effect.Effect<A, { readonly _tag: string; readonly message: string }, R>) =>
      Effect.catch(effect, (failure) =>
        Effect.gen(function* () {
          const { kind, message, next, tag } = yield* explain(failure)
          // Without a client no key is known, and none was sent.
          const client = yield* Effect.option(withClient(Client.Client))
          const clean = (text: string) =>
            Option.isNone(client) ? text : String(Answer.withoutKey(client.value.account, text))
          return yield* Effect.fail({
            kind,
            tag,
            message: clean(message),
            ...(next === undefined ? {} : { next: clean(next) })
          })
        })
      )

    return toolkit.of({
      discover: ({ asset, what: given, words, ...filter }) =>
        Effect.gen(function* () {
          // What is named says what is meant.
          const what =
            given ?? (Object.keys(filter).length > 0 ? "markets" : asset === undefined ? "endpoints" : "metrics")
          const matches = matching(words)
          if (what === "endpoints") {
            return yield* answered(yield* Endpoints.rowsOf(wordsOf(words)))
          }
          if (what === "metrics") {
            if (asset === undefined) return yield* lacks("metrics are those of an asset", "Give asset, such as btc.")
            const metrics = yield* withClient(Discover.metrics(asset).pipe(Suggestions.onRefused({ assets: asset })))
            return yield* answered(yield* cleaned(metrics.filter(matches)))
          }
          const wanted = { ...filter, ...(asset === undefined ? {} : { asset }) }
          if (Object.keys(wanted).length === 0) {
            return yield* lacks("there are tens of thousands of markets", "Give exchange, base, quote, asset or type.")
          }
          const markets = yield* withClient(Discover.markets(wanted).pipe(Suggestions.onRefused(wanted)))
          return yield* answered(yield* cleaned(markets.filter(matches)))
        }).pipe(
          Effect.map(({ isCut, items }) => ({ items, truncated: isCut })),
          told
        ),

      describe: ({ endpoint: name, names = [] }) =>
        Effect.gen(function* () {
          const entry = yield* EndpointIndex.getAny(name)
          const data = Describe.dataOf(entry, yield* Descriptions.load)
          const description = yield* Effect.orDie(jsonOf(JSON.stringify(data)))
          if (names.length === 0) return { description, truncated: false }
          const available = Discover.available(entry.endpoint, names).pipe(Suggestions.onRefused({ names }))
          const { isCut, items } = yield* answered(yield* cleaned(yield* withClient(available)))
          return { description, available: items, truncated: isCut }
        }).pipe(told),

      get: ({ endpoint: name, limit = usualRecords, params: given = {} }) =>
        Effect.gen(function* () {
          const { endpoint } = yield* EndpointIndex.get(name)
          // One more than is answered tells whether there are more.
          const resolved = yield* RelativeTime.resolve(endpoint.parameters, given)
          const { count, params } = Reading.limited(endpoint, String(limit + 1), resolved)
          const read = Stream.runCollect(Reading.read(endpoint, params, {}, count)).pipe(Suggestions.onRefused(params))
          const records = yield* withClient(read)
          const some = records.slice(0, limit)
          if (some.some(Answer.isTooDeep)) {
            const issue = `a record is nested deeper than the ${Answer.mostDepth} levels of an answer`
            return yield* new ApiError.Decode({ endpoint: endpoint.path, path: "", issue })
          }
          const { isCut, items } = yield* answered(yield* cleaned(some))
          const answer = { records: items, truncated: isCut || records.length > limit }
          if (records.length > 0) return answer
          const lines = yield* withClient(Suggestions.onNothing(endpoint, params))
          const note = (yield* cleaned(lines)).join("\n")
          return note === "" ? answer : { ...answer, note }
        }).pipe(told),

      quota: () =>
        Effect.gen(function* () {
          const { account, data } = yield* Quota.ask
          const plan = data.plan === null ? null : String(Answer.withoutKey(account, data.plan))
          return { ...data, root: account.scrub(data.root), plan }
        }).pipe(withClient, told)
    })
  })
)
