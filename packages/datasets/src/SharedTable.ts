/**
 * The table of PostgreSQL into which several processes, on several machines, load a time series: each reads other
 * parts. What comes of it is what `Dataset.sync` keeps there, so that a sync goes on from where the load ended. Needs
 * the package `@effect/sql-pg`.
 *
 * The load belongs to a group, such as a backfill, rather than to a process. Which process reads which part is decided
 * elsewhere: `@sluice/cluster` does that.
 */
import "@sluice/node/internal/runtime/NodeVersion"
import type { ApiError, InvalidRequest } from "@sluice/core/ApiError"
import * as Bulk from "@sluice/core/Bulk"
import * as Client from "@sluice/core/Client"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { Job as DownloadJob } from "@sluice/files/Download"
import * as Monotonic from "@sluice/files/internal/progress/Monotonic"
import * as Apply from "./internal/database/Apply.ts"
import * as Bookkeeping from "./internal/database/Bookkeeping.ts"
import * as KeptTables from "./internal/database/KeptTables.ts"
import type { Session, Writer } from "./internal/database/Session.ts"
import * as StoreOptions from "./internal/database/StoreOptions.ts"
import * as Table from "./internal/database/Table.ts"
import {
  BadDefinition,
  DatasetDamaged,
  OtherDefinition,
  StoreFailed,
  type StoreError,
  TableOccupied
} from "./internal/model/DatasetError.ts"
import * as DatasetOptions from "./internal/model/Job.ts"
import * as Load from "./internal/load/Load.ts"
import * as AccessCheck from "@sluice/files/internal/download/AccessCheck"
import type { CheckFailed } from "@sluice/files/internal/download/DownloadError"
import * as FileName from "@sluice/files/internal/download/FileName"
import * as JobOptions from "@sluice/files/internal/download/JobOptions"
import * as Prepared from "@sluice/files/internal/download/Prepared"
import * as Checksum from "@sluice/files/internal/folder/Checksum"
import { among, between, told } from "@sluice/files/internal/folder/Differing"
import * as Ddl from "@sluice/files/internal/format/Ddl"
import type { BadFormat } from "@sluice/core/internal/columns/FormatError"
import { partAt } from "@sluice/files/internal/download/PartAt"
import * as SharedLoad from "./internal/load/SharedLoad.ts"
import * as Shape from "@sluice/node/internal/options/Shape"
import * as Address from "./internal/postgres/Address.ts"
import * as LoadTables from "./internal/postgres/LoadTables.ts"
import * as Postgres from "./internal/postgres/Session.ts"
import { dialect } from "./internal/postgres/Statements.ts"
import * as TargetOptions from "./internal/postgres/TargetOptions.ts"
import * as Writers from "./internal/postgres/Writers.ts"
import type { DonePart, Found } from "@sluice/files/SharedFolder"

export { TableOccupied }

export type { Options as TargetTable } from "./internal/postgres/TargetOptions.ts"

/** What to load, and into which table. `split` says what one process reads at a time. */
export interface Job<E extends Endpoint.Info = Endpoint.Any> extends Pick<
  DownloadJob<E>,
  "endpoint" | "params" | "split"
> {
  /** The table that becomes the dataset. */
  readonly into: TargetOptions.Options
}

const faultOf = Shape.faultOf(
  Shape.of<Job>()({ ...JobOptions.request, into: Shape.of<TargetOptions.Options>()(TargetOptions.fields) })
)

const checkJob = DatasetOptions.refusing((given) => {
  const found = faultOf(given)
  if (found !== undefined || !Predicate.hasProperty(given, "into")) return found
  // As in `DatasetPostgres`, with which a sync goes on.
  return StoreOptions.pointed(given.into)
})

/** Everything that may go wrong with a part. */
export type PartError = ApiError | StoreError

