import { assert, describe, it } from "@effect/vitest"
import { type Dialect, Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Assets from "../src/data/Assets.ts"
import * as Ledger from "../src/data/chain/Ledger.ts"
import { get, lines, type Row, rows } from "./Harness.ts"

const day = "start_time=2024-06-01&end_time=2024-06-10"
const hour = "start_time=2024-03-01T09:30:00&end_time=2024-03-01T09:50:00"

const btc = Assets.find("btc")!
const accounts = [Ledger.treasury, 840_000, 840_002].map((account) => Ledger.nameOf(btc, account))
const changes = (accounts: ReadonlyArray<string>) =>
  `/blockchain-v2/btc/balance-updates?accounts=${accounts.join(",")}&start_height=840000&end_height=840020`

/** A series with a limit for each way in which the stand-in makes rows. */
const cases: ReadonlyArray<readonly [path: string, limit: string, entity: string]> = [
  [`/timeseries/asset-metrics?assets=btc,eth&metrics=PriceUSD&${day}`, "limit_per_asset", "asset"],
  [`/timeseries/asset-metrics?assets=btc,eth&metrics=PriceUSD&${day}&sort=time`, "limit_per_asset", "asset"],
  [`/timeseries/market-trades?markets=coinbase-btc-usd-spot,kraken-btc-usd-spot&${hour}`, "limit_per_market", "market"],
  [`/timeseries/index-candles?indexes=CMBI10,CMBIBTC&frequency=1m&${hour}`, "limit_per_index", "index"],
  [changes(accounts), "limit_per_account", "account"],
  [changes(accounts.slice(0, 1)), "limit_per_account", "account"]
]

const words: ReadonlyArray<Dialect.Dialect["limit"]> = ["paging_from", "latest"]

/** The first or last so many of each entity, in the order of all. */
const some = (all: ReadonlyArray<Row>, entity: string, count: number, isFromStart: boolean) => {
  const counts = new Map<unknown, number>()
  const taken = (isFromStart ? all : all.toReversed()).filter((row) => {
    const found = (counts.get(row[entity]) ?? 0) + 1
    counts.set(row[entity], found)
    return found <= count
  })
  return isFromStart ? taken : taken.toReversed()
}

describe.each(words)("a limit where it is taken from %s", (limit) => {
  it.effect.each(cases)("%s", ([path, name, entity]) =>
    Effect.gen(function* () {
      const all = yield* rows(`${path}&paging_from=start&page_size=10000`)
      const startsFirst = limit === "paging_from"
      for (const count of [1, 3, 1_000]) {
        const limited = `${path}&${name}=${count}`
        const [first, last] = [some(all, entity, count, startsFirst), some(all, entity, count, false)]
        assert.deepStrictEqual(yield* rows(`${limited}&paging_from=start&page_size=10000`), first)
        assert.deepStrictEqual(yield* rows(`${limited}&paging_from=end&page_size=10000`), last)
        assert.deepStrictEqual(yield* rows(`${limited}&page_size=10000`), last)
        if (path.startsWith("/blockchain-v2") || path.includes("candles")) continue
        assert.deepStrictEqual(lines(yield* get(`${limited}&paging_from=end&format=json_stream`)), first)
      }
    }).pipe(Effect.provide(Sandbox.layerMemory({ dialect: { limit } })))
  )
})
