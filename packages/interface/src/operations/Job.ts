/** docs/interface.md 13. The parameters of a start are fields of its body, and its records those of the results. */
import type { Fields } from "../Field.ts"
import { get, type Operation, paid } from "../Operation.ts"
import * as P from "../Parameter.ts"
import * as Record from "../records/Chain.ts"

const start = (
  kind: string,
  parameters: P.Parameters,
  record: Fields,
  choice: Operation["choice"] = []
): Operation => ({
  ...get(`/blockchain-job/${kind}`, { section: "13.1", ...paid, parameters, record, choice }),
  method: "PUT",
  reply: "job"
})

const assets = P.required(P.list)

const accounts = P.required(P.list)

/** One of these three pairs is given, with both ends. */
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
      ...P.exclusive(
        { at_time: P.time, at_slot: P.integer(0), at_height: P.integer(0) },
        "at_time",
        "at_slot",
        "at_height"
      )
    },
    Record.JobAccountBalance,
    [["at_height"], ["at_slot"], ["at_time"]]
  ),
  start("balance-updates", { assets, accounts, ...pairs }, Record.JobBalanceUpdate, [
    ["start_height", "end_height"],
    ["start_slot", "end_slot"],
    ["start_time", "end_time"]
  ]),
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
