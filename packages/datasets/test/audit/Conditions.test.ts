import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as DatasetDuckdb from "@sluice/datasets/DatasetDuckdb"
import { Sandbox } from "@sluice/sandbox"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import * as WallClock from "../../../core/test/WallClock.ts"
import { data, temporary, world } from "../dataset/Harness.ts"

const at = (time: string) =>
  Effect.updateService(Clock.Clock, (real) => WallClock.at(real, () => Date.parse(`${time}Z`)))

const job = {
  endpoint: Timeseries.assetMetrics,
  params: { assets: ["btc", "eth"], metrics: ["PriceUSD"], start_time: "2026-10-01" }
} as const

const begun = Effect.fnUntraced(function* (layout: Dataset.Layout = {}) {
  const to = `${yield* temporary}/held`
  yield* Stream.runDrain(Dataset.sync({ ...job, to, format: { as: "ndjson" }, layout }))
  return to
})

const audited = <R>(audit: Stream.Stream<Dataset.Audit, Dataset.DatasetError, R>) =>
  Effect.map(Stream.runCollect(audit), (all) => ({
    findings: all.filter((one) => one._tag === "Finding"),
    days: all.flatMap((one) =>
      one._tag === "Condition" ? [`${one.entity} ${one.from} ${one.to} ${one.condition}`] : []
    ),
    summary: all.find((one) => one._tag === "Audited")
  }))

/** Removes the lines with one of these texts from all files of a dataset. */
const without = Effect.fnUntraced(function* (folder: string, texts: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  for (const [path, text] of Object.entries(yield* data(folder))) {
    const left = text.split("\n").filter((line) => !texts.some((one) => line.includes(one)))
    yield* fs.writeFileString(`${folder}/${path}`, left.join("\n"))
  }
})

const sent = Effect.map(
  Effect.flatMap(Sandbox.Sandbox, ({ stats }) => stats),
  ({ requests }) => requests
)

const failed = (audit: Stream.Stream<Dataset.Audit, Dataset.DatasetError, FileSystem.FileSystem | Path.Path>) =>
  Effect.map(Effect.flip(Stream.runDrain(audit)), ({ _tag, message }) => `${_tag} ${message}`)

const told = ({ count, entity, from, kind, to }: Dataset.Finding) =>
  `${kind} ${entity} ${from.slice(0, 10)} ${to.slice(0, 10)} ${count}`

describe("an audit of days", () => {
  for (const byEntity of [true, false]) {
    it.live(
      `tells of each entity and day how it is, ${byEntity ? "" : "also "}where files have ${byEntity ? "one entity" : "all"}`,
      () =>
        Effect.gen(function* () {
          const to = yield* begun({ byEntity, period: "month" })
          yield* without(to, ["2026-10-05", "2026-10-06", "2026-10-31"])
          const { days, findings, summary } = yield* audited(Dataset.audit(to))
          assert.deepStrictEqual(
            findings.map(told),
            ["btc", "eth"].flatMap((asset) => [
              `hole ${asset} 2026-10-05 2026-10-06 2`,
              `hole ${asset} 2026-10-31 2026-10-31 1`
            ])
          )
          assert.deepStrictEqual(
            days,
            ["btc", "eth"].flatMap((asset) => [
              `${asset} 2026-10-01 2026-10-04 available`,
              `${asset} 2026-10-05 2026-10-06 missing`,
              `${asset} 2026-10-07 2026-10-30 available`,
              `${asset} 2026-10-31 2026-10-31 missing`,
              `${asset} 2026-11-01 2026-11-01 available`,
              `${asset} 2026-11-02 2026-11-03 pending`
            ])
          )
          assert.deepInclude(summary, {
            entities: 2,
            records: 58,
            findings: 4,
            unacknowledged: 4,
            kinds: { hole: 4 },
            days: { available: 58, degraded: 0, missing: 6, pending: 4 }
          })
        }).pipe(at("2026-11-03T09:00:00"), Effect.provide(world))
    )
  }

  it.live("tells of a last record that is too old, and of files that are missing", () =>
    Effect.gen(function* () {
      const to = yield* begun({ period: "month" })
      const fs = yield* FileSystem.FileSystem
      const [first = ""] = Object.keys(yield* data(to))
      yield* fs.remove(`${to}/${first}`)
      const { days, findings } = yield* audited(Dataset.audit(to))
      assert.deepStrictEqual(findings.map(told), [
        "missingFile btc 2026-10-01 2026-10-31 31",
        "hole btc 2026-10-01 2026-10-31 31",
        "late btc 2026-11-01 2026-11-01 1",
        "late eth 2026-11-01 2026-11-01 1"
      ])
      assert.deepStrictEqual(days.slice(0, 3), [
        "btc 2026-10-01 2026-10-31 missing",
        "btc 2026-11-01 2026-11-01 available",
        "btc 2026-11-02 2026-11-09 missing"
      ])
      const patient = yield* audited(Dataset.audit(to, { maxAge: "30 days", from: "2026-10-20", to: "2026-12-31" }))
      assert.deepStrictEqual(patient.findings.map(told), [
        "missingFile btc 2026-10-01 2026-10-31 31",
        "hole btc 2026-10-20 2026-10-31 12"
      ])
      const early = yield* audited(Dataset.audit(to, { from: "2026-11-01", to: "2026-11-01" }))
      assert.deepStrictEqual(early.days, ["btc 2026-11-01 2026-11-01 available", "eth 2026-11-01 2026-11-01 available"])
    }).pipe(at("2026-11-09T09:00:00"), Effect.provide(world))
  )

  it.live("has one finding for a series of which more is missing than there is", () =>
    Effect.gen(function* () {
      const to = `${yield* temporary}/held`
      const params = { ...job.params, frequency: "1h", start_time: "2026-10-29" }
      yield* Stream.runDrain(Dataset.sync({ ...job, params, to, format: { as: "ndjson" } }))
      const hours = Array.from({ length: 24 }, (_, hour) => `T${String(hour).padStart(2, "0")}:`)
      yield* without(
        to,
        hours.filter((_, hour) => hour % 3 !== 2 && hour !== 0)
      )
      const { findings } = yield* audited(Dataset.audit(to))
      assert.deepStrictEqual(findings.map(told), [
        "hole btc 2026-10-29 2026-10-31 45",
        "hole eth 2026-10-29 2026-10-31 45"
      ])
    }).pipe(at("2026-11-01T00:30:00"), Effect.provide(world))
  )
})

