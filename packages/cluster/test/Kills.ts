/**
 * A cluster of real processes around a real PostgreSQL, which share their quota over a real Redis, and of which any is killed at any moment.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert } from "@effect/vitest"
import { Backfill, Cluster } from "@sluice/cluster"
import { Download, NodeClient } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as RedisServer from "../../node/test/quota/RedisServer.ts"
import { days, parts } from "./Days.ts"
import { picture, temporary } from "./Harness.ts"
import * as Postgres from "./Postgres.ts"
import * as Recorder from "./Recorder.ts"

const key = "sandbox-key"

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

/**
 * Kills these one after the other, each after some more requests, and holds the files against those of one process. `late` is how
 * many of them were killed when everything had been requested.
 */
export const killed = Effect.fnUntraced(function* (seed: number, victims: ReadonlyArray<Victim>) {
  const { url: service } = yield* Sandbox.Sandbox
  const { asked, count, forget, refused, root } = yield* Recorder.make(service)
  const postgres = yield* Postgres.make
  // Where none is installed, each process has a quota of its own.
  const redis = RedisServer.program === undefined ? undefined : yield* RedisServer.start
  const url = Redacted.value(postgres.url)
  const folder = yield* temporary
  const client = NodeClient.layer({ root, apiKey: Redacted.make(key) })
  yield* Stream.runDrain(Download.run(days(`${folder}/one`))).pipe(Effect.provide(client))
  const once = new Map(asked)
  forget()

  const to = `${folder}/many`
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
  // Nobody may have heard of it yet.
  const status = yield* Effect.flatMap(Backfill.submit(days(to)), (id) => Stream.runLast(Backfill.watch(id))).pipe(
    Effect.flatMap(Effect.fromOption),
    Effect.provide(control),
    Effect.retry({ times: 20, schedule: Schedule.spaced("1 second") })
  )
  assert.deepStrictEqual([status.state, status.done, status.failed], ["finished", parts, 0])
  assert.deepStrictEqual(yield* picture(to), yield* picture(`${folder}/one`))
  // Each part that was under way may be read again, and with it the first and the last for the check.
  const more = [...asked].map(([path, times]) => times - (once.get(path) ?? 0)).filter((times) => times > 0)
  const extra = more.reduce((sum, times) => sum + times, 0)
  const pages = Math.max(...once.values())
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

/** Kills five of them in random order. */
export const anyOrder = (seed: number) =>
  Effect.flatMap(Effect.replicateEffect(victim, 5), (victims) => killed(seed, victims)).pipe(
    Random.withSeed(seed),
    Effect.provide(world)
  )
