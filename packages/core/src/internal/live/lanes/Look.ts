/**
 * One look at the HTTP side for the records at seams: reads the ranges of all of them, and delivers what was not delivered.
 */
import type * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type ApiError, Decode } from "../../../ApiError.ts"
import type { LiveMessage, Reorg } from "../../../LiveMessage.ts"
import { harmless } from "../../../PlainText.ts"
import * as Series from "../../series/Series.ts"
import * as Lanes from "./Lanes.ts"
import * as Memory from "./Memory.ts"
import * as Position from "./Position.ts"
import { deliver, type ReadRange, type Seam, type Settings, startOf } from "./Seam.ts"

/** What a look has shown. */
export interface Look {
  /** The records and reorganisations that were missing. */
  readonly found: number
  /** The seams whose record HTTP has. */
  readonly shown: ReadonlySet<Seam>
  /** Seams that could not be looked at to the end, and why. */
  readonly failed: ReadonlyMap<Seam, ApiError>
}

/** Ranges that are read at a time, and the most entities of one. */
const [parallel, mostTogether] = [4, 50]

/** Reads the ranges of the seams once. A `late` look also asks for records that HTTP shows after the one that closes a seam. */
export const run = Effect.fnUntraced(function* (
  settings: Settings & { readonly read: ReadRange },
  seams: ReadonlyArray<Seam>,
  isLate: boolean
): Effect.fn.Return<Look> {
  const { endpoint, lanes, now, read, scrub, see, shape, since } = settings
  const { position: unit } = shape
  const number = lanes.look()
  let found = 0
  const named = new Set<string>()
  const shown = new Set<Seam>()
  const failed = new Map<Seam, ApiError>()
  // A lane may have several.
  const byLane = Map.groupBy(seams, ({ lane: { column, entity } }) => Lanes.nameOf(entity, column))

  const isMissing = (seam: Seam, placed: Lanes.Placed): boolean => {
    const { lane, to } = seam
    const { position, record } = placed
    if (since !== undefined && Position.compare("time", Series.textOf(record, "time") ?? "", since) < 0) return false
    if (Lanes.isKnown(lane, placed)) return Lanes.isRevised(shape, lane, placed, number)
    const order = Position.compare(unit, position, to.position)
    // What stands behind the record at the seam is still to come over the connection, unless others have overtaken it.
    if (order === 0 && shown.has(seam) && !isLate) return false
    if (order > 0 && !(isLate && Position.compare(unit, position, Memory.latest(lane.memory) ?? "") <= 0)) return false
    const start = startOf(settings, seam)
    return (
      start !== undefined && Position.compare(unit, position, start) >= 0 && !Lanes.isForgotten(lane.memory, placed)
    )
  }

  const take = (placed: Lanes.Placed, received: string): ReadonlyArray<LiveMessage<object>> => {
    const { columns, entity, record } = placed
    const fresh: Array<string> = []
    for (const column of columns) {
      const all = byLane.get(Lanes.nameOf(entity, column))
      // A reply may hold another entity. A metric that has no value yet was not published.
      if (all === undefined || (column !== "" && Reflect.get(record, column) === null)) continue
      for (const seam of all) if (placed.id === seam.to.id) shown.add(seam)
      const seam = all.find((one) => placed.id !== one.to.id && isMissing(one, placed))
      if (seam === undefined || all.some(({ to }) => placed.id === to.id)) continue
      lanes.note(seam.lane, placed, "filled", number)
      fresh.push(column)
    }
    if (fresh.length === 0) return []
    found += 1
    named.add(entity)
    const filled = Lanes.only(shape, placed, fresh)
    see(filled)
    return [{ _tag: "Data", record: filled, origin: "filled", received }]
  }
  // As long as HTTP does not show the block at the seam, it may show a chain that was left.
  const takeChain = (placed: ReadonlyArray<Lanes.Placed>, received: string) => {
    const current = seams.filter(({ lane, to }) =>
      placed.some(({ entity, id }) => entity === lane.entity && id === to.id)
    )
    const entities = new Set(current.map(({ lane }) => lane.entity))
    const chain = placed.filter(({ entity }) => entities.has(entity))
    const reorgs = reorgsOf(settings, current, chain)
    found += reorgs.length
    for (const { asset } of reorgs) named.add(asset)
    return [...reorgs, ...chain.flatMap((one) => take(one, received))]
  }
  const takeAll = (records: ReadonlyArray<object>) => {
    const received = now()
    return deliver(settings, records, (placed) =>
      unit === "height" ? takeChain(placed, received) : placed.flatMap((one) => take(one, received))
    )
  }

  const readGroup = (group: ReadonlyArray<Seam>): Effect.Effect<void> => {
    const range = rangeOf(settings, group, isLate)
    const records = Stream.mapArrayEffect(read(range), checkRange(settings, range))
    // Which blocks are gone tell all that are there; there are few.
    const taken =
      unit === "height" ? Effect.flatMap(Stream.runCollect(records), takeAll) : Stream.runForEachArray(records, takeAll)
    return Effect.catch(taken, (error) => {
      const entities = Map.groupBy(group, ({ lane }) => lane.entity)
      // One of them may be what is refused.
      if (entities.size > 1 && refusals.has(error._tag)) {
        return Effect.forEach(entities.values(), readGroup, { discard: true })
      }
      for (const seam of group) if (isLate || !shown.has(seam)) failed.set(seam, error)
      return Effect.void
    })
  }
  yield* Effect.forEach(groupsOf(settings, seams), readGroup, { concurrency: parallel, discard: true })
  if (found > 0) {
    const messages = found === 1 ? "1 message" : `${found} messages`
    yield* Effect.logInfo(`${endpoint}: ${messages} of ${scrub(namesOf(named))} read over HTTP`)
  }
  return { found, shown, failed }
})