describe("findings of an audit", () => {
  it.live("say whether the service has what is missing, with one request for each hole", () =>
    Effect.gen(function* () {
      const to = yield* begun()
      yield* without(to, ["2026-10-05", "2026-10-06", "2026-10-20"])
      const before = yield* sent
      const { findings, summary } = yield* audited(Dataset.audit(to, { ask: true }))
      assert.deepStrictEqual(
        findings.map(({ isAtService, kind }) => `${kind} ${isAtService}`),
        Array.from({ length: 4 }, () => "hole true")
      )
      assert.strictEqual((yield* sent) - before, 4)
      assert.isUndefined(summary?.unasked)
    }).pipe(at("2026-11-01T12:00:00"), Effect.provide(world))
  )

  it.live("are acknowledged by their ids, which stay, and keep syncs and proofs content", () =>
    Effect.gen(function* () {
      const to = yield* begun()
      const clean = yield* data(to)
      yield* without(to, ["2026-10-05", "2026-10-20"])
      const first = yield* Effect.provide(audited(Dataset.audit(to)), NodeServices.layer)
      const ids = first.findings.map(({ id }) => id)
      assert.strictEqual(new Set(ids).size, 4)
      yield* Dataset.acknowledge(to, [ids[0]!])
      yield* Dataset.acknowledge(to, [ids[2]!, ids[0]!])
      const second = yield* audited(Dataset.audit(to))
      assert.deepStrictEqual(
        second.findings.map(({ id, isAcknowledged }) => [id, isAcknowledged]),
        ids.map((id, index) => [id, index % 2 === 0])
      )
      assert.deepInclude(second.summary, { findings: 4, unacknowledged: 2 })
      const fs = yield* FileSystem.FileSystem
      for (const [path, text] of Object.entries(clean)) yield* fs.writeFileString(`${to}/${path}`, text)
      yield* Stream.runDrain(Dataset.sync({ to, recheck: "400 days" }))
      yield* Stream.runDrain(Dataset.verify(to))
      assert.deepStrictEqual((yield* audited(Dataset.audit(to))).findings, [])
      yield* without(to, ["2026-10-05", "2026-10-20"])
      assert.deepInclude((yield* audited(Dataset.audit(to))).summary, { findings: 4, unacknowledged: 2 })
      yield* fs.writeFileString(`${to}/.sluice/acknowledged.json`, `{"acknowledged":[]}`)
      assert.strictEqual((yield* Effect.flip(audited(Dataset.audit(to))))._tag, "BookkeepingDamaged")
    }).pipe(at("2026-11-01T12:00:00"), Effect.provide(world))
  )

  it.live("count values that were revised, where the review of metrics is held", () =>
    Effect.gen(function* () {
      const to = `${yield* temporary}/held`
      const params = { assets: ["btc"], metrics: ["AdrActCnt", "TxCnt"], start_time: "2026-01-01" }
      yield* Stream.runDrain(Dataset.sync({ ...job, params, to, format: { as: "ndjson" } }))
      const fs = yield* FileSystem.FileSystem
      const [[path, text] = ["", ""]] = Object.entries(yield* data(to))
      const rows = text.trimEnd().split("\n")
      const { revised } = (yield* audited(Dataset.audit(to))).summary ?? {}
      const words = [...text.matchAll(/-status":"(\w+)"/g)].map(([, word]) => word)
      assert.strictEqual(revised?.values ?? 0, words.length)
      assert.strictEqual(revised?.revised ?? 0, words.filter((word) => word === "revised").length)
      const changed = rows.map((row) => JSON.stringify({ ...JSON.parse(row), "TxCnt-status": "revised" }))
      yield* fs.writeFileString(`${to}/${path}`, changed.join("\n"))
      assert.isAtLeast((yield* audited(Dataset.audit(to))).summary?.revised?.revised ?? 0, rows.length)
    }).pipe(at("2026-11-01T12:00:00"), Effect.provide(world))
  )

  it.live("are refused of a table, of a folder without a dataset, and of what is no time", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const store = DatasetDuckdb.make({ file: `${to}/market.duckdb`, table: "closes" })
      assert.match(yield* failed(Dataset.audit(store)), /^BadDefinition .*only folders are audited/)
      assert.match(yield* failed(Dataset.audit(`${to}/none`)), /^NoDataset /)
      assert.match(yield* failed(Dataset.audit(to, { from: "soon" })), /^BadDefinition .*"from" is no time/)
      assert.match(yield* failed(Dataset.audit(to, { to: "soon" })), /^BadDefinition .*"to" is no time/)
    }).pipe(Effect.provide(world))
  )
})
