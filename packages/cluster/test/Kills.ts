/**
 * A cluster of real processes around a real PostgreSQL, which share their quota over a real Redis, and of which any is killed at any moment.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import { Backfill, Cluster, Worker } from "@sluice/cluster"
import { Dataset } from "@sluice/datasets"
import { Download } from "@sluice/files"
import { NodeClient } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { type ChildProcess, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gunzipSync } from "node:zlib"
import * as RedisServer from "../../node/test/quota/RedisServer.ts"
import { dayParts, days, parts, rows, trades } from "./Days.ts"
import { picture, temporary } from "./Harness.ts"
import * as Postgres from "./Postgres.ts"
import * as Recorder from "./Recorder.ts"

const key = "demo-key"

const script = fileURLToPath(new URL("process.ts", import.meta.url))

/** Parts that one worker reads at once: three workers stay below the ten requests that the service runs for a key. */
const atOnce = 3

/** The most requests from one kill to the next. */
const mostBetween = 25

const begin = (store: string | undefined, ...args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [script, ...args], {
        env: { ...process.env, SLUICE_API_KEY: key, ...(store === undefined ? {} : { SLUICE_QUOTA_STORE: store }) },
        stdio: "ignore"
      })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

const kill = (child: ChildProcess | undefined) => Effect.sync(() => void child?.kill("SIGKILL"))

/** What can be killed. */
export type Victim = "worker" | "submitter" | "postgres" | "redis"

/** Where the records go: files of a download, a table, or the folder of a dataset. */
export type Target = "folder" | "table" | "dataset"

/**
 * Kills these one after the other, each after some more requests, and holds the files against those of one process. `late` is how
 * many of them were killed when everything had been requested.
 */
export const killed = Effect.fnUntraced(function* (
  seed: number,
  victims: ReadonlyArray<Victim>,
  target: Target = "folder"
) {
  const { url: service } = yield* Sandbox.Sandbox
  const { asked, count, forget, refused, root } = yield* Recorder.make(service)
  const postgres = yield* Postgres.make
  // Where none is installed, each process has a quota of its own.
  const redis = RedisServer.program === undefined ? undefined : yield* RedisServer.start
  const url = Redacted.value(postgres.url)
  const folder = yield* temporary
  const client = NodeClient.layer({ root, apiKey: Redacted.make(key) })
  if (target !== "dataset") yield* Stream.runDrain(Download.run(days(`${folder}/one`))).pipe(Effect.provide(client))
  if (target === "table") {
    // The requests for a table differ from those for files.
    forget()
    const alone = Worker.layer({ endpoints: [Timeseries.assetMetrics], concurrency: 10, database: postgres.url }).pipe(
      Layer.provideMerge(Cluster.layerMemory),
      Layer.provideMerge(client)
    )
    yield* Effect.provide(Backfill.run(rows(postgres.url, "one")), alone)
  }
  if (target === "dataset") {
    forget()
    const alone = Worker.layer({ endpoints: [Timeseries.marketTrades], concurrency: 10 }).pipe(
      Layer.provideMerge(Cluster.layerMemory),
      Layer.provideMerge(client)
    )
    yield* Effect.provide(Backfill.run(trades(`${folder}/loaded`)), alone)
  }
  const once = new Map(asked)
  forget()

  const to = { folder: `${folder}/many`, table: "table many", dataset: `dataset ${folder}/many` }[target]
  const work = begin(redis?.store, "work", root, url, "", String(atOnce))
  const workers = [yield* work, yield* work, yield* work]
  const submitter = yield* begin(redis?.store, "submit", root, url, to)
  const control = Layer.merge(client, Cluster.layerClient({ url: postgres.url }))
  let repeats = 0
  let late = 0
  for (const victim of victims) {
    const until = count() + (yield* Random.nextIntBetween(1, mostBetween))
    const isOver = () => asked.size === once.size
    yield* Effect.sleep("10 millis").pipe(Effect.repeat({ while: () => count() < until && !isOver(), times: 3_000 }))
    if (isOver()) late += 1
    if (victim === "submitter") {
      yield* kill(submitter)
      continue
    }
    if (victim === "postgres") {
      yield* postgres.kill
      yield* Effect.sleep(`${yield* Random.nextIntBetween(0, 3_000)} millis`)
      yield* postgres.start
      repeats += atOnce * workers.length
      continue
    }
    if (victim === "redis") {
      // Nothing is repeated: what is under way goes on, and each process keeps to its share.
      if (redis === undefined) continue
      yield* redis.kill
      yield* Effect.sleep(`${yield* Random.nextIntBetween(0, 3_000)} millis`)
      yield* redis.restart(yield* Random.nextBoolean)
      continue
    }
    const place = yield* Random.nextIntBetween(0, workers.length - 1)
    yield* kill(workers[place])
    repeats += atOnce
    workers[place] = yield* work
  }
  const submit = {
    folder: Backfill.submit(days(to)),
    table: Backfill.submit(rows(postgres.url, "many")),
    dataset: Backfill.submit(trades(`${folder}/many`))
  }[target]
  // Nobody may have heard of it yet.
  const status = yield* Effect.flatMap(submit, (id) => Stream.runLast(Backfill.watch(id))).pipe(
    Effect.flatMap(Effect.fromOption),
    Effect.provide(control),
    Effect.retry({ times: 20, schedule: Schedule.spaced("1 second") })
  )
  const tried = target === "dataset" ? dayParts : parts
  assert.deepStrictEqual([status.state, status.done, status.failed], ["finished", tried, 0])
  if (target === "dataset") {
    const one = yield* visible(`${folder}/loaded`)
    assert.lengthOf(Object.keys(one), tried)
    assert.deepStrictEqual(yield* visible(`${folder}/many`), one)
    yield* Stream.runDrain(Dataset.verify(`${folder}/many`))
    const { entities = [] } = (yield* Dataset.status(`${folder}/many`)) ?? {}
    assert.strictEqual(entities[0]?.rows, status.records)
  } else if (target === "folder") assert.deepStrictEqual(yield* picture(to), yield* picture(`${folder}/one`))
  else {
    // PostgreSQL writes a number as JavaScript does.
    const line = `concat_ws('|', asset, to_char(time, 'YYYY-MM-DD"T"HH24:MI:SS.US'), "PriceUSD")`
    const found = yield* postgres.query(`SELECT md5(string_agg(${line}, ' ' ORDER BY time)) FROM many`)
    assert.strictEqual(found, yield* digestOf(`${folder}/one`))
    const held = yield* postgres.query("SELECT entity, rows, cursor->'todo' FROM sluice_cursors WHERE dataset = 'many'")
    assert.strictEqual(held, `btc|${parts * 1_440}|`)
  }
  // Each part that was under way may be read again, and with it the first and the last for the check.
  const more = [...asked].map(([path, times]) => times - (once.get(path) ?? 0)).filter((times) => times > 0)
  const extra = more.reduce((sum, times) => sum + times, 0)
  // A part of a dataset may ask for a page and then for all of its records, a part of the others asks for one thing.
  const pages = Math.max(...once.values(), ...(target === "dataset" ? ofParts(once) : []))
  assert.isAtMost(extra, repeats * pages, `seed ${seed}: ${more.join(" ")}`)
  assert.sameMembers([...asked.keys()], [...once.keys()])
  assert.notInclude(yield* postgres.dump, key)
  if (redis !== undefined) assert.notInclude(yield* redis.written, key)
  return { victims, extra, late, refused: refused() }
}, Effect.scoped)

