/**
 * Compares what a folder holds with what the service says.
 */
import type { Cells } from "./Folder.ts"
import type { Scenario } from "./Scenario.ts"
import type { Row } from "./Service.ts"
import type { Target } from "./Targets.ts"

/** Records by what tells them apart. */
export type Keyed<A> = ReadonlyMap<string, A>

const parts = (target: Target, record: Row): ReadonlyArray<string> =>
  [target.entity, "time", ...target.identity].map((field) => String(record[field]))

/** Tells records apart. */
export const keyOf = (target: Target, record: Row): string => parts(target, record).join(" ")

/** Records by their keys, and those that are there twice. */
export const keyed = <A extends Row>(target: Target, records: ReadonlyArray<A>) => {
  const byKey = new Map<string, A>()
  const twice: Array<string> = []
  for (const record of records) {
    const key = keyOf(target, record)
    if (byKey.has(key)) twice.push(key)
    byKey.set(key, record)
  }
  return { byKey: byKey as Keyed<A>, twice }
}

const isStatus = (name: string): boolean => /-status(-time)?$/.test(name)

/** Whether a cell holds a value: text as it is sent, a double of it, or nothing for null and absent. */
const holds = (cell: unknown, value: unknown): boolean => {
  if (value === null || value === undefined) return cell === null || cell === undefined
  if (typeof cell === "number") return cell === Number(value)
  return cell === value
}

/** Tells what is different between a record of a file and one of the service; nothing where they agree. */
export const difference = ({ format }: Scenario, cells: Cells, row: Row): string | undefined => {
  const isExact = format.as === "ndjson"
  const names = new Set([...Object.keys(cells), ...Object.keys(row).filter((name) => isExact || !isStatus(name))])
  for (const name of names) {
    const [cell, value] = [cells[name], row[name]]
    const agrees = isExact ? JSON.stringify(cell) === JSON.stringify(value) : holds(cell, value)
    if (!agrees) return `${name} is ${JSON.stringify(cell)} and not ${JSON.stringify(value)}`
  }
  return undefined
}

/** What is asked for again at the end of an entity, in milliseconds. */
export const lookBackOf = ({ history }: Scenario): number => history.settles + 86_400_000

/** The first or the last time of the records of each entity, in milliseconds. */
const edges = (pick: (...times: ReadonlyArray<number>) => number) => (target: Target, records: Iterable<Row>) => {
  const found = new Map<string, number>()
  for (const record of records) {
    const entity = String(record[target.entity])
    const time = Date.parse(String(record["time"]))
    found.set(entity, pick(time, found.get(entity) ?? time))
  }
  return found
}

const lasts = edges(Math.max)

/** Time of the first record of each entity, in milliseconds. */
export const firsts = edges(Math.min)

/** The earliest record of an entity that is not reviewed yet. */
const opens = (target: Target, records: ReadonlyArray<Row>): ReadonlyMap<string, number> =>
  firsts(
    target,
    records.filter((record) =>
      Object.entries(record).some(([name, value]) => name.endsWith("-status") && value === "flash")
    )
  )

/** From when on each entity has to be asked for: the look-back before its last record, or what is still to be reviewed. */
export const starts = (
  scenario: Scenario,
  target: Target,
  before: ReadonlyArray<Row>,
  open: ReadonlyArray<Row>
): ReadonlyMap<string, number> => {
  const earliest = opens(target, open)
  return new Map(
    [...lasts(target, before)].map(([entity, last]) => [
      entity,
      Math.min(last - lookBackOf(scenario), earliest.get(entity) ?? Number.POSITIVE_INFINITY)
    ])
  )
}

/** What a sync may cost. */
export interface Bound {
  readonly records: number
  readonly requests: number
  /** The earliest time of each entity that it may ask for but for holes, in milliseconds. */
  readonly earliest: ReadonlyMap<string, number>
}

/** Requests for what is missing of entities that are held, and the records that these have: several entities share one. */
export const holes = (
  target: Target,
  requests: ReadonlyArray<string>,
  { byEntity }: Scenario["layout"],
  { earliest }: Bound,
  fresh: Keyed<Row>
): { readonly requests: number; readonly records: number } => {
  const asked = requests.flatMap((request) => {
    const query = new URLSearchParams(request.slice(request.indexOf("?") + 1))
    const entities = new Set((query.get(target.list) ?? "").split(","))
    const start = Date.parse(query.get("start_time") ?? "")
    const end = query.get("end_time")
    const begin = Math.min(...[...entities].map((one) => earliest.get(one) ?? Number.NEGATIVE_INFINITY))
    // Where each entity has files of its own, nothing else of what is held has an end; elsewhere the periods of files have one.
    const isBefore = byEntity && end !== null ? begin > Number.NEGATIVE_INFINITY : start < begin
    const isHole = request.startsWith(target.endpoint.path) && isBefore
    return isHole ? [{ entities, start, end: end === null ? Number.POSITIVE_INFINITY : Date.parse(end) }] : []
  })
  const times = [...fresh.values()].map((row) => [String(row[target.entity]), Date.parse(String(row["time"]))] as const)
  const records = asked.map(
    ({ end, entities, start }) =>
      times.filter(([entity, time]) => entities.has(entity) && start <= time && time < end).length
  )
  return { requests: asked.length, records: records.reduce((sum, count) => sum + count, 0) }
}

/** Records that a request may bring beside those it is for: entities that begin at different times share a page. */
const page = 1_000

/**
 * What a sync may ask for: what is new, what the look-back has, all of what was added, and what filled a hole. Where entities
 * share files, all of them are asked for together, from the earliest of their times on.
 */
export const bound = (
  { layout }: Scenario,
  target: Target,
  from: ReadonlyMap<string, number>,
  before: Keyed<Row>,
  fresh: Keyed<Row>
): Bound => {
  const listed = new Set<string>()
  let [own, together, filled, isGrown] = [0, 0, 0, false]
  // What is missing just before the look-back is read with it, so it begins behind the last record before it.
  const behind = lasts(
    target,
    [...before.values()].filter((row) => Date.parse(String(row["time"])) < (from.get(String(row[target.entity])) ?? 0))
  )
  const begins = new Map([...from].map(([entity, start]) => [entity, behind.get(entity) ?? start]))
  const earliest = Math.min(...begins.values())
  for (const [key, row] of fresh) {
    const entity = String(row[target.entity])
    const time = Date.parse(String(row["time"]))
    listed.add(entity)
    const start = from.get(entity)
    if (start === undefined) isGrown = true
    if (start === undefined || time >= start) own += 1
    else if (!before.has(key)) filled += 1
    if (time >= earliest) together += 1
  }
  const shared = isGrown ? fresh.size : Math.max(own, together)
  const days = Math.ceil((Math.max(...lasts(target, fresh.values()).values()) - earliest) / 86_400_000)
  const periods = layout.byEntity || layout.period === "none" ? 0 : from.size === 0 || isGrown ? 400 : days + 2
  return {
    records: (layout.byEntity ? own + Math.min(page, shared - own) : shared) + filled + 2 * listed.size + 4,
    requests: 6 + periods + Math.ceil((2 * shared) / page),
    earliest: begins
  }
}
