/**
 * The newest records of every series, in each way to ask for them and whatever the service means by a limit: compared with
 * what the stand-in replies without one.
 */
import { assert, describe, it } from "@effect/vitest"
import { Bulk, Client, type Endpoint, Endpoints, Parameter } from "@sluice/core"
import { type Dialect, Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Stream from "effect/Stream"
import { assertSame } from "../../core/test/Same.ts"
import * as TestMode from "../../core/test/TestMode.ts"
import * as ExampleParams from "./ExampleParams.ts"
import { inVirtualTime, settings } from "./Harness.ts"

/** Entities and times of which something is left out in a dialect, and those where a limit takes other parameters. */
const more: Readonly<Record<string, object>> = {
  "/timeseries/market-candles": {
    markets: ["ascendex-agld-usd-spot", "coinbase-btc-usd-spot"],
    frequency: "1m",
    start_time: "2026-06-01T00:00:00",
    end_time: "2026-06-01T00:11:00"
  },
  "/timeseries/asset-metrics": { metrics: ["AdrActCnt", "PriceUSD"], start_time: "2009-01-01", end_time: "2010-07-20" },
  "/blockchain-v2/{asset}/balance-updates": { accounts: ["treasury-eth"] }
}

const limited = Endpoints.entries.flatMap(({ endpoint, name, section }) => {
  const limit = Parameter.find(endpoint.parameters, "LimitPer")?.name
  return limit === undefined ? [] : [{ endpoint, limit, name: `${section}.${name}` }]
})

const dialects: ReadonlyArray<Partial<Dialect.Dialect>> = [
  { limit: "paging_from", noValue: "null", flatCandles: "present" },
  { limit: "latest", noValue: "null", flatCandles: "present" },
  { limit: "paging_from", noValue: "absent", flatCandles: "absent" },
  { limit: "latest", noValue: "absent", flatCandles: "absent" }
]

type Row = Readonly<Record<string, unknown>>

/** The records of a call as the stand-in sends them, page by page. */
const rawOf = Effect.fnUntraced(function* (
  { parameters, path }: Endpoint.Info,
  params: Readonly<Record<string, unknown>>
) {
  const { url } = yield* Sandbox.Sandbox
  const target = new URL(`${url}${path.replace("{asset}", String(params["asset"]))}`)
  const size = String(params["depth_limit"]) === "full_book" ? 100 : parameters.get("page_size")?.maximum
  const given = { ...params, page_size: size, paging_from: "start", api_key: "demo-key" }
  for (const [name, value] of Object.entries(given)) if (name !== "asset") target.searchParams.set(name, String(value))
  const rows: Array<Row> = []
  let next: string | undefined = target.href
  while (next !== undefined) {
    const response = yield* HttpClient.get(next)
    assert.strictEqual(response.status, 200)
    // Type boundary: the stand-in sends envelopes of records.
    const page = (yield* response.json) as { readonly data: ReadonlyArray<Row>; readonly next_page_url?: string }
    rows.push(...page.data)
    next = page.next_page_url
  }
  return rows
})

/** The first or last so many records of each entity. */
const someOf = (rows: ReadonlyArray<Row>, field: string, count: number, end: "start" | "end"): ReadonlyArray<Row> => {
  const counts = new Map<unknown, number>()
  const taken = (end === "start" ? rows : rows.toReversed()).filter((row) => {
    const found = (counts.get(row[field]) ?? 0) + 1
    counts.set(row[field], found)
    return found <= count
  })
  return end === "start" ? taken : taken.toReversed()
}

// A long run reads more of each, by every dialect.
const [spoken, counts] = TestMode.isLong ? [dialects, [1, 5]] : [[dialects[0]!, dialects[3]!], [3]]

describe.each(spoken)("by a service that speaks $limit, $noValue, $flatCandles", (dialect) => {
  it.effect.each(limited)("the newest of $name are the newest", ({ endpoint, limit }) =>
    Effect.gen(function* () {
      const params = { ...ExampleParams.of(endpoint), ...more[endpoint.path] }
      const whole = yield* rawOf(endpoint, params)
      const field = limit.slice("limit_per_".length)
      const earliest = dialect.limit === "latest" ? "end" : "start"
      const { url } = yield* Sandbox.Sandbox
      const client = yield* Client.make({ ...settings, root: url, plan: "download", onDisorder: "fail" })
      // Type boundary: the parameters are checked when the stream runs.
      const asked = (more: object) => ({ ...params, ...more }) as never
      const read = (more: object, options?: Endpoint.CallOptions) => Stream.runCollect(endpoint(asked(more), options))
      const part = (more: object): Bulk.Part => ({ index: 0, params: asked(more) })
      yield* Effect.gen(function* () {
        for (const count of counts) {
          const newest = someOf(whole, field, count, "end")
          const first = someOf(whole, field, count, earliest)
          assert.isAtLeast(newest.length, count)
          const by = { [limit]: count }
          assertSame(yield* read(by), newest)
          assertSame(yield* read({ ...by, page_size: 2 }), newest)
          assertSame(yield* read({ ...by, page_size: 2, paging_from: "end" }), newest.toReversed())
          assertSame(yield* read({ ...by, paging_from: "start" }), first)
          const pages = yield* Stream.runCollect(endpoint.pages(asked({ ...by, page_size: 2 })))
          assertSame(
            pages.toReversed().flatMap(({ data }) => data),
            newest
          )
          assertSame(yield* Stream.runCollect(Bulk.read(endpoint, part(by))), newest)
          if (!endpoint.formats.includes("json_stream")) continue
          const streamed = { ...by, format: "json_stream" }
          assertSame(yield* read(streamed, { checkEnd: true }), first)
          assertSame(yield* Stream.runCollect(Bulk.read(endpoint, part(streamed))), first)
        }
      }).pipe(Effect.provideService(Client.Client, client), inVirtualTime)
    }).pipe(Effect.provide(Sandbox.layerMemory({ dialect })))
  )
})
