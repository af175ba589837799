/**
 * Calls that are answered from a folder, by a cache or from a dataset: processes read ranges that overlap, one after another or two at
 * once, and some are killed, while the service revises its past. What each gives is what the service says at that moment.
 */
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import { Sandbox, Simulation } from "@sluice/sandbox"
import { Clock, Effect, Exit, Stream } from "effect"
import { HttpClient, type HttpClientRequest } from "effect/http"
import * as Open from "../../../datasets/src/internal/open/Open.ts"
import * as Read from "../../../datasets/src/internal/open/Read.ts"
import * as Auditor from "./Auditor.ts"
import * as Disk from "../../../files/test/storage/Disk.ts"
import * as Kept from "./Kept.ts"
import * as Process from "./Process.ts"

const day = 86_400_000

const series = Kept.all[0]!

const one = <A>(all: ReadonlyArray<A>) => Effect.map(Simulation.below(all.length), (nth) => all[nth]!)

/** Up to so many days before now. */
const earlier = (now: number, days: number) =>
  Effect.map(Simulation.below(24 * days), (hours) => now - hours * 3_600_000)

/** A request, and the number of the process that sends it. */
interface Asked {
  readonly number: number
  readonly request: HttpClientRequest.HttpClientRequest
}

/** Which records a request asks for; none where a page of one record asks whether a metric is there again. */
const spanOf = ({ request: { url, urlParams } }: Asked) => {
  const {
    assets = "",
    end_time = "9999-01-01",
    end_inclusive,
    page_size,
    start_time = "1970-01-01"
  } = Object.fromEntries(urlParams.params.map(([name, value]) => [name, String(value)]))
  const isOfRecords = url.endsWith(series.endpoint.path) && page_size !== "1"
  const end = Date.parse(end_time) - (end_inclusive === "false" ? 1 : 0)
  return { assets: isOfRecords ? assets.split(",") : [], start: Date.parse(start_time), end }
}

/** Whether a request asks for such times. */
const isOf = (times: ReadonlyArray<Dataset.Covered>, sent: Asked) => {
  const { assets, end, start } = spanOf(sent)
  return times.some(({ entity, from = "1970-01-01", to = "9999-01-01" }) => {
    const isOfBoth = Math.min(end, Date.parse(to)) - Math.max(start, Date.parse(from)) > 1
    return isOfBoth && assets.includes(entity)
  })
}

/** Whether a request asks for a record. */
const asksFor = ({ asset, time }: Kept.Fields, sent: Asked) => {
  const { assets, end, start } = spanOf(sent)
  const at = Date.parse(String(time))
  return assets.includes(String(asset)) && start <= at && at <= end
}

/**
 * Whether a record stays although the service has it no more: a process asked for it, and got no record of its entity from any of its
 * requests, which may be a fault of the service.
 */
const stays = (record: Kept.Fields, asked: ReadonlyArray<Asked>, truth: ReadonlyArray<Kept.Fields>) =>
  [...Map.groupBy(asked, ({ number }) => number).values()].some((own) => {
    const isAnswered = truth.some(
      ({ asset, time }) => asset === record["asset"] && own.some((sent) => asksFor({ asset, time }, sent))
    )
    return own.some((sent) => asksFor(record, sent)) && !isAnswered
  })

const isSame = (found: ReadonlyArray<unknown>, truth: ReadonlyArray<string>) =>
  Effect.andThen(Auditor.inOrder(found, truth), Auditor.same(found, truth))

