import type * as Oracle from "./LiveOracle.ts"

interface Block {
  readonly hash: string
  readonly value: string
}

/** Every way in which the chain that a reader knows at the end is not that of the service, with its gaps. */
export const faultsOf = (
  metric: string,
  since: string,
  { error, messages, truth }: Pick<Oracle.Run, "error" | "messages" | "truth">
): ReadonlyArray<string> => {
  const found: Array<string> = []
  if (error !== undefined) found.push(`failed: ${error.message}`)
  const chains = new Map<string, Map<number, Block>>()
  const chainOf = (asset: string) => {
    const chain = chains.get(asset) ?? new Map<number, Block>()
    chains.set(asset, chain)
    return chain
  }
  const kept = new Set(truth.map((record) => `${String(record["asset"])} ${String(record["hash"])}`))
  const replaced: Array<{ readonly asset: string; readonly height: number; readonly text: string }> = []
  /** Blocks that were delivered, and whether they were taken back since. */
  const isGone = new Map<string, boolean>()
  const gaps: Array<{ readonly entity: string; readonly from: string | undefined; readonly to: string }> = []
  for (const message of messages) {
    if (message._tag === "Gap") gaps.push(message)
    else if (message._tag === "Reorg") {
      const chain = chainOf(message.asset)
      const height = Number(message.height)
      if (chain.get(height)?.hash === message.hash) chain.delete(height)
      const name = `${message.asset} ${message.hash}`
      if (isGone.get(name) === true) found.push(`${message.asset}: ${height} ${message.hash} is taken back twice`)
      if (isGone.has(name)) isGone.set(name, true)
      if (kept.has(name)) found.push(`${message.asset}: ${height} ${message.hash} is taken back, and has stayed`)
    } else if (message._tag === "Data") {
      // Type boundary: a record is an object of fields.
      const record = message.record as Readonly<Record<string, unknown>>
      const [asset, height, hash] = [String(record["asset"]), Number(record["height"]), String(record["hash"])]
      // Another message of the block may have the metric.
      isGone.set(`${asset} ${hash}`, false)
      if (record[metric] === undefined || record[metric] === null) continue
      const chain = chainOf(asset)
      const before = chain.get(height)?.hash
      if (before === hash) found.push(`${asset}: ${height} ${hash} is repeated`)
      else if (before !== undefined && message.origin !== "live") {
        replaced.push({ asset, height, text: `${asset}: ${height} ${before} was not taken back before ${hash}` })
      }
      chain.set(height, { hash, value: JSON.stringify(record[metric]) })
    }
  }
  const isNamed = (asset: string, height: number) =>
    gaps.some(
      ({ entity, from, to }) =>
        entity === asset && (from === undefined || Number(from) <= height) && height <= Number(to)
    )
  found.push(...replaced.filter(({ asset, height }) => !isNamed(asset, height)).map(({ text }) => text))
  for (const record of truth) {
    if (record[metric] === undefined || record[metric] === null || String(record["time"]) < since) continue
    const asset = String(record["asset"])
    const height = Number(record["height"])
    const block = chains.get(asset)?.get(height)
    const wanted = `${String(record["hash"])} ${JSON.stringify(record[metric])}`
    const got = block === undefined ? undefined : `${block.hash} ${block.value}`
    if (got !== wanted && !isNamed(asset, height)) found.push(`${asset}: ${height} is ${got}, not ${wanted}`)
  }
  return found
}
