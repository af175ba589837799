/** docs/interface.md 13. The parameters of a start are fields of its body, and its records those of the results. */
import type { Fields } from "../Field.ts"
import { get, type Operation, paid } from "../Operation.ts"
import * as P from "../Parameter.ts"
import * as Record from "../records/Chain.ts"

const start = (kind: string, parameters: P.Parameters, record: Fields): Operation => ({
  ...get(`/blockchain-job/${kind}`, { section: "13.1", ...paid, parameters, record }),
  method: "PUT",
  reply: "job"
})

const assets = P.required(P.list)

const accounts = P.required(P.list)

/** Exactly one of these three pairs is given, with both ends; that is more than exclusions can say. */
const pairs: P.Parameters = {
  start_time: P.time,
  end_time: P.time,
  start_height: P.integer(0),
  end_height: P.integer(0),
  start_slot: P.integer(0),
  end_slot: P.integer(0)
}

export const operations: ReadonlyArray<Operation> = [
  start(
    "account-balances",
    {
      assets,
      accounts,
      // Exactly one of them.
      ...P.exclusive(
        { at_time: P.time, at_slot: P.integer(0), at_height: P.integer(0) },
        "at_time",
        "at_slot",
        "at_height"
      )
    },
    Record.JobAccountBalance
  ),
  start("balance-updates", { assets, accounts, ...pairs }, Record.JobBalanceUpdate),
  start("transactions", { assets, txids: P.required(P.list) }, Record.JobTransaction),
  // Jobs start at the paid root alone; their list is published for both.
  get("/jobs", {
    section: "13.2",
    reply: "data",
    parameters: {
      // Published as one text, a comma list.
      ids: P.required(P.list),
      include_warnings: P.or(P.boolean, false),
      ...P.pretty
    },
    record: Record.Job
  })
]
