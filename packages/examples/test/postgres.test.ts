import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { isLong } from "../../core/test/TestMode.ts"
import { load } from "../src/guides/postgres.ts"
import { inMemory } from "./Guides.ts"
import * as Postgres from "./Postgres.ts"

const all = "SELECT asset, time::text, usd::text FROM prices ORDER BY asset, time"

describe("the load into PostgreSQL", () => {
  // Starting PostgreSQL in WebAssembly takes four seconds of processor time.
  it.live.skipIf(!isLong)("keeps each record once, wherever it is killed and started again", () =>
    Effect.gen(function* () {
      const server = yield* Postgres.make
      const run = Effect.fnUntraced(function* (cut?: Postgres.Cut) {
        const process = server.process(cut)
        const database = PgClient.layer({ stream: process.stream, username: "postgres", maxConnections: 1 })
        const exit = yield* Effect.exit(Effect.provide(load, database))
        return { exit, sent: process.sent }
      })

      const whole = yield* run()
      assert.isTrue(Exit.isSuccess(whole.exit), String(whole.exit))
      const expected = yield* server.query(all)
      // January to October, three assets.
      assert.strictEqual(expected.length, 3 * 304)

      // Counts what is written and committed, also where a row is replaced by itself.
      yield* server.exec(`
        CREATE TABLE written (asset text, time timestamptz);
        CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN INSERT INTO written VALUES (NEW.asset, NEW.time); RETURN NEW; END $$;
        CREATE TRIGGER note AFTER INSERT OR UPDATE ON prices FOR EACH ROW EXECUTE FUNCTION note()`)

      for (let after = 1; after <= whole.sent; after++) {
        for (const lost of ["message", "answer"] as const) {
          const where = `${lost} ${after} of ${whole.sent}`
          yield* server.exec("TRUNCATE prices, positions, written")
          yield* run({ after, lost })
          yield* server.exec("ROLLBACK")
          const apart = yield* server.query(
            `SELECT asset FROM (SELECT asset, max(time) AS time FROM prices GROUP BY asset) AS newest
             FULL JOIN positions USING (asset) WHERE newest.time IS DISTINCT FROM positions.time::timestamptz`
          )
          assert.deepStrictEqual(apart, [], where)
          const again = yield* run()
          assert.isTrue(Exit.isSuccess(again.exit), where)
          assert.deepStrictEqual(yield* server.query(all), expected, where)
          const written = yield* server.query("SELECT count(*)::int AS n FROM written")
          assert.deepStrictEqual(written, [{ n: expected.length }], where)
        }
      }
    }).pipe(Effect.provide(inMemory))
  )
})
