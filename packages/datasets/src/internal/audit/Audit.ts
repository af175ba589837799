/**
 * Reads the files of a dataset's folder, and tells what is wrong with what they hold.
 *
 * An entity is audited while its records pass by. Where entities share files, the state of all of them is kept: what is usual of their
 * values of late, and their days.
 */
import type { ApiError } from "@sluice/core/ApiError"
import type { Client } from "@sluice/core/Client"
import * as Parameter from "@sluice/core/Parameter"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as Format from "@sluice/files/Format"
import * as Files from "@sluice/files/internal/folder/Files"
import { FileChanged } from "@sluice/files/internal/folder/FolderError"
import * as FolderRead from "../folder/FolderRead.ts"
import * as Look from "../folder/Look.ts"
import type * as Ledger from "../ledger/Ledger.ts"
import * as ReadBack from "../folder/ReadBack.ts"
import * as Table from "../folder/Table.ts"
import { BadDefinition, type DatasetError, NoDataset, type StoreError } from "../model/DatasetError.ts"
import * as Keys from "../model/Keys.ts"
import * as Moment from "../model/Moment.ts"
import * as SeriesParams from "../model/SeriesParams.ts"
import type { Store, Time } from "../model/Store.ts"
import * as Prepare from "../plan/Prepare.ts"
import * as Unread from "../plan/Unread.ts"
import * as Acknowledged from "./Acknowledged.ts"
import * as AskService from "./AskService.ts"
import * as EntityAudit from "./EntityAudit.ts"
import { type Audit, type Condition, type Finding, type FindingKind, type Found, idOf } from "./Finding.ts"
import * as Rules from "./Rules.ts"

/** What is audited, in milliseconds. */
export interface Range {
  readonly from: number
  readonly to: number
  readonly maxAge: number | undefined
}

/** Requests of an audit that asks the service. */
const mostAsked = 100

/** Steps after which the last record of a series is late: the service may need two for the last one. */
const lateSteps = 4

const leastAge = 15 * 60_000

/** The folder of a dataset. A table fails: its database reads it. */
const folderOf = (place: string | Store) =>
  Predicate.isString(place)
    ? Effect.succeed(place)
    : Effect.fail(
        new BadDefinition({
          endpoint: "",
          kind: "reading",
          setting: "dataset",
          reason: "is a table, and only folders are audited so far"
        })
      )

/** What a folder has of its dataset. */
const lookAt = Effect.fnUntraced(function* (place: string | Store) {
  const folder = yield* folderOf(place)
  const files = yield* Files.make
  const paths = Look.pathsOf(files, folder)
  const ledger = yield* Look.whole(files, paths)
  if (ledger === undefined) return yield* new NoDataset({ dataset: folder })
  return { files, folder, ledger, bookkeeping: paths.bookkeeping }
})

/** Acknowledges findings by their ids, or takes that back. */
export const acknowledge = Effect.fnUntraced(function* (
  place: string | Store,
  ids: ReadonlyArray<string>,
  isKnown: boolean
) {
  const { bookkeeping, files, folder } = yield* lookAt(place)
  yield* Acknowledged.change(files, folder, bookkeeping, (before) =>
    isKnown ? [...before, ...ids] : [...before].filter((id) => !ids.includes(id))
  )
})

const prepare = Effect.fnUntraced(function* (place: string | Store, { from, maxAge, to }: Range) {
  const looked = yield* lookAt(place)
  const { definition } = looked.ledger
  const { endpoint: path, params } = definition
  const endpoint = Prepare.endpointAt(path)
  if (endpoint === undefined) {
    return yield* new BadDefinition({ endpoint: path, setting: "endpoint", reason: "is none that this version knows" })
  }
  const subject = yield* SeriesParams.make(endpoint, params)
  const step = Parameter.stepOf(Parameter.frequencyOf(endpoint, params) ?? "")
  const { every = 1 } = subject
  const isEven = step?.isEven === true
  const usualAge = subject.every === undefined ? undefined : Math.max(leastAge, lateSteps * subject.every)
  const audited: EntityAudit.Audited = {
    identity: subject.identity,
    checks: Rules.of(yield* Format.columns(endpoint, params), SeriesParams.columnsOf(subject, definition)),
    every: subject.every === undefined ? undefined : { millis: every, isEven },
    // Between two times of an even grid there is nothing.
    from: isEven ? Math.ceil(from / every) * every : from,
    to: isEven ? Math.ceil(to / every) * every : to,
    now: yield* Clock.currentTimeMillis,
    // A cache has what calls asked for, however old that is.
    maxAge: maxAge ?? (definition.isCache === true ? undefined : usualAge)
  }
  const acknowledged = yield* Acknowledged.read(looked.files, looked.folder, looked.bookkeeping)
  return { ...looked, subject, audited, acknowledged }
})

