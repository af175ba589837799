import { assert, layer } from "@effect/vitest"
import { Backfill } from "@sluice/cluster"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Postgres from "../../cluster/test/Postgres.ts"
import { isLong } from "../../core/test/TestMode.ts"
import { codes } from "../src/program/ExitCode.ts"
import { environment, folder, inProcess, key, services, sluice } from "./Process.ts"

const request = ["backfill", "timeseries/asset-metrics", "--assets", "btc,eth", "--metrics", "PriceUSD"].concat(
  ["--start_time", "2024-01-01", "--end_time", "2024-02-01"],
  ["--split", "assets", "--to"]
)

const decodeAll = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Array(Backfill.Status)))
const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Backfill.Status))

const soon = Schedule.spaced("200 millis")

const steps = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const postgres = yield* Postgres.make
  const env = { SLUICE_CLUSTER: Redacted.value(postgres.url) }
  const said: Array<string> = []
  const run = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
    const ran = yield* sluice(args, env)
    said.push(ran.stdout, ran.stderr)
    return ran
  })
  const act = Effect.fnUntraced(function* (action: string, ...ids: ReadonlyArray<string>) {
    return yield* decode((yield* run("backfill", action, ...ids, "--json")).stdout)
  })
  const list = Effect.flatMap(run("backfill", "status", "--json"), ({ stdout }) => decodeAll(stdout))

  assert.strictEqual((yield* run("backfill", "status")).stdout.trim(), "There are no backfills.")

  const none = yield* run("backfill", "status", "--cluster", env.SLUICE_CLUSTER.replace(/\/[^/]*$/, "/nodb"))
  assert.include(none.stderr, 'cannot join the cluster: PostgreSQL: database "nodb" does not exist.')
  assert.include(none.stderr, "the database has to exist, sluice makes only its tables")

  // Two are submitted while no worker is there, and their commands are stopped.
  const place = yield* folder
  const submit = Effect.fnUntraced(function* (to: string) {
    const submitted = inProcess([...request, to], { ...(yield* environment), ...env })
    const fiber = yield* Effect.forkScoped(submitted.run)
    yield* Effect.repeat(Effect.sync(submitted.outputs.stderr), { schedule: soon, until: (text) => text !== "" })
    yield* Fiber.interrupt(fiber)
    const text = submitted.outputs.stderr()
    said.push(text)
    const [, id = ""] = /backfill (\w+) (?:goes on in the cluster|is paused)/.exec(text) ?? []
    return { id, text }
  })
  const { id: one } = yield* submit(`${place}/one`)
  const { id: two } = yield* submit(`${place}/two`)
  assert.deepStrictEqual(
    (yield* list).map(({ id, parts, state }) => [id, state, parts]),
    [
      [two, "running", null],
      [one, "running", null]
    ]
  )

  // Whoever watches is told so, and ends with a cancellation, since nobody has begun it.
  const unread = inProcess([...request, `${place}/unread`], { ...(yield* environment), ...env })
  const waiting = yield* Effect.forkScoped(unread.run)
  yield* Effect.repeat(Effect.sync(unread.outputs.stderr), {
    schedule: soon,
    until: (text) => text.includes("no worker is running")
  })
  assert.match(unread.outputs.stderr(), /running \(no worker is running; start `sluice worker`\): no part begun/)
  const [{ id: lonely } = { id: "" }] = yield* list
  assert.include(yield* act("cancel", lonely), { state: "cancelled" })
  yield* Fiber.join(waiting)
  assert.include(unread.outputs.stderr(), `backfill ${lonely} was cancelled with 0 of 0 parts done`)
  assert.include(yield* act("forget"), { id: lonely })

  // A worker that reads from another root leaves both to others, of which there is none.
  const { faultUrl } = yield* Sandbox.Sandbox
  const elsewhere = { ...(yield* environment), ...env, SLUICE_BASE_URL: faultUrl("slow=1") }
  const other = inProcess(["worker", "--host", "127.0.0.1"], { ...elsewhere, SLUICE_WORKER_NAME: "db2" })
  const working = yield* Effect.forkScoped(other.run)
  const stuck = yield* Effect.repeat(run("backfill", "status", one), {
    schedule: soon,
    until: ({ stdout }) => stdout.includes("no worker can do it")
  })
  assert.match(stuck.stdout, /running \(no worker can do it: the worker db2 reads from .*slow.*, not from /)
  const { workers } = yield* act("status", two)
  assert.deepStrictEqual(
    [workers.able, workers.unable.map(({ setting, worker }) => [worker, setting])],
    [0, [["db2", "root"]]]
  )
  assert.match(other.outputs.stderr(), /^Working for the cluster as db2\. Ctrl-C/)
  yield* Fiber.interrupt(working)
  assert.include(other.outputs.stderr(), `Backfill ${one} is left to other workers`)

  const either = yield* run("backfill", "pause")
  assert.strictEqual(either.code, codes.usage)
  assert.include(either.stderr, "several backfills may be meant")
  assert.strictEqual((yield* act("pause", one.slice(0, 6))).state, "paused")
  const twice = yield* run("backfill", "pause", one)
  assert.deepStrictEqual([twice.code, twice.stdout], [codes.usage, ""])
  assert.include(twice.stderr, `cannot pause backfill ${one}: it is paused`)
  // Whoever watches it is told so, and that no worker goes on.
  const watching = yield* submit(`${place}/one`)
  assert.include(watching.text, `backfill ${one} is paused. \`sluice backfill resume ${one}\` lets it go on`)
  assert.strictEqual((yield* act("cancel", two)).state, "cancelled")
  // No worker had begun it, and none is there: it has ended.
  assert.notStrictEqual((yield* act("status", two)).ended, null)
  assert.strictEqual((yield* run("backfill", "status", "nosuchone")).code, codes.usage)

  // Both keep the dataset of a file, which only one of them can at a time.
  const datasets = `${place}/datasets.toml`
  const prices =
    'endpoint = "timeseries/asset-metrics"\nassets = "btc"\nmetrics = "PriceUSD"\nstart_time = 2026-10-01\n'
  yield* fs.writeFileString(datasets, `[prices]\n${prices}output = "kept"\n`)
  const workerOf = Effect.fnUntraced(function* (name: string) {
    const words = ["worker", "--host", "127.0.0.1", "--listen", "0", "--name", name, "--all", datasets]
    const started = inProcess(words, { ...(yield* environment), ...env })
    return { ...started, fiber: yield* Effect.forkScoped(started.run) }
  })
  const worker = yield* workerOf("db3")
  const saying = (outputs: typeof worker.outputs, what: string) =>
    Effect.repeat(Effect.sync(outputs.stderr), { schedule: soon, until: (text) => text.includes(what) })
  yield* saying(worker.outputs, "prices: ")
  yield* Effect.repeat(fs.exists(`${place}/kept/asset=btc`), { schedule: soon, until: Boolean })
  const second = yield* workerOf("db4")
  yield* saying(second.outputs, "prices: failed: ")
  const reply = Effect.fnUntraced(function* (path: string) {
    const [, root = ""] = /on (http:\/\/127\.0\.0\.1:\d+)\n/.exec(worker.outputs.stderr()) ?? []
    return yield* Effect.tryPromise(async () => {
      const found = await fetch(`${root}${path}`)
      return { status: found.status, text: await found.text() }
    })
  })
  const wellWith = (state: string) =>
    Effect.retry(
      Effect.gen(function* () {
        const { status, text } = yield* reply("/health")
        assert.strictEqual(status, 200)
        const health = JSON.parse(text)
        assert.include(health, { status: "ok", worker: "db3", failure: null })
        assert.deepInclude(health.datasets[0], { name: "prices", status: "ok", failure: null })
        return yield* health.backfills.some(
          ({ id, state: now }: Record<string, unknown>) => id === one && now === state
        )
          ? Effect.void
          : Effect.fail(text)
      }),
      { schedule: soon, times: 100 }
    )
  yield* wellWith("paused")
  const { text: metrics } = yield* reply("/metrics")
  assert.match(metrics, new RegExp(`^sluice_backfill_running{backfill="${one}"} 0$`, "m"))
  assert.match(metrics, new RegExp(`^sluice_backfill_left_seconds{backfill="${one}"} NaN$`, "m"))
  assert.match(metrics, /^sluice_cluster_answered_seconds \d{10}/m)
  // What `sluice status` shows where nothing is named.
  assert.include((yield* run("status")).stdout, `${one}  paused`)
  yield* Effect.repeat(act("status", two), { schedule: soon, until: ({ ended }) => ended !== null })
  // The only one that has ended without its files.
  assert.include(yield* act("retry"), { id: two, generation: 2 })
  const finished = yield* Effect.repeat(act("status", two), { schedule: soon, until: ({ ended }) => ended !== null })
  assert.include(finished, { state: "finished", parts: 2, done: 2, failed: 0, records: 64 })

  assert.include(yield* act("status", one), { state: "paused", done: 0 })
  assert.include(yield* act("resume"), { id: one })
  // Submitted again it is watched to its end.
  const watched = yield* run(...request, `${place}/one`)
  assert.strictEqual(watched.code, 0)
  assert.match(watched.stderr, /finished: 2 of 2 parts, 64 records/)
  assert.notInclude(watched.stderr, "nothing was read")
  assert.include((yield* run(...request, `${place}/one`)).stderr, "it is kept, and nothing was read.")
  const table = yield* run("backfill", "status")
  assert.deepStrictEqual(
    table.stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(":")[0]),
    [`${two}  finished`, `${one}  finished`]
  )
  const names = (yield* fs.readDirectory(`${place}/one`)).filter((name) => name.endsWith(".ndjson"))
  assert.lengthOf(names, 2)
  for (const name of names) {
    const text = yield* fs.readFileString(`${place}/one/${name}`)
    assert.strictEqual(yield* fs.readFileString(`${place}/two/${name}`), text)
  }
  const ofOne = `SELECT coalesce(sum(parts), 0) FROM sluice_backfill_parts WHERE backfill = '${one}'`
  assert.strictEqual(yield* postgres.query(ofOne), "2")
  const forgotten = yield* run("backfill", "forget", one)
  assert.match(forgotten.stdout, new RegExp(`^forgotten: ${one}  finished: `))
  assert.deepStrictEqual(
    (yield* list).map(({ id }) => id),
    [two]
  )
  assert.strictEqual(yield* postgres.query(ofOne), "0")
  // The same job is another run of the engine, which keeps what it has run.
  assert.match((yield* run(...request, `${place}/one`)).stderr, /finished: 2 of 2 parts, 64 records/)
  assert.include(yield* act("forget", one), { id: one, generation: 2 })
  // Into a table, with which a sync goes on.
  const database = ["--into", env.SLUICE_CLUSTER, "--table", "prices"]
  const both = yield* run(...request, `${place}/three`, ...database)
  assert.strictEqual(both.code, codes.usage)
  const loaded = yield* run(...request.slice(0, -1), ...database)
  assert.match(loaded.stderr, /finished: 2 of 2 parts, 64 records.* to public\.prices of 127\.0\.0\.1/)
  const synced = yield* run("sync", ...database)
  assert.strictEqual(synced.code, 0)
  const held = yield* postgres.query("SELECT count(*) FROM prices WHERE time < '2024-02-02'")
  assert.strictEqual(held, "64")
  // A retry would ask for the same name again.
  const misspelt = yield* run(...request.map((word) => word.replace("btc,eth", "btc,etherum")), `${place}/misspelt`)
  assert.strictEqual(misspelt.code, codes.incomplete)
  assert.match(
    misspelt.stderr,
    /was refused: [^\n]*; did you mean "eth"\?\nSubmit it again [^\n]*`sluice backfill forget /
  )
  // A table of another database waits for a worker that has it, and the line says how to start one.
  const elsewhereInto = ["--into", env.SLUICE_CLUSTER.replace(/\/[^/]*$/, "/elsewhere"), "--table", "prices"]
  const left = inProcess([...request.slice(0, -1), ...elsewhereInto], { ...(yield* environment), ...env })
  yield* Effect.forkScoped(left.run)
  yield* Effect.repeat(Effect.sync(left.outputs.stderr), {
    schedule: soon,
    until: (text) => text.includes("no worker can do it")
  })
  assert.match(
    left.outputs.stderr(),
    /; start one with `sluice worker --into postgres:\/\/127\.0\.0\.1:\d+\/elsewhere`\)/
  )
  // Nothing of the engine's own log.
  assert.match(worker.outputs.stderr(), /^Serves \/health and \/metrics on .*\nWorking for the cluster as db3\. Ctrl-C/)
  // The other worker keeps the dataset when the first is gone.
  yield* Fiber.interrupt(worker.fiber)
  yield* saying(second.outputs, "prices: Watching ")
  assert.notInclude(worker.outputs.stderr(), "Listening")
  said.push(worker.outputs.stderr(), yield* postgres.dump)
  assert.notInclude(said.join("\n"), key)
}).pipe(Effect.scoped)

layer(services, { excludeTestServices: true })("backfills of a cluster", (it) => {
  // Skipped, and so named, where no PostgreSQL is installed.
  it.effect.skipIf(!isLong || !Postgres.isInstalled)(
    "are listed, paused, resumed, cancelled, retried and forgotten by command, and done by a worker",
    () => steps
  )
})
