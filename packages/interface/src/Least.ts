/**
 * The least a call of an operation gives: a value for everything that is required.
 */
import type { Operation } from "./Operation.ts"
import type { Parameter } from "./Parameter.ts"
import { find } from "./Table.ts"

/** What lists and parts of a path may name. */
export const names: Readonly<Record<string, string>> = {
  assets: "btc",
  asset: "btc",
  account: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
  block_hash: "00000000000000000002a7c4c1e48d76c5a37902165a270156b7a8d72728a054",
  txid: "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b",
  metrics: "PriceUSD",
  metric: "PriceUSD",
  exchanges: "coinbase",
  exchange_assets: "coinbase-btc",
  exchange_pairs: "coinbase-btc-usd",
  pairs: "btc-usd",
  markets: "coinbase-btc-usd-spot",
  institutions: "grayscale",
  indexes: "CMBI10",
  accounts: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
  ids: "sandbox-completed",
  txids: "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b",
  defi_protocols: "aave_v2_eth"
}

const valueOf = (name: string, { kind, minimum, words }: Parameter): string => {
  switch (kind) {
    case "word":
      return words[0] ?? name
    case "integer":
      return String(minimum ?? 0)
    case "boolean":
      return "true"
    case "time":
      return "2026-01-01"
    case "text":
      return names[name] ?? name
  }
}

/** What an operation requires, as the wire has it: of sets of which one must be given, the first, where none is given. */
export const requiredBy = ({ choice, parameters }: Operation, given: object = {}): Readonly<Record<string, string>> => {
  const chosen = choice.flat().some((name) => name in given) ? [] : (choice[0] ?? [])
  return Object.fromEntries(
    Object.entries(parameters)
      .filter(([name, { isRequired }]) => isRequired || chosen.includes(name))
      .map(([name, parameter]) => [name, valueOf(name, parameter)])
  )
}

/** What the operation of a path requires. */
export const required = (path: string, given: object = {}) => requiredBy(find(path), given)