/** Records in a row that may lie outside the range that was asked for: a service that does not end there might never end. */
const mostOutside = 10_000

/** Passes on what is read of a range; fails where the service does not keep to it. */
const checkRange = ({ endpoint, shape }: Settings, { from, to, unit }: ReturnType<typeof rangeOf>) => {
  const isInside = (record: object) => {
    const position = Lanes.place(shape, record)?.position
    if (position === undefined || Position.compare(unit, position, from) < 0) return false
    return to === undefined || Position.compare(unit, position, to) <= 0
  }
  let outside = 0
  return <A extends Arr.NonEmptyReadonlyArray<object>>(records: A): Effect.Effect<A, Decode> => {
    outside = records.some(isInside) ? 0 : outside + records.length
    const issue = `${outside} records in a row lie outside the range that was asked for`
    return outside < mostOutside ? Effect.succeed(records) : Effect.fail(new Decode({ endpoint, path: unit, issue }))
  }
}

/** A few names, and how many there are beside them. */
const namesOf = (names: ReadonlySet<string>): string => {
  const few = [...names].slice(0, 3).map((name) => harmless(name.slice(0, 100)))
  return `${few.join(", ")}${names.size > 3 ? ` and ${names.size - 3} others` : ""}`
}

/** Errors that say what is wrong with a request. */
const refusals: ReadonlySet<string> = new Set(["InvalidRequest", "Forbidden", "NotFound"])

/** The range that holds all of these seams. */
const rangeOf = (settings: Settings, seams: ReadonlyArray<Seam>, isLate: boolean) => {
  const { metrics, position: unit } = settings.shape
  const ascending = (a: string, b: string) => Position.compare(unit, a, b)
  const starts = seams.flatMap((seam) => startOf(settings, seam) ?? [])
  const ends = seams.map(({ late, to }) =>
    isLate && unit === "time" ? Position.moved(to.position, late) : to.position
  )
  return {
    entities: [...new Set(seams.map(({ lane }) => lane.entity))],
    metrics: metrics && [...new Set(seams.map(({ lane }) => lane.column))],
    unit,
    from: starts.toSorted(ascending)[0]!,
    to: ends.toSorted(ascending).at(-1)
  }
}

/** Nanoseconds that one entity may be read longer for the sake of others. */
const alike = 30_000_000_000n

/**
 * Seams that are read together: those of an entity, and of entities whose ranges are nearly the same, as they are after one
 * outage. No range gets longer than twice what any of its seams needs, or than half a minute: quiet entities differ by seconds, and
 * a request takes longer than their few records.
 */
const groupsOf = (settings: Settings, seams: ReadonlyArray<Seam>): ReadonlyArray<ReadonlyArray<Seam>> => {
  const entities = [...Map.groupBy(seams, ({ lane }) => lane.entity).values()]
  if (settings.shape.position === "height") return entities
  const spans = entities
    .map((all) => {
      const { from, to } = rangeOf(settings, all, true)
      return { all, from: Position.nanosOf(from), to: Position.nanosOf(to!) }
    })
    .toSorted((a, b) => (a.from < b.from ? -1 : 1))
  const groups: Array<{ readonly all: Array<Seam>; readonly from: bigint; to: bigint; least: bigint; count: number }> =
    []
  for (const { all, from, to } of spans) {
    const last = groups.at(-1)
    const least = last !== undefined && last.least < to - from ? last.least : to - from
    const end = last !== undefined && last.to > to ? last.to : to
    const longest = 2n * least < alike ? alike : 2n * least
    if (last === undefined || last.count === mostTogether || end - last.from > longest) {
      groups.push({ all: [...all], from, to, least: to - from, count: 1 })
    } else {
      last.all.push(...all)
      last.count += 1
      Object.assign(last, { to: end, least })
    }
  }
  return groups.map(({ all }) => all)
}

/** Tells of the blocks that were delivered and have left the main chain, with all above them, the highest first. */
const reorgsOf = (
  { lanes }: Settings,
  seams: ReadonlyArray<Seam>,
  chain: ReadonlyArray<Lanes.Placed>
): ReadonlyArray<Reorg> => {
  const shown = new Set(chain.map(({ entity, id }) => `${entity}\n${id}`))
  const gone = seams.flatMap(({ blocks, lane: { entity } }) => {
    const replaced = new Map(chain.flatMap((block) => (block.entity === entity ? [[block.position, block]] : [])))
    const left = blocks.filter(([id]) => !shown.has(`${entity}\n${id}`))
    const held = new Set(blocks.flatMap(([, { isGone, position }]) => (isGone ? [] : [position])))
    // Above a block of which a frame has told that it left, others have left too, until one of that height was delivered again.
    const lowest = left.reduce(
      (low, [, { isGone, position }]) =>
        replaced.has(position) && !(isGone && held.has(position)) ? Math.min(low, Number(position)) : low,
      Infinity
    )
    return left.flatMap(([id, block]): ReadonlyArray<Reorg> => {
      const { position: height } = block
      if (Number(height) < lowest || block.isGone) return []
      const hash = id.slice(height.length + 1)
      lanes.noteGone(entity, hash)
      const by = replaced.get(height) ?? chain.at(-1)!
      const time = Series.textOf(by.record, "time")
      const frame = { asset: entity, time, type: "reorg", height, hash }
      return [{ _tag: "Reorg", asset: entity, height, hash, parent_hash: undefined, time, frame }]
    })
  })
  return gone.toSorted((a, b) => Number(b.height) - Number(a.height))
}
