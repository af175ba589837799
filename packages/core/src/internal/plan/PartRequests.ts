/** How many requests a part takes, by the way in which it is read. */
import type * as Endpoint from "../../Endpoint.ts"
import * as Params from "../../Params.ts"
import * as Call from "../call/Call.ts"
import * as Series from "../series/Series.ts"
import * as Amount from "./Amount.ts"
import * as EndOfRange from "../bulk/EndOfRange.ts"
import * as Way from "../bulk/Way.ts"

/** How the parts are read. */
export interface Options {
  readonly order?: "arrival" | "parts" | undefined
  readonly checkEnd?: boolean | undefined
}

/** The requests for a part with so many records, the last of which has this time, where that is known. */
export const of = (
  endpoint: Endpoint.Info,
  call: Call.Call,
  records: Amount.Amount,
  last: bigint | undefined,
  { checkEnd = true, order }: Options
): Amount.Amount => {
  const params = Call.paramsOf(call)
  const way: Way.Way = order === "parts" ? { _tag: "AsGiven" } : Way.of(endpoint, params, checkEnd)
  const ends = checkEnd && call.endpoint.pageSize !== undefined
  switch (way._tag) {
    case "PageFirst":
      return Amount.exactly(1)
    case "LastPage":
      return Amount.map(records.most === null ? { ...records, most: way.size + 1 } : records, (count) =>
        count > way.size ? 2 : 1
      )
    case "Stream": {
      if (!ends) return Amount.exactly(1)
      const isOne = Params.items(call.values.get(Series.of(call)?.entities ?? "")).length === 1
      if (!isOne || Call.stepOf(call)?.isEven !== true) return Amount.exactly(2)
      // A catalog may be older than the records, and what it does not list may be there.
      return last === undefined && records.expected === null
        ? Amount.between(1, 2)
        : Amount.exactly(last !== undefined && EndOfRange.isLast(call, last) ? 1 : 2)
    }
    case "AsGiven": {
      if (Call.isStream(call)) return Amount.exactly(ends ? 2 : 1)
      const pages = Call.asPages(call)
      const size = Call.valueOf(pages, "PageSize") ?? Call.maxPageSize(call)
      if (call.endpoint.pageSize === undefined || size === undefined) return Amount.exactly(1)
      const count = (number: number) => Math.max(1, Math.ceil(number / Number(size)))
      const amount = Amount.map(records, count)
      return amount.least === amount.most ? Amount.exactly(amount.least) : amount
    }
  }
}