const run = Effect.gen(function* () {
  const disk = Disk.make(Simulation.below, (yield* Simulation.below(4)) === 1)
  const isCache = (yield* Simulation.below(3)) > 0
  const metrics = yield* one(["PriceUSD", "TxCnt", "PriceUSD,TxCnt"])
  const asked: Array<Asked> = []
  const http = yield* HttpClient.HttpClient
  let count = 0
  const begin = (manner: Parameters<typeof Process.make>[2]) => {
    const number = ++count
    const listening = HttpClient.tapRequest(http, (request) => Effect.sync(() => asked.push({ number, request })))
    return Effect.provideService(Process.make(disk, number, manner), HttpClient.HttpClient, listening)
  }
  // As `Dataset.cache` and `Dataset.read` do, but that Node.js compresses whole files beside the run, so these are not compressed.
  const period = yield* one(["day", "month", "year"] as const)
  const layout = { period, byEntity: (yield* Simulation.below(3)) > 0, rows: 20 }
  const begun = isCache
    ? { format: { as: "ndjson" } as const }
    : { layout, format: { as: yield* one(["ndjson", "parquet"] as const) } }
  const fill = (job: Read.Filling) =>
    Effect.scoped(Open.runOnce({ ...job, ...(job.format && begun), to: disk.folder, grows: true }, () => Effect.void))
  const place = { endpoint: series.endpoint, from: disk.folder, isBounded: isCache }
  const read = (params: Kept.Params, maxAge: number) => Read.filling({ ...place, params, maxAge }, Read.records, fill)
  const offline = (params: Kept.Params) => Read.offline({ ...place, params }, Read.records)
  // Without records of a dataset that have values of other metrics alone.
  const textsOf = (records: ReadonlyArray<unknown>) =>
    records.map((record) => Kept.textOf(record as Kept.Fields, isCache)).filter((text) => /PriceUSD|TxCnt/.test(text))
  const service = yield* Effect.context<HttpClient.HttpClient | Sandbox.Sandbox>()
  const truthOf = (params: Kept.Params) => Effect.provide(Kept.truthOf(series, params), service)
  const said = (params: Kept.Params) => Effect.map(truthOf(params), (records) => textsOf(records).map(Auditor.textOf))
  const draw = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const assets = isCache ? "btc,eth" : yield* one(["btc,eth", "btc", "eth,btc", "ltc,btc"])
    const start = yield* earlier(now, 45)
    const end = Math.min(now, start + (yield* Simulation.below(20)) * day)
    const isOpen = (yield* Simulation.below(6)) === 1
    const times = {
      start_time: new Date(start).toISOString(),
      ...(!isOpen && { end_time: new Date(end).toISOString() })
    }
    return { assets, metrics, ...times }
  })
  /** Reads, and holds what comes against what the service says, unless that changes meanwhile. */
  const judged = <E, R>(process: Process.Process, params: Kept.Params, records: Stream.Stream<unknown, E, R>) =>
    Effect.gen(function* () {
      const before = yield* process.outside(said(params))
      const sent = asked.length
      const found = textsOf(yield* Stream.runCollect(records))
      const after = yield* process.outside(said(params))
      yield* Auditor.drawn("reads")
      if (JSON.stringify(before) !== JSON.stringify(after)) return found
      const others = found.filter((text) => !after.includes(Auditor.textOf(text)))
      if (others.length === 0) return yield* Effect.as(isSame(found, after), found)
      const all = yield* process.outside(truthOf({ ...params, start_time: "1970-01-01", end_time: "9999-01-01" }))
      const kept = others.filter((text) => stays(Object.fromEntries(JSON.parse(text)), asked.slice(sent), all))
      yield* isSame(
        found.filter((text) => !kept.includes(text)),
        after
      )
      return found
    })
  /** Times that no later call asks for. */
  let final: ReadonlyArray<Dataset.Covered> = []
  for (let turn = 0, last = 2 + (yield* Simulation.below(2)); turn < last; turn++) {
    yield* Effect.sleep(yield* one([0, 3_600_000, day, day * (yield* Simulation.below(9))]))
    const before = asked.length
    // Of a dataset that another process has, a read may give what is held.
    const isBeside = isCache && (yield* Simulation.below(3)) === 1
    let isDark = false
    yield* Effect.forEach(
      Array.from({ length: isBeside ? 2 : yield* Simulation.below(3) }),
      Effect.fnUntraced(function* () {
        const process = yield* begin(isBeside ? { machine: `beside ${count}` } : {})
        const params = yield* draw
        const end = yield* Process.live(disk, process, Effect.asVoid(judged(process, params, read(params, 0))), false)
        yield* Auditor.drawn(end._tag === "Killed" ? "kills" : Exit.isFailure(end.exit) ? "failures" : "others")
        isDark ||= end._tag === "Killed" && end.isDark
      }),
      { concurrency: isBeside ? 2 : 1, discard: true }
    )
    // The lock of one that was killed on another machine expires.
    if (isBeside) yield* Effect.sleep("10 minutes")
    const process = yield* begin({ isCalm: true })
    const params = yield* draw
    const found = (yield* process.run(judged(process, params, read(params, 0)))).map(Auditor.textOf)
    const again = asked.slice(before).filter((sent) => isOf(final, sent))
    if (isCache && !isDark)
      yield* Auditor.none(
        again.map(({ request }) => `what is final is asked for: ${JSON.stringify(request.urlParams)}`)
      )
    const sent = asked.length
    yield* isSame(textsOf(yield* process.run(Stream.runCollect(read(params, day)))), found)
    yield* isSame(textsOf(yield* process.run(Stream.runCollect(offline(params)))), found)
    yield* Auditor.released({ "requests of what was read": asked.length - sent })
    const { assets } = params
    const covered = yield* process.run(
      Dataset.coverage(Timeseries.assetMetrics, { assets, metrics, start_time: "1971-01-01" }, { from: disk.folder })
    )
    final = covered.filter(({ state }) => state === "final")
  }
  yield* disk.expectOneHolder
})

/** How long after its time a record may change or come, in milliseconds: less than the look-back. */
const settles = 2 * day

/** Reads of one of the histories. */
export const make = Effect.succeed(
  Effect.flatMap(Simulation.below(50), (nth) =>
    Effect.provide(
      run,
      Sandbox.layerMemory({
        live: { from: "2026-10-01" },
        history: { seed: 1 + nth, settles, fills: settles, renamed: "unknown" }
      }),
      { local: true }
    )
  )
)
