import { assert, describe, it } from "@effect/vitest"
import { BlockchainJobs, BlockchainV2, type Client, Job, Jobs } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Dialect, Sandbox } from "@sluice/sandbox"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import type { ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"
import { assertSame } from "../../core/test/Same.ts"
import { outcome, settings, withClient } from "./Harness.ts"
import { json, serve } from "./Server.ts"

const poll = Job.polling({ base: "5 millis", cap: "20 millis", within: "20 seconds" })

/** 5,002 changes, which are two files. */
const updates = { assets: "btc", accounts: "treasury-btc", start_height: 700_000, end_height: 705_001 }

/** What is met with a fault: both files where it is about files, else few changes in one. */
const some = (fault: string) => (fault.includes("on=result") ? updates : { ...updates, end_height: 700_499 })

const read = (params: BlockchainJobs.BalanceUpdatesParams = updates) => BlockchainJobs.balanceUpdates(params, { poll })

const sandbox = (options: Sandbox.Options = {}) => Layer.fresh(Sandbox.layer({ jobTime: "20 millis", ...options }))

/** Runs a program against a stand-in of its own, over real sockets. */
const over = <A, E>(
  program: Effect.Effect<A, E, Client.Client | Sandbox.Sandbox>,
  fault?: string,
  options: NodeClient.Options = {}
) =>
  Effect.flatMap(Sandbox.Sandbox, ({ faultUrl, url }) =>
    withClient(program, { ...settings, root: fault === undefined ? url : faultUrl(fault), ...options })
  )

const stats = Effect.flatMap(Sandbox.Sandbox, ({ stats }) => stats)

/** The changes, read without a fault, once for all tests. */
const whole = Effect.runSync(Effect.cached(Stream.runCollect(read()).pipe(over, Effect.provide(sandbox()))))

describe("Jobs over real sockets", () => {
  it.live("give the changes that the chain has, from two files, without the key", () =>
    Effect.gen(function* () {
      const records = yield* Stream.runCollect(read())
      assert.strictEqual(records.length, 5_002)
      const { end_height, start_height } = updates
      const chain = yield* Stream.runCollect(
        BlockchainV2.accountBalanceUpdates({ asset: "btc", account: "treasury-btc", start_height, end_height })
      )
      assert.deepStrictEqual(
        records.map(({ height, new_balance, txid }) => ({ height, new_balance, txid })),
        chain.map(({ height, new_balance, txid }) => ({ height, new_balance, txid }))
      )
      const { statuses } = yield* stats
      assert.isUndefined(statuses[400], "a key was sent to the host of files")
    }).pipe(over, Effect.provide(sandbox()))
  )

  // The job runs until the clock is moved.
  it.effect("are started, looked at and read one by one", () =>
    Effect.gen(function* () {
      const { id } = yield* BlockchainJobs.balanceUpdates.submit({ ...updates, end_height: 700_009 })
      const [state] = yield* Stream.runCollect(Jobs.list({ ids: [id] }))
      assert.deepInclude(state, { id, status: "running" } as const)
      yield* TestClock.adjust("200 millis")
      const records = yield* Stream.runCollect(BlockchainJobs.balanceUpdates.results(id, { poll }))
      assert.strictEqual(records.length, 10)
    }).pipe(over, Effect.provide(sandbox({ jobTime: "200 millis" })))
  )

  it.live("give transactions and balances, from files in any form", () =>
    Effect.gen(function* () {
      const [block] = yield* Stream.runCollect(read({ ...updates, end_height: 700_000 }))
      const txids = [block?.txid ?? ""]
      for (const form of [[], ["sandbox-array"], ["sandbox-plain"], ["sandbox-array", "sandbox-plain"]]) {
        const [transaction] = yield* Stream.runCollect(
          BlockchainJobs.transactions({ assets: "btc", txids: [...txids, ...form] }, { poll })
        )
        assert.strictEqual(transaction?.txid, txids[0])
        assert.strictEqual(BlockchainJobs.updatesOf(transaction!).length, 2)
        const params = { assets: "btc", accounts: ["treasury-btc", ...form], at_height: 700_000 }
        const balances = yield* Stream.runCollect(BlockchainJobs.accountBalances(params, { poll }))
        assert.deepStrictEqual<unknown>(balances, [{ account: "treasury-btc", balance: block?.new_balance }])
      }
    }).pipe(over, Effect.provide(sandbox()))
  )

  it.live.each(["lastLine=open", "balanceUpdates=object"])(
    "name the asset where there may be several, with %s",
    (words) =>
      Effect.gen(function* () {
        const names = { assets: ["btc", "ltc"], accounts: ["treasury-btc", "treasury-ltc"] }
        const moment = { at_time: "2024-01-01T12:00:00" }
        const balances = yield* Stream.runCollect(BlockchainJobs.accountBalances({ ...names, ...moment }, { poll }))
        assert.deepStrictEqual(
          balances.map(({ account, asset }) => [asset, account]),
          names.assets.flatMap((asset) => names.accounts.map((account) => [asset, account]))
        )
        const range = { start_time: "2024-01-01", end_time: "2024-01-01T01:00:00" }
        const changes = yield* Stream.runCollect(BlockchainJobs.balanceUpdates({ ...names, ...range }, { poll }))
        assert.sameMembers([...new Set(changes.map(({ asset }) => asset))], names.assets)
        for (const { account, asset } of changes) assert.strictEqual(account, `treasury-${asset}`)
        const txids = ["btc", "ltc"].map((asset) => changes.find((one) => one.asset === asset)?.txid ?? "")
        const all = yield* Stream.runCollect(BlockchainJobs.transactions({ assets: "*", txids }, { poll }))
        assert.deepStrictEqual(all.map(({ asset, txid }) => [asset, txid]).toSorted(), [
          ["btc", txids[0]],
          ["ltc", txids[1]]
        ])
        for (const one of all) assert.strictEqual(BlockchainJobs.updatesOf(one)[0]?.change, "50.00000000")
        const { statuses } = yield* stats
        assert.isUndefined(statuses[400])
      }).pipe(over, Effect.provide(sandbox({ dialect: Result.getOrThrow(Dialect.parse(words)) })))
  )

  it.live.each([
    "reset-after=record:100;on=result;times=2",
    "reset-after=within:2000;on=result;times=1",
    "close-after=record:1500;on=result;times=2",
    "gzip-cut=2000;on=result;times=1",
    "status=429;retry-after=0;on=result;times=2",
    "reset;on=result;times=2",
    "close;on=result;times=1",
    "garbage;on=result;times=1",
    "drip=20000;every=1;on=result;times=1",
    "reset;on=status;times=2",
    "status=503;on=start;times=2"
  ])("lose and repeat nothing under %s", (fault) =>
    Effect.gen(function* () {
      const params = some(fault)
      const { error, records } = yield* outcome(read(params))
      assert.isUndefined(error)
      const { end_height, start_height } = params
      assert.strictEqual(records.length, end_height - start_height + 1)
      assertSame(records, (yield* whole).slice(0, records.length))
    }).pipe((program) => over(program, fault), Effect.provide(sandbox()))
  )

  it.live.each([
    ["reset;on=start", "JobUnconfirmed"],
    ["close;on=start", "JobUnconfirmed"],
    ["garbage;on=start", "JobUnconfirmed"],
    ["stall;on=start", "JobUnconfirmed"],
    ["status=403;on=result", "JobResultGone"],
    ["reset-after=record:100;on=result", "JobUnread"]
  ] as const)("end with a typed error under %s", ([fault, tag]) =>
    Effect.gen(function* () {
      const { error, records } = yield* outcome(read(some(fault)))
      assert.strictEqual(error?._tag, tag)
      const { faults } = yield* stats
      if (fault.endsWith("on=start")) assert.deepStrictEqual(Object.values(faults), [1], "it was sent once")
      if (tag === "JobUnconfirmed") assert.isEmpty(records)
    }).pipe(
      (program) => over(program, fault, fault.startsWith("stall") ? { firstByte: "1 second" } : {}),
      Effect.provide(sandbox())
    )
  )

  it.live("close their sockets when they are interrupted", () =>
    Effect.gen(function* () {
      const [begun, closed] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const reading = yield* readFile((response) => {
        response.once("close", () => Deferred.doneUnsafe(closed, Effect.void))
        // A file that begins, and of which no more comes.
        response.write(gzipSync('{"account":"a","balance":"1.5"}\n'), () => Deferred.doneUnsafe(begun, Effect.void))
      }).pipe(Effect.forkChild)
      yield* Deferred.await(begun)
      assert.isUndefined(reading.pollUnsafe())
      yield* Fiber.interrupt(reading)
      yield* Deferred.await(closed)
    })
  )
})

/** Reads the results of a job whose only file is answered so. */
const readFile = (answer: (response: ServerResponse) => void) =>
  Effect.gen(function* () {
    const server = yield* serve((request, response) => {
      if (request.url === "/file.gz") return answer(response)
      const results = [{ url: new URL("/file.gz", server.url).href }]
      const times = { creation_time: "2026-01-01T00:00:00Z", expiration_time: "2036-01-01T00:00:00Z" }
      return json(response, { data: [{ id: "job", status: "completed", ...times, results }] })
    })
    const reading = outcome(BlockchainJobs.accountBalances.results("job", { poll }))
    return yield* Effect.provide(reading, NodeClient.layer({ root: server.url, apiKey: Redacted.make("key") }))
  })

/** Reads the results of a job whose only file has these members. */
const readMembers = (...members: ReadonlyArray<string>) => {
  const file = Buffer.concat(members.map((member) => gzipSync(member, { level: 9 })))
  return readFile((response) => response.end(file))
}

describe("A file of a job in several gzip members", () => {
  const balances = Array.from({ length: 2_000 }, (_, index) => ({ account: `a${index}`, balance: `${index}.5` }))
  const lines = balances.map((balance) => `${JSON.stringify(balance)}\n`).join("")

  it.live("is read to its end, wherever a member begins", () =>
    Effect.gen(function* () {
      for (const at of [0, 1, lines.indexOf("\n") + 1, lines.length >> 1]) {
        const { error, records } = yield* readMembers(lines.slice(0, at), "", lines.slice(at))
        assert.isUndefined(error)
        assert.deepStrictEqual<unknown>(records, balances)
      }
    })
  )

  it.live("is given up where its members together grow to more than records do", () =>
    Effect.gen(function* () {
      const blank = " ".repeat(4_000_000)
      const { error } = yield* readMembers(lines, blank, blank, blank)
      assert.strictEqual(error?._tag, "JobUnread")
      assert.match(String(error), /grows to more than 300 times its length/)
    })
  )
})