/** A load that several processes share, as one of them sees it. */
export interface SharedTable {
  /** What decides the rows, as JSON: two jobs with the same are one load. It has no password. */
  readonly identity: Schema.JsonObject
  /** How many parts the load has. */
  readonly parts: number
  /** Name of a part, by what it has. */
  readonly fileOf: (part: number) => string
  /**
   * Takes the table for the group, unless it has it already, makes it where it is missing, and tells what it holds.
   * Where the table was removed or has lost rows, no part counts as loaded. Fails, before anything is touched, where
   * the table has something else, or where the service refuses the first or last part that remains. One process at a
   * time.
   */
  readonly begin: Effect.Effect<Found, CheckFailed | StoreError | TableOccupied, Client.Client>
  /** Finds a part that some process of the group has loaded; undefined where none has. */
  readonly find: (part: number) => Effect.Effect<DonePart | undefined, StoreError>
  /** Loads a part. Its rows and that it was loaded are there together, or not at all. */
  readonly read: (part: number) => Effect.Effect<DonePart, PartError, Client.Client>
  /** Keeps how far each entity is, for syncs, and releases the table, finished or not. Repeated, it does nothing more. */
  readonly end: Effect.Effect<void, StoreError>
}

/**
 * The server and the database of a URL, without user, password and settings; undefined where it is none of PostgreSQL,
 * or names no database. The default of libpq would be the name of the user, which is kept nowhere.
 */
export const databaseOf = (url: Redacted.Redacted): string | undefined => {
  const address = Address.parse(Redacted.value(url))
  if (address === undefined) return undefined
  const { pathname, searchParams } = new URL(Redacted.value(url))
  const database = searchParams.get("dbname") ?? pathname.slice(1)
  // Names of hosts are the same in both cases; a folder of sockets is not.
  const host = address.host.startsWith("/") ? address.host : address.host.toLowerCase()
  return database === "" ? undefined : `${host}:${address.port}/${database}`
}

/** A table as messages name it, such as `public.prices`, or `public."my prices"` where SQL needs quotes. */
export const nameOf = (table: { readonly schema: string; readonly table: string }): string => Ddl.qualified(table)

/** For how many milliseconds a database may be out of reach before a part fails. */
const patience = 60_000

/** Codes of what passes by itself: connections that end, a server that starts or stops, and conflicts. */
const isPassing = ({ code }: StoreFailed) => code === undefined || /^(?:08|40|57P|E[A-Z]{3})/.test(code)

const persistently = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    let since: number | undefined
    return Effect.retry(self, {
      while: (error: unknown) =>
        Effect.map(Monotonic.now, (now) => {
          since ??= now
          return error instanceof StoreFailed && isPassing(error) && now - since < patience
        }),
      schedule: Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("5 seconds")])
    })
  })

const bySync = "a sync has begun its dataset; sync it, or choose another table"

const { occupied } = Bookkeeping

/** What is in a table before a load. */
interface Inspected {
  readonly found: Effect.Success<ReturnType<KeptTables.KeptTables["read"]>>
  /** The group that has it. */
  readonly holder: string | undefined
  readonly done: ReadonlyArray<LoadTables.Loaded>
}

const nothing: Inspected = { found: undefined, holder: undefined, done: [] }

const parseJson = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))

/** Works out what the table should hold, for a process of a group. Sends nothing and opens nothing. */
export const make: <E extends Endpoint.Info>(
  job: Job<E>,
  group: string
) => Effect.Effect<
  SharedTable,
  InvalidRequest | Bulk.BadSplit | BadFormat | BadDefinition,
  Client.Client | Scope.Scope