const others = ["submitter", "postgres", "redis"] as const

const victim = Effect.map(Random.nextIntBetween(0, 6), (dice): Victim => others[dice] ?? "worker")

/** What each run of {@link killed} needs. */
export const world = Layer.merge(Sandbox.layer({ latency: "200 millis" }), NodeServices.layer)

/** The files of a dataset, without its bookkeeping. */
const visible = (folder: string) =>
  Effect.map(picture(folder), (all) =>
    Object.fromEntries(Object.entries(all).filter(([path]) => !path.startsWith(".sluice")))
  )

/** How many requests each part had, which its start tells. An average of them would depend on what else was asked. */
const ofParts = (asked: ReadonlyMap<string, number>) => {
  const parts = Map.groupBy(asked, ([path]) => new URL(path, "http://localhost").searchParams.get("start_time"))
  return [...parts.values()].map((requests) => requests.reduce((sum, [, times]) => sum + times, 0))
}

/** The checksum of the records of compressed CSV files, as PostgreSQL prints rows. */
const digestOf = Effect.fnUntraced(function* (folder: string) {
  const names = Object.keys(yield* picture(folder)).filter((name) => name.endsWith(".csv.gz"))
  const all = names.toSorted().flatMap((name) => {
    const [, ...lines] = gunzipSync(readFileSync(`${folder}/${name}`))
      .toString()
      .trimEnd()
      .split("\n")
    return lines.map((line) => {
      const [asset = "", time = "", price = ""] = line.split(",")
      return `${asset}|${time.slice(0, 26)}|${Number(price)}`
    })
  })
  return createHash("md5").update(all.join(" ")).digest("hex")
})

/** Kills five of them in random order. */
export const anyOrder = (seed: number, target: Target = "folder") =>
  Effect.flatMap(Effect.replicateEffect(victim, 5), (victims) => killed(seed, victims, target)).pipe(
    Random.withSeed(seed),
    Effect.provide(world)
  )