type Prepared = Effect.Success<ReturnType<typeof prepare>>

/** Counts what an audit tells, and makes findings of what was found. */
const makeTally = (acknowledged: ReadonlySet<string>) => {
  const kinds: Partial<Record<FindingKind, number>> = {}
  const days = { available: 0, degraded: 0, pending: 0, missing: 0 }
  let out: Array<Audit> = []
  let [findings, unacknowledged] = [0, 0]
  return {
    found: (found: Found) => {
      const id = idOf(found)
      const isAcknowledged = acknowledged.has(id)
      kinds[found.kind] = (kinds[found.kind] ?? 0) + 1
      findings += 1
      if (!isAcknowledged) unacknowledged += 1
      out.push({ _tag: "Finding", id, ...found, isAcknowledged })
    },
    conditions: (all: ReadonlyArray<Condition>) => {
      for (const one of all) days[one.condition] += one.days
      out.push(...all)
    },
    /** What was told since it was asked for the last time. */
    take: () => {
      const taken = out
      out = []
      return taken
    },
    summary: () => ({ findings, unacknowledged, kinds, days })
  }
}

/** Files by their entities, and then as the records are. */
const inOrder = (a: Ledger.FileEntry, b: Ledger.FileEntry): number => {
  const [one = "", other = ""] = [a.entity, b.entity]
  return one === other ? FolderRead.inOrder(a, b) : one < other ? -1 : 1
}

