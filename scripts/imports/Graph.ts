/**
 * Who imports whom, as a graph of names.
 */

/** What each name imports. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** All that can be reached from a name, over one step or more. */
const reachable = (graph: Graph, from: string): ReadonlySet<string> => {
  const seen = new Set<string>()
  const open = [...(graph.get(from) ?? [])]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    open.push(...(graph.get(next) ?? []))
  }
  return seen
}

/** Names that import one another, directly or by way of others: each group once. */
export const circles = (graph: Graph): ReadonlyArray<ReadonlyArray<string>> => {
  const reach = new Map([...graph.keys()].map((name) => [name, reachable(graph, name)]))
  const groups = new Map<string, ReadonlyArray<string>>()
  for (const name of graph.keys()) {
    if (reach.get(name)?.has(name) !== true) continue
    const group = [...graph.keys()].filter((other) => reach.get(name)?.has(other) && reach.get(other)?.has(name))
    groups.set(group.join(" "), group)
  }
  return [...groups.values()]
}

/** Leaves out each arrow that a way over others already stands for; the graph must have no circle. */
export const reduced = (graph: Graph): Graph =>
  new Map(
    [...graph].map(([name, imports]) => {
      const byOthers = new Set([...imports].flatMap((other) => [...reachable(graph, other)]))
      return [name, new Set([...imports].filter((other) => !byOthers.has(other)))]
    })
  )

/** How high each name stands: 0 imports nothing, others stand one above the highest they import. */
export const floors = (graph: Graph): ReadonlyMap<string, number> => {
  const known = new Map<string, number>()
  const floorOf = (name: string): number => {
    const floor = known.get(name) ?? Math.max(-1, ...[...(graph.get(name) ?? [])].map(floorOf)) + 1
    known.set(name, floor)
    return floor
  }
  for (const name of graph.keys()) floorOf(name)
  return known
}
