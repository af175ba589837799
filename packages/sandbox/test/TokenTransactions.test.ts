import { assert, describe, it } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as TokenTransactions from "../src/data/TokenTransactions.ts"
import * as Effect from "effect/Effect"
import { lines, get, refused, rows } from "./Harness.ts"

const event = (
  standard: TokenTransactions.Standard,
  kind: TokenTransactions.TokenEvent["kind"] = "Transfer",
  distinct = true
): TokenTransactions.TokenEvent => ({ standard, kind, distinct })

const counts = (...events: ReadonlyArray<TokenTransactions.TokenEvent>) => {
  const { TxERC1155Cnt, TxERC20Cnt, TxERC721Cnt, TxTknCnt } = TokenTransactions.tally([{ events, times: 3 }])
  return [TxTknCnt, TxERC20Cnt, TxERC721Cnt, TxERC1155Cnt]
}

describe("Token transactions", () => {
  it("counts a transaction once, however many transfers and approvals it has", () => {
    assert.deepStrictEqual(counts(event("ERC-20"), event("ERC-20"), event("ERC-20", "Approval")), [3, 3, 0, 0])
    assert.deepStrictEqual(counts(event("ERC-20"), event("ERC-721"), event("ERC-721")), [3, 3, 3, 0])
  })

  it("takes only transfers and approvals for activity", () => {
    assert.deepStrictEqual(counts(event("ERC-20", "Other"), event("ERC-1155", "Other")), [0, 0, 0, 0])
    assert.deepStrictEqual(counts(event("ERC-20", "Approval")), [3, 3, 0, 0])
  })

  it("counts transfers of ERC-721 and ERC-1155 only between two addresses", () => {
    assert.deepStrictEqual(counts(event("ERC-721", "Transfer", false)), [3, 0, 0, 0])
    assert.deepStrictEqual(counts(event("ERC-1155", "Transfer", false)), [3, 0, 0, 0])
    assert.deepStrictEqual(counts(event("ERC-20", "Transfer", false)), [3, 3, 0, 0])
  })

  it("counts transfers, not transactions, of ERC-1155, and no approvals", () => {
    const events = [event("ERC-1155"), event("ERC-1155"), event("ERC-1155", "Transfer", false)]
    assert.deepStrictEqual(counts(...events, event("ERC-1155", "Approval")), [3, 0, 0, 6])
  })

  it.effect("serves each metric for its own assets, once a day", () =>
    Effect.gen(function* () {
      const path = "/timeseries/asset-metrics?metrics=TxTknCnt,TxERC20Cnt,TxERC721Cnt,TxERC1155Cnt"
      const last = yield* rows(`${path}&assets=eth,etc,sol&start_time=2026-11-01`)
      assert.deepStrictEqual(
        last.map((row) => Object.keys(row)),
        [
          ["asset", "time", "TxTknCnt", "TxERC20Cnt", "TxERC721Cnt"],
          ["asset", "time", "TxTknCnt", "TxERC20Cnt", "TxERC721Cnt", "TxERC1155Cnt"],
          ["asset", "time", "TxTknCnt"]
        ]
      )
      refused(yield* get(`${path}&assets=btc`), 400, "bad_parameter")
      refused(yield* get(`${path}&assets=eth&frequency=1h`), 400, "bad_parameter")
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("is consistent: no standard has more transactions than there are", () =>
    Effect.gen(function* () {
      const path = "/timeseries/asset-metrics?assets=eth&metrics=TxTknCnt,TxERC20Cnt,TxERC721Cnt&format=json_stream"
      const all = lines(yield* get(path))
      assert.isAbove(all.length, 4000)
      for (const row of all) {
        const total = Number(row["TxTknCnt"])
        assert.isAtLeast(total, Number(row["TxERC20Cnt"]))
        assert.isAtLeast(total, Number(row["TxERC721Cnt"]))
      }
      const [first] = all
      assert.isNull(first?.["TxERC721Cnt"])
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )
})
