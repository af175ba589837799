// Who reaches a worker.
import { assert, describe, it } from "@effect/vitest"
import { Backfill, Cluster, Worker } from "@sluice/cluster"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import { createHmac } from "node:crypto"
import * as net from "node:net"
import * as tls from "node:tls"
import * as FreePort from "../../node/test/FreePort.ts"
import { ended, endpoints, job, temporary, world } from "./Harness.ts"
import * as Postgres from "./Postgres.ts"

const secret = Redacted.make("correct horse battery staple")
const nowhere = Redacted.make("postgres://sluice@127.0.0.1:1/postgres")

const joining = (options: Cluster.WorkerOptions) =>
  Effect.map(Effect.flip(Effect.scoped(Layer.build(Cluster.layerWorker(options)))), ({ _tag, message }) => ({
    _tag,
    message
  }))

/** What becomes of a connection: `open` at this event, `closed`, or the code of its error. */
const reached = (connection: net.Socket, event: "connect" | "secureConnect" | undefined) =>
  Effect.callback<string>((resume) => {
    const end = (how: string) => {
      connection.destroy()
      resume(Effect.succeed(how))
    }
    if (event !== undefined) connection.once(event, () => end("open"))
    connection.once("error", (error) => end("code" in error ? String(error.code) : error.message))
    connection.once("close", () => end("closed"))
  })

/** The same with a key of its own, as the documentation of Node.js has it. */
const withKey = (port: number, key: string) =>
  reached(
    tls.connect({
      port,
      host: "127.0.0.1",
      ciphers: "PSK+HIGH",
      maxVersion: "TLSv1.2",
      checkServerIdentity: () => undefined,
      pskCallback: () => ({ psk: createHmac("sha256", key).update("sluice cluster").digest(), identity: "sluice" })
    }),
    "secureConnect"
  )

describe("a worker", () => {
  it.live.each([undefined, "0.0.0.0", "::", "10.1.2.3", "db1.example", "localhost.example", "127.0.0.1.example"])(
    "does not begin without a secret where other machines may reach it: %s",
    (host) =>
      Effect.gen(function* () {
        const { _tag, message } = yield* joining({ url: nowhere, host })
        assert.strictEqual(_tag, "Misconfigured")
        assert.match(message, /^SLUICE_CLUSTER_SECRET: others may reach "[^"]+" too: /)
        // With one it goes as far as PostgreSQL.
        assert.strictEqual((yield* joining({ url: nowhere, host, secret }))._tag, "ClusterUnavailable")
      })
  )

  it.live.each(["127.0.0.1", "127.9.9.9", "localhost", "::1"])("needs none at %s", (host) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* joining({ url: nowhere, host }))._tag, "ClusterUnavailable")
    })
  )

  it.live("takes no secret that can be guessed, and shows none", () =>
    Effect.gen(function* () {
      const { message } = yield* joining({ url: nowhere, secret: Redacted.make("horse") })
      assert.strictEqual(message, "secret: must be a Redacted of at least 16 characters: Redacted.make(text)")
    })
  )
})

describe.skipIf(!Postgres.isInstalled)("a worker of a real cluster", () => {
  it.live("listens where it was told to, and nowhere else", () =>
    Effect.gen(function* () {
      const postgres = yield* Postgres.make
      const port = yield* FreePort.find
      yield* Layer.build(Cluster.layerWorker({ url: postgres.url, host: "127.0.0.1", port }))
      assert.strictEqual(yield* reached(net.connect({ host: "127.0.0.1", port }), "connect"), "open")
      assert.strictEqual(yield* reached(net.connect({ host: "127.0.0.2", port }), "connect"), "ECONNREFUSED")
    }).pipe(Effect.scoped, Effect.provide(world))
  )

  it.live("works with those that know its secret, and refuses others", () => {
    const refusals: Array<string> = []
    // Of connections that end, and of shards that take their time on a busy machine, the engine tells more.
    const logger = Logger.make(({ message }) => {
      if (String(message).includes("refuses this one")) refusals.push(String(message))
    })
    return Effect.gen(function* () {
      const { url } = yield* Postgres.make
      const folder = yield* temporary
      const workerAt = Effect.fnUntraced(function* (name: string, known: Redacted.Redacted) {
        const port = yield* FreePort.find
        const cluster = Cluster.layerWorker({ url, host: "127.0.0.1", port, secret: known })
        yield* Layer.build(Layer.fresh(Layer.provide(Worker.layer({ endpoints, name }), cluster)))
        return port
      })
      const port = yield* workerAt("db1", secret)
      yield* workerAt("db2", secret)
      const status = yield* Backfill.submit({ ...job, to: `${folder}/many` }).pipe(
        Effect.flatMap(ended),
        Effect.provide(Cluster.layerClient({ url, secret }))
      )
      assert.strictEqual(status.state, "finished")
      assert.strictEqual(yield* withKey(port, Redacted.value(secret)), "open")
      assert.match(yield* withKey(port, "correct horse battery"), /^ERR_SSL/)
      const talk = net.connect({ host: "127.0.0.1", port }, () => talk.write("GET / HTTP/1.1\r\n\r\n"))
      assert.include(["closed", "ECONNRESET"], yield* reached(talk, undefined))
      assert.deepStrictEqual(refusals, [])
      yield* workerAt("db3", Redacted.make("another horse, another staple"))
      yield* Effect.repeat(Effect.sleep("50 millis"), { until: () => refusals.length > 0 })
      assert.match(
        refusals[0] ?? "",
        /^The worker at 127\.0\.0\.1:\d+ refuses this one, or is none: all of a cluster need the same SLUICE_CLUSTER_SECRET/
      )
    }).pipe(Effect.scoped, Effect.provide(world), Effect.provide(Logger.layer([logger])))
  })
})
