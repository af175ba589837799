import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Draw from "../../../core/test/Draw.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as FailingDisk from "../../../files/test/download/FailingDisk.ts"
import * as Days from "../database/Days.ts"
import { bare, collected, temporary } from "./Harness.ts"

const { assetMetrics } = Timeseries

const whole = { assets: ["btc", "eth", "ltc", "doge"], metrics: ["PriceUSD", "TxCnt"], start_time: "2026-09-24" }

/** A moment, what a run of it came to, and what the service answered then. */
interface Answer {
  readonly moment: string
  readonly end: "whole" | "killed" | "none"
  readonly params: typeof whole
  readonly own: ReadonlyArray<string>
  readonly all: ReadonlyArray<string>
}

/** A record as far as all formats keep it. */
const textOf = (record: object) =>
  bare(Object.fromEntries(Object.entries(record).filter(([name]) => !name.includes("-status"))))

const formats = [{ as: "ndjson" }, { as: "csv" }, { as: "parquet", numbers: "text" }] as const

/** A dataset that is synced again and again, by processes of which most are killed, while the service revises what it said. */
const lives = Effect.fnUntraced(function* (seed: number, steps: number) {
  const draw = Draw.from(seed)
  const service = yield* Days.make(seed)
  const to = yield* temporary
  const format = draw.one(formats)
  const shared = { period: "day", byEntity: false, rows: 1_000 } as const
  const other = { period: draw.one(["day", "month", "none"] as const), byEntity: draw.chance(0.5), rows: 20 }
  const layout = seed % 2 === 1 ? shared : other
  const fewer = draw.one([whole, { ...whole, assets: ["btc", "ltc"] }, { ...whole, start_time: "2026-09-27" }])
  const growsAt = draw.int(2, steps - 1)
  const concurrency = draw.one([1, 4])
  const job = {
    endpoint: assetMetrics,
    to,
    format,
    layout,
    lookBack: "90 days",
    versions: "keep",
    concurrency
  } as const
  const answers: Array<Answer> = []
  const when = (what: string) => `seed ${seed}, ${what}, ${JSON.stringify({ format, layout })}`
  let [pairs, moments, number] = [0, 100, 0]
  /** Holds what the dataset says of each moment until the last complete run against what the service said then. */
  const compare = Effect.gen(function* () {
    const last = answers.findLastIndex(({ end }) => end === "whole")
    // What grew since then is not there yet.
    const { params } = answers[last]!
    const known = new Set<string>()
    for (const [index, { all, end, moment, own }] of answers.slice(0, last + 1).entries()) {
      for (const record of all) known.add(record)
      const read = Dataset.read(assetMetrics, params, { from: to, asOf: moment, offline: true })
      const found = yield* Effect.result(collected(Stream.map(read, (record) => JSON.parse(textOf(record)))))
      // Parts of a killed run get their names by the next one.
      if (found._tag === "Failure" && found.failure._tag === "RunInterrupted") return
      const records = yield* Effect.fromResult(found)
      const scope = answers.slice(0, index + 1).findLast(({ end }) => end === "whole")!.params
      const isAsked = (record: string) => {
        const { asset, time } = JSON.parse(record)
        return scope.assets.includes(asset) && time >= scope.start_time
      }
      const asked = records.filter(isAsked)
      for (const record of asked) assert.isTrue(known.has(record), when(`${moment}: ${record}`))
      if (end === "whole") assert.deepStrictEqual(asked, own, when(moment))
      pairs += scope.assets.length
    }
  })
  const step = Effect.fnUntraced(function* (index: number) {
    const params = index < growsAt ? fewer : whole
    const own = (yield* Stream.runCollect(assetMetrics(params))).map(textOf)
    const all = (yield* Stream.runCollect(assetMetrics(whole))).map(textOf)
    const isLast = index === steps - 1
    const isCalm = index === 0 || isLast || draw.below(4) === 0
    const log: FailingDisk.Log = []
    const life = FailingDisk.life(++number, isCalm ? Infinity : draw.below(1.1 * moments), log)
    const recheck = draw.below(4) === 0 ? "1000 days" : undefined
    const run = Stream.runDrain(Dataset.sync({ ...job, params, recheck })).pipe(Effect.provide(life))
    const isRun = isCalm || draw.below(4) > 0
    const result = isRun ? yield* Effect.result(run) : undefined
    if (isCalm && result?._tag === "Failure") return yield* result.failure
    if (isCalm) moments = log.length
    const end = result === undefined ? "none" : result._tag === "Success" ? "whole" : "killed"
    answers.push({
      moment: yield* Effect.map(Clock.currentTimeMillis, (now) => new Date(now).toISOString()),
      end,
      params,
      own,
      all
    })
    if (isLast || end === "killed") yield* compare
  })
  const all = Effect.gen(function* () {
    for (let index = 0, day = 0; index < steps; index++, day += draw.one([0.25, 0.25, 0.5, 1])) {
      service.at(day)
      yield* step(index)
    }
    yield* Stream.runDrain(Dataset.verify(to))
  })
  yield* all.pipe(Effect.provide(service.layer), Effect.provideService(Clock.Clock, service.clock))
  return pairs
})

describe("versions of a dataset whose processes are killed", () => {
  it.live(
    "are at the moment of each complete run what the service answered, and never what it had not said",
    () =>
      Effect.gen(function* () {
        let pairs = 0
        for (const seed of TestMode.seeds(2, 12)) pairs += yield* Effect.scoped(lives(2 + seed, TestMode.times(5, 14)))
        assert.isAbove(pairs, TestMode.times(20, 1_000))
      }).pipe(Effect.provide(NodeServices.layer)),
    600_000
  )
})