const auditOf = Effect.fnUntraced(function* ({ acknowledged, audited, files, folder, ledger, subject }: Prepared) {
  const { checks, from, to } = audited
  const { cursors, field, format } = ledger
  const json = yield* Table.jsonOf(subject.endpoint, ledger)
  const times = {
    from: Number.isFinite(from) ? Moment.ofMillis(from) : undefined,
    to: Number.isFinite(to) ? Moment.ofMillis(to) : undefined
  }
  const tally = makeTally(acknowledged)
  const open = new Map<string, EntityAudit.EntityAudit>()
  let [entities, records, statuses, revised] = [0, 0, 0, 0]

  const of = (entity: string) => {
    const found = open.get(entity)
    if (found !== undefined) return found
    const begun = EntityAudit.make(audited, entity, cursors.get(entity), tally.found)
    open.set(entity, begun)
    return begun
  }
  const close = () => {
    for (const one of open.values()) {
      const ended = one.end()
      tally.conditions(ended.conditions)
      records += ended.records
      entities += 1
    }
    open.clear()
  }

  const countRevised = (batch: ReadonlyArray<unknown>) => {
    for (const name of checks.statuses) {
      for (const record of batch) {
        const status: unknown = Reflect.get(Object(record), name)
        if (!Predicate.isString(status) || status === "") continue
        statuses += 1
        if (status === "revised") revised += 1
      }
    }
  }

  const see = (entry: Ledger.FileEntry, batch: ReadonlyArray<unknown>) => {
    if (checks.statuses.length > 0) countRevised(batch)
    if (entry.entity !== undefined) return of(entry.entity).see(batch)
    const nameOf = (at: number) => Keys.entityOf({ entity: field }, batch[at])
    for (let begin = 0, end = 0; begin < batch.length; begin = end) {
      const name = nameOf(begin)
      while (end < batch.length && nameOf(end) === name) end += 1
      of(name).see(batch.slice(begin, end))
    }
  }

  const lose = ({ entity, first, last, path, rows }: Ledger.FileEntry) => {
    const reason = `${path} is not there`
    tally.found({ kind: "missingFile", entity: entity ?? "", from: first, to: last, count: rows, reason })
    if (entity !== undefined) of(entity).lose(first, last)
  }

  const isIn = ({ first, last }: Ledger.FileEntry) =>
    (times.from === undefined || last >= times.from) && (times.to === undefined || first < times.to)
  const entries = [...ledger.files.values()].filter(isIn).toSorted(inOrder)

  const readFile = Effect.fnUntraced(function* (entry: Ledger.FileEntry, index: number) {
    const path = files.join(folder, entry.path)
    const before = index === 0 ? undefined : entries[index - 1]?.entity
    if (before !== undefined && before !== entry.entity) close()
    if ((yield* files.size(path)) === undefined) {
      // A sync may have emptied it meanwhile.
      const present = yield* lookAt(folder)
      if (present.ledger.files.has(entry.path)) lose(entry)
      return Stream.sync(tally.take)
    }
    return ReadBack.records(files, path, format, json, times).pipe(
      Stream.mapArray((batch) => {
        see(entry, batch)
        return [tally.take()] as const
      }),
      Stream.mapError((error): StoreError =>
        error._tag === "Unreadable" ? new FileChanged({ folder, file: entry.path, reason: error.reason }) : error
      )
    )
  })

  const body = Stream.fromIterable(entries.entries()).pipe(
    Stream.rechunk(1),
    Stream.flatMap(([index, entry]) => Stream.unwrap(readFile(entry, index)))
  )
  const rest = Stream.sync((): ReadonlyArray<Audit> => {
    close()
    // Those that were read, and of which nothing is held, though there was something.
    const held = new Set(entries.map(({ entity }) => entity))
    for (const { entity, last } of ledger.layout.byEntity ? cursors.values() : []) {
      if (last !== null && !held.has(entity) && !Number.isFinite(to)) of(entity)
    }
    close()
    for (const { entity, todo = [] } of Unread.cursorsOf(ledger)) {
      const isAsked = (end: Time | null) => end === null || Moment.millisOf(end) > from
      const begins = todo.flatMap((one) => (isAsked(one.to) ? [one.from ?? Moment.beginning] : []))
      const [begin] = begins.toSorted()
      if (begin === undefined || Moment.millisOf(begin) >= to) continue
      const reason = "is not read to the end: the next sync continues"
      tally.found({ kind: "unread", entity, from: begin, to: begin, count: 0, reason })
    }
    const known = checks.statuses.length === 0 || statuses === 0 ? {} : { revised: { values: statuses, revised } }
    return [...tally.take(), { _tag: "Audited", dataset: folder, entities, records, ...tally.summary(), ...known }]
  })
  return Stream.concat(body, rest).pipe(
    Stream.filter((all) => all.length > 0),
    Stream.flatMap((all) => Stream.fromIterable(all))
  )
})

/** Audits what is held. Sends and changes nothing. */
export const held = (
  place: string | Store,
  range: Range
): Stream.Stream<Audit, DatasetError, FileSystem.FileSystem | Path.Path> =>
  Stream.unwrap(Effect.flatMap(prepare(place, range), auditOf))

/** Audits what is held, and asks the service about holes. */
export const asking = (
  place: string | Store,
  range: Range
): Stream.Stream<Audit, DatasetError, Client | FileSystem.FileSystem | Path.Path> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const prepared = yield* prepare(place, range)
      let [asked, unasked] = [0, 0]
      const answered = Effect.fnUntraced(function* (one: Audit): Effect.fn.Return<Audit, ApiError, Client> {
        if (one._tag === "Audited") return unasked === 0 ? one : { ...one, unasked }
        if (one._tag === "Condition" || one.kind !== "hole") return one
        if (asked === mostAsked) {
          unasked += 1
          return one
        }
        asked += 1
        const isAtService = yield* AskService.hasRecords(prepared.subject, prepared.ledger.definition, one)
        const finding: Finding = { ...one, isAtService }
        return finding
      })
      return Stream.mapEffect(yield* auditOf(prepared), answered)
    })
  )
