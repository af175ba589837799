import type * as Oracle from "./LiveOracle.ts"
import { since } from "./LiveOracle.ts"

interface Block {
  readonly hash: string
  readonly value: string
}

/** Every way in which the chain that a reader knows at the end is not that of the service, with its gaps. */
export const faultsOf = (metric: string, { error, messages, truth }: Oracle.Run): ReadonlyArray<string> => {
  const found: Array<string> = []
  if (error !== undefined) found.push(`failed: ${error.message}`)
  const chains = new Map<string, Map<number, Block>>()
  const chainOf = (asset: string) => {
    const chain = chains.get(asset) ?? new Map<number, Block>()
    chains.set(asset, chain)
    return chain
  }
  const gaps: Array<{ readonly entity: string; readonly from: string | undefined; readonly to: string }> = []
  for (const message of messages) {
    if (message._tag === "Gap") gaps.push(message)
    else if (message._tag === "Reorg") {
      const chain = chainOf(message.asset)
      const height = Number(message.height)
      if (chain.get(height)?.hash === message.hash) chain.delete(height)
    } else if (message._tag === "Data") {
      // Type boundary: a record is an object of fields.
      const record = message.record as Readonly<Record<string, unknown>>
      if (record[metric] === undefined || record[metric] === null) continue
      const chain = chainOf(String(record["asset"]))
      const [height, hash] = [Number(record["height"]), String(record["hash"])]
      if (chain.get(height)?.hash === hash) found.push(`${record["asset"]}: ${height} ${hash} is repeated`)
      chain.set(height, { hash, value: JSON.stringify(record[metric]) })
    }
  }
  for (const record of truth) {
    if (record[metric] === undefined || record[metric] === null || String(record["time"]) < since) continue
    const asset = String(record["asset"])
    const height = Number(record["height"])
    const block = chains.get(asset)?.get(height)
    const isNamed = gaps.some(
      ({ entity, from, to }) =>
        entity === asset && (from === undefined || Number(from) <= height) && height <= Number(to)
    )
    const wanted = `${String(record["hash"])} ${JSON.stringify(record[metric])}`
    const got = block === undefined ? undefined : `${block.hash} ${block.value}`
    if (got !== wanted && !isNamed) found.push(`${asset}: ${height} is ${got}, not ${wanted}`)
  }
  return found
}
