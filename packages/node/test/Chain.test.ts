import { assert, layer } from "@effect/vitest"
import { BlockchainV2, type Client } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { withClient } from "./Harness.ts"

const reads = <A, E>(program: Effect.Effect<A, E, Client.Client>) => withClient(program)

const range = { asset: "btc", start_height: 500_010, end_height: 500_030 } as const

const halves = (amounts: ReadonlyArray<string | null | undefined>) =>
  amounts.reduce((sum, amount) => sum + 2 * Number(amount), 0)

// Over sockets.
layer(Sandbox.layer({}))("the stand-in's chain", (it) => {
  it.effect("has in its blocks the transactions and balance updates that their lists have, forks included", () =>
    Effect.gen(function* () {
      const all = { ...range, chain: "all" } as const
      const blocks = yield* Stream.runCollect(BlockchainV2.blocks(all))
      const transactions = yield* Stream.runCollect(BlockchainV2.transactions(all))
      const updates = yield* Stream.runCollect(BlockchainV2.balanceUpdates(all))
      assert.deepStrictEqual(
        blocks.filter(({ stale }) => stale === "true").map(({ height }) => height),
        ["500017"]
      )
      for (const { block_hash, height, n_balance_updates, n_transactions } of blocks) {
        const block = yield* BlockchainV2.block({ asset: "btc", block_hash })
        const own = transactions.filter((transaction) => transaction.block_hash === block_hash)
        assert.deepInclude(block, { block_hash, height, n_transactions: String(own.length) })
        assert.deepStrictEqual(
          block.transactions?.map(({ txid }) => txid),
          own.map(({ txid }) => txid)
        )
        const changes = updates.filter((update) => update.block_hash === block_hash)
        assert.strictEqual(n_balance_updates, String(changes.length))
        assert.strictEqual(n_transactions, String(own.length))
        const inside = block.transactions?.flatMap(({ balance_updates }) => balance_updates ?? [])
        assert.deepStrictEqual(
          inside?.map(({ account, change }) => [account, change]),
          changes.map(({ account, change }) => [account, change])
        )
      }
    }).pipe(reads)
  )

  it.effect("has balances that are the sums of their updates, and parts that are found by account", () =>
    Effect.gen(function* () {
      const accounts = yield* Stream.runCollect(BlockchainV2.accounts(range))
      assert.lengthOf(accounts, 21)
      const names = accounts.map(({ account }) => account)
      const updates = yield* Stream.runCollect(
        BlockchainV2.balanceUpdates({ asset: "btc", accounts: names, include_sub_accounts: true })
      )
      for (const { account, balance, last_chain_sequence_number, n_credits, n_debits } of accounts) {
        const own = updates.filter((update) => update.account === account)
        const [last] = own.slice(-1)
        assert.strictEqual(halves(own.map(({ change }) => change)), halves([balance]))
        assert.strictEqual(last?.new_balance, balance)
        assert.deepStrictEqual(
          [last?.chain_sequence_number, last?.n_credits, last?.n_debits],
          [last_chain_sequence_number, n_credits, n_debits]
        )
        for (const [index, update] of own.entries()) {
          assert.strictEqual(update.previous_balance, own[index - 1]?.new_balance ?? "0.00000000")
        }
        const path = { asset: "btc", account }
        const alone = yield* Stream.runCollect(
          BlockchainV2.accountBalanceUpdates({ ...path, include_sub_accounts: true })
        )
        assert.deepStrictEqual(alone, own)
      }
      const parts = yield* Stream.runCollect(BlockchainV2.subAccounts({ asset: "btc", accounts: names }))
      assert.isNotEmpty(parts)
      for (const { account, balance } of parts) {
        assert.strictEqual(balance, accounts.find((one) => one.account === account)?.balance)
      }
      const latest = yield* Stream.runCollect(
        BlockchainV2.balanceUpdates({ asset: "btc", accounts: names, limit_per_account: 1 })
      )
      assert.lengthOf(latest, names.length)
    }).pipe(reads)
  )

  it.effect("gives a transaction by itself as in its block, and says what it does not know", () =>
    Effect.gen(function* () {
      const [first] = yield* Stream.runCollect(BlockchainV2.transactions(range))
      assert(first !== undefined)
      const { block_hash, txid } = first
      const alone = yield* BlockchainV2.transaction({ asset: "btc", txid })
      assert.deepStrictEqual(yield* BlockchainV2.blockTransaction({ asset: "btc", block_hash, txid }), alone)
      const { balance_updates, ...rest } = alone
      assert.deepStrictEqual(rest, first)
      assert.strictEqual(halves((balance_updates ?? []).map(({ change }) => change)) >= 0, true)
      const unknown = [
        BlockchainV2.transaction({ asset: "btc", txid: "00" }),
        BlockchainV2.block({ asset: "btc", block_hash: txid }),
        Stream.runDrain(BlockchainV2.accountBalanceUpdates({ asset: "btc", account: "nobody" }))
      ]
      for (const one of unknown) assert.strictEqual((yield* Effect.flip(Effect.asVoid(one)))._tag, "NotFound")
      const asset = yield* Effect.flip(Stream.runDrain(BlockchainV2.blocks({ asset: "usdt" })))
      assert.deepInclude(asset, { _tag: "InvalidRequest", parameter: "asset", value: "usdt" } as const)
    }).pipe(reads)
  )
})
