// Which kind of reason keeps a process out of a cluster, by what a real PostgreSQL says.
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Cluster } from "@sluice/cluster"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as PostgresServer from "../../datasets/test/database/PostgresServer.ts"

const refusalOf = (url: string) =>
  Effect.map(Effect.flip(Layer.build(Cluster.layerClient({ url: Redacted.make(url) }))), (error) => {
    assert.notInclude(JSON.stringify(error) + error.message, "horse")
    return error._tag === "ClusterUnavailable" ? [error.kind, error.code] : error
  })

describe("a cluster that cannot be joined", () => {
  it.live("is unreachable where nobody listens", () =>
    Effect.gen(function* () {
      const url = "postgres://sluice:correct-horse@127.0.0.1:1/postgres"
      assert.deepStrictEqual(yield* refusalOf(url), ["unreachable", "ECONNREFUSED"])
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(!PostgresServer.isInstalled)(PostgresServer.title("a cluster that a PostgreSQL refuses"), () => {
  it.live("tells a wrong password, a database that does not exist, and a user who may not connect now", () =>
    Effect.gen(function* () {
      const server = yield* PostgresServer.make
      const url = Redacted.value(server.url())
      assert.deepStrictEqual(yield* refusalOf(url.replace(PostgresServer.password, "other-horse")), ["login", "28P01"])
      assert.deepStrictEqual(yield* refusalOf(url.replace(`:${PostgresServer.password}`, "")), ["login", undefined])
      assert.deepStrictEqual(yield* refusalOf(url.replace(/\/postgres$/, "/nodb")), ["noDatabase", "3D000"])
      yield* PostgresServer.query(server, "CREATE ROLE nobody LOGIN PASSWORD 'correct-horse' CONNECTION LIMIT 0")
      assert.deepStrictEqual(yield* refusalOf(url.replace("sluice:", "nobody:")), ["refused", "53300"])
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