> = Effect.fnUntraced(function* <E extends Endpoint.Info>(given: Job<E>, group: string) {
  // Type boundary: as in `Download.run`, the parameters are data from here on; `Bulk.split` checks them.
  const { endpoint, into, params, split = {} } = given as unknown as Job
  yield* checkJob(given)
  const address: Table.TableAddress = { schema: into.schema ?? "public", table: into.table }
  const name = Ddl.qualified(address)
  const refuse = (setting: string, reason: string) => new BadDefinition({ endpoint: endpoint.path, setting, reason })

  const shared = yield* SharedLoad.make(endpoint, params)
  const { definition, subject } = shared
  const table = yield* Effect.fromResult(Table.of(subject, definition, Bookkeeping.chosen(into)))
  const current = { table, statements: dialect.statements(table, address) }
  const bad = dialect.badName([address.schema, address.table, ...table.columns.map((column) => column.name)])
  if (bad !== undefined) return yield* refuse("table", `has the name "${bad.name}": ${bad.reason}`)
  const database = databaseOf(into.url)
  if (database === undefined) return yield* refuse("url", "is none of PostgreSQL, or names no database")

  const [{ params: whole } = { params: {} }] = yield* Bulk.split(endpoint, params)
  const requests: ReadonlyArray<Bulk.Part> = yield* Bulk.split(endpoint, params, split)
  const parts = Load.partsOf(subject, requests)
  const labels = FileName.all(endpoint, split, requests, "")
  const fileOf = (part: number) => labels[part] ?? ""
  const doneOf = (done: LoadTables.Loaded): DonePart => ({ ...done, file: fileOf(done.part) })

  const { numbers, statusColumns } = Bookkeeping.chosen(into)
  const identity: Schema.JsonObject = {
    root: definition.root,
    endpoint: endpoint.path,
    params: { ...whole, ...Prepared.inOrder(split.by, requests) },
    split: Prepared.plainSplit(split),
    into: { database, schema: address.schema, table: address.table, numbers, statusColumns }
  }
  const stored = JSON.stringify(identity)

  const kept = KeptTables.make(dialect, address, name)
  const loads = LoadTables.make(address, name, kept)
  const inTurn = yield* Semaphore.make(1)
  const writer = yield* Writers.make(Postgres.open(into, name), into.connections ?? 10)
  const using = <A, E, R>(use: (writer: Writer) => Effect.Effect<A, E, R>) => Effect.scoped(Effect.flatMap(writer, use))

  /** The dataset in the table, if it is there, and its parts. Fails where something else is there. */
  const inspect = Effect.fnUntraced(function* (session: Session) {
    const found = yield* kept.read(session)
    const isThere = yield* kept.exists(session, address.table)
    const load = yield* loads.read(session)
    const isSynced = load === undefined && found !== undefined
    if (isSynced || (isThere && (load === undefined || found === undefined))) {
      return yield* new TableOccupied({ dataset: name, reason: isSynced ? bySync : occupied })
    }
    if (load === undefined) return nothing
    if (load.identity !== stored) {
      const other: unknown = yield* Effect.orElseSucceed(parseJson(load.identity), () => ({}))
      return yield* new OtherDefinition({ dataset: name, ...told(among(Object.keys(identity), other, identity)) })
    }
    return isThere ? { found, holder: load.holder, done: yield* loads.done(session) } : nothing
  })

  /** Whether rows were lost that parts have written. */
  const isCut = Effect.fnUntraced(function* (session: Session, { done, found }: Inspected) {
    if (found === undefined || done.length === 0) return false
    // Rows are counted after what was written, so that a part that is written meanwhile is no loss.
    const written = Bookkeeping.sum(yield* kept.written(session))
    const rows = yield* kept.count(session)
    if (rows >= written && (rows > 0 || done.every(({ records }) => records === 0))) return false
    // Only a sync reads what a sync has added.
    if (between("params", found.definition.params, definition.params).length === 0) return true
    const issue = `it has ${rows} records, and ${written} were written, also by syncs of more than the backfill has`
    return yield* new DatasetDamaged({ dataset: name, issues: [issue] })
  })

  const claim = (cut: boolean) => (session: Session) =>
    session.transaction(
      Effect.gen(function* () {
        yield* kept.prepare(session)
        yield* loads.prepare(session)
        const { done, found, holder } = yield* inspect(session)
        yield* loads.hold(session, stored, group)
        const isNew = found === undefined
        if (isNew || cut) yield* loads.forget(session)
        if (isNew) {
          yield* kept.forgetAll(session)
          yield* kept.create(session, definition, Bookkeeping.settingsOf(into, table), current.statements.create)
        } else if (cut) yield* kept.recount(session, found.settings)
        // What a sync, or this group before it released the table, has not written yet is not written any more.
        if (isNew || cut || holder !== group) yield* kept.begin(session)
        return cut ? [] : done
      })
    )

  const begin = Effect.gen(function* () {
    const { cut, done } = yield* persistently(
      using((session) =>
        Effect.gen(function* () {
          const inspected = yield* inspect(session)
          const cut = yield* isCut(session, inspected)
          return { cut, done: cut ? [] : inspected.done }
        })
      )
    )
    const has = new Set(done.map(({ part }) => part))
    const left = requests.filter(({ index }) => !has.has(index))
    if (left.length > 0) {
      yield* AccessCheck.first(
        endpoint,
        left.map((part) => ({ ...part, file: fileOf(part.index) }))
      )
    }
    const state = yield* persistently(using(claim(cut)))
    return { parts: parts.length, done: state.map(doneOf) }
  })

  const read = Effect.fnUntraced(function* (part: number) {
    const request = yield* partAt(parts, part)
    const client = yield* Client.Client
    const now = yield* Clock.currentTimeMillis
    const { entities, from, to } = request
    const attempt = Effect.suspend(() => {
      const { records, tracker } = SharedLoad.read(shared, name, request, client)
      const checksum = Checksum.make()
      let bytes = 0
      let done: LoadTables.Loaded | undefined
      const bookkeeping = (run: string): Apply.Bookkeeper => ({
        // A process that was frozen may come back when a sync has changed the table, and the group has it again.
        fence: (session) => Effect.andThen(loads.fence(session, group, part), kept.fence(session, run)),
        keep: Effect.fnUntraced(function* (session, changes, records) {
          // In one order in all processes, or two that change the same entities may wait for each other.
          yield* kept.keep(
            session,
            changes.toSorted((a, b) => (a.entity < b.entity ? -1 : 1))
          )
          done = { part, records, bytes, sha256: checksum.end() }
          yield* loads.add(session, done, Load.noteOf(request, tracker, now))
        }),
        forget: () => Effect.void,
        see: (rows) => {
          bytes += rows.length
          checksum.add(rows)
        }
      })
      const change = {
        spans: entities.map((entity) => ({ entity, from, to })),
        records,
        cursors: Effect.succeed([]),
        forget: []
      }
      return Effect.flatMap(
        using((writer) =>
          Effect.flatMap(kept.run(writer), (run) =>
            Apply.apply({ dataset: name, writer, current, bookkeeping: bookkeeping(run), inTurn }, change)
          )
        ),
        () =>
          done === undefined
            ? Effect.die(new Error(`part ${part} of ${name} was not kept`))
            : Effect.succeed(doneOf(done))
      )
    })
    return yield* persistently(attempt)
  })

  const end = persistently(
    using((session) =>
      session.transaction(
        Effect.gen(function* () {
          if ((yield* loads.read(session)) === undefined || !(yield* loads.release(session, group))) return
          const found = yield* kept.read(session)
          const read = yield* loads.notes(session)
          const cursors = Load.cursorsOf({ subject, definition, parts, read, cursors: found?.cursors ?? new Map() })
          yield* kept.keep(session, Bookkeeping.changesOf(cursors))
        })
      )
    )
  )

  const find = (part: number) =>
    Effect.map(persistently(using((session) => loads.find(session, part))), (done) =>
      done === undefined ? undefined : doneOf(done)
    )

  return { identity, parts: parts.length, fileOf, begin, find, read, end }
})
