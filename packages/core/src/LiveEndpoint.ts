/**
 * A live operation as a value: it holds data about one path of the live streams, and calling it follows that path as a stream
 * of messages. Source: docs/interface.md 6.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type ApiError, InvalidRequest } from "./ApiError.ts"
import { Client } from "./Client.ts"
import type * as Endpoint from "./Endpoint.ts"
import * as Field from "./Field.ts"
import * as Call from "./internal/call/Call.ts"
import * as Check from "./internal/call/Check.ts"
import * as Asked from "./internal/live/Asked.ts"
import * as Buffer from "./internal/live/Buffer.ts"
import * as Direct from "./internal/live/Direct.ts"
import * as Discard from "./internal/live/Discard.ts"
import * as Engine from "./internal/live/Engine.ts"
import type * as Lanes from "./internal/live/lanes/Lanes.ts"
import type * as Seam from "./internal/live/lanes/Seam.ts"
import type * as State from "./internal/live/State.ts"
import * as Session from "./internal/live/Session.ts"
import * as LiveSpan from "./internal/observe/LiveSpan.ts"
import * as Prepare from "./internal/pages/Prepare.ts"
import * as Decoders from "./internal/call/Decoders.ts"
import * as RecordReader from "./internal/wire/RecordReader.ts"
import { LiveClient, type Order, type WhenFull } from "./LiveClient.ts"
import { type LiveError, TooSlow } from "./LiveError.ts"
import type { LiveMessage, Origin } from "./LiveMessage.ts"
import * as Parameter from "./Parameter.ts"
import * as Params from "./Params.ts"
import type * as Retry from "./Retry.ts"
import * as Timestamp from "./Timestamp.ts"

const TypeId = "~@sluice/core/LiveEndpoint"

/** The data of a live operation. */
export interface Info {
  readonly [TypeId]: typeof TypeId
  /** Path below the root, such as `/timeseries-stream/market-trades`. */
  readonly path: string
  /** Frames of a WebSocket. */
  readonly reply: "frames"
  /** The section of docs/interface.md that describes it. */
  readonly section: string
  /** None: frames have one form. */
  readonly formats: ReadonlyArray<Endpoint.Format>
  /** Records come by entity and time. */
  readonly order: "series"
  /** The fields that tell apart records of one entity and time; absent where there is one record at a time. */
  readonly identity: ReadonlyArray<string> | undefined
  /** The field that names a record's entity. */
  readonly entity: string
  /** Live streams need a key, so the community root offers none. */
  readonly community: false
  /** Its parameters, by the wire's name, in the order of the interface. */
  readonly parameters: Parameter.Parameters
  /** Absent: there are no pages. */
  readonly pageSize: undefined
  /** List parameters along which a subscription can be split. */
  readonly splits: ReadonlyArray<string>
  /** Absent: the service has announced none to be removed. */
  readonly deprecated: undefined
  /** Path of the HTTP operation that `since` reads; absent where there is none. */
  readonly history: string | undefined
  /** What that has of the stream. */
  readonly overHttp: OverHttp
  /** Schema of the parameters. */
  readonly params: Schema.Top
  /** Schema of a record for these parameters. */
  readonly record: (params?: never) => Schema.Top
}

/**
 * What HTTP has of a stream. `same`: its records, under the same identity, so that holes are filled. `other`: other records of the
 * same thing, such as a sample, which `since` reads, and which fill no hole. `none`: nothing.
 */
export type OverHttp = "same" | "other" | "none"

/** Settings of one call. */
export interface CallOptions {
  /** When to connect again; replaces the policy of the client. */
  readonly retry?: Retry.Policy | undefined
  /** Parameters newer than this library, sent unchecked. */
  readonly query?: Readonly<Record<string, string>> | undefined
  /**
   * Reads the series over HTTP from this time to now, and then goes on live, without hole and without repeat. A moment in one
   * of the forms that `start_time` takes. The last known record that a connection begins with is left out where it is older.
   * Where HTTP has other records than the stream (`overHttp` is `other`), those are history, and a `Gap` from this time to the
   * first live record of each entity says that those of the stream are missing; of order books, from the last of the history on.
   * Fails with `InvalidRequest` where HTTP has none.
   */
  readonly since?: string | undefined
  /** The messages to hold for the reader; replaces that of the client. */
  readonly capacity?: number | undefined
  /** What happens when the stream holds that many; replaces that of the client. */
  readonly whenFull?: WhenFull | undefined
  /** When records are delivered; replaces that of the client. Blocks and order books always come in order. */
  readonly order?: Order | undefined
  /**
   * Sees each record before it is delivered, in order, and says why it cannot be right, or returns nothing. A live record that
   * cannot be right is not delivered, and the connection is replaced. A record read over HTTP is delivered, whatever is said. Is
   * told the number of the connection too, 0 before the first.
   */
  readonly verify?: ((record: object, origin: Origin, connection: number) => string | undefined) | undefined
}

/** The stream of a call. It does not end by itself: it goes on until it fails or nobody reads it. */
export type Messages<A> = Stream.Stream<LiveMessage<A>, LiveError, LiveClient>

/**
 * A live operation whose records have one type, whatever the parameters are.
 *
 * **Details**
 *
 * A call builds a stream and opens nothing. Running the stream opens one connection. A connection that breaks is replaced; what
 * was published meanwhile is read over HTTP and delivered first, with `origin: "filled"`, unless `order` is `"arrival"`. Where that is impossible, a `Gap` says what may be missing.
 */
export interface LiveEndpoint<P, out A> extends Info {
  (params: P, options?: CallOptions): Messages<A>
}

/** A live operation whose types are not known at compile time. Its parameters are checked when the stream runs. */
export interface Any extends Info {
  (params: never, options?: CallOptions): Messages<unknown>
}

/** Tells live operations from other values. */
export const isLiveEndpoint = (value: unknown): value is Any => Predicate.hasProperty(value, TypeId)

/** An HTTP operation whose types are not known at compile time. */
export interface AnyHistory extends Endpoint.Info {
  (params: never, options?: Endpoint.CallOptions): Endpoint.Records<unknown>
}

/** What is read over HTTP: a series from a start to now, or a hole of an entity. */
export type Purpose = "history" | "fill"

/** The HTTP operation that has records of the stream, or of the same thing. */
export interface History<P> {
  /** The endpoint that has them. */
  readonly endpoint: AnyHistory
  /** Whether they are those of the stream. */
  readonly records: Exclude<OverHttp, "none">
  /** Whether it has any with these parameters; always where absent. */
  readonly isOffered?: (params: P) => boolean
  /** Its parameters for those of a live call, without the range. */
  readonly params: (params: P, purpose: Purpose) => object
  /** Gives the fields of a record the names they have live. */
  readonly record?: (record: object) => object
  /**
   * Looks up, once for each subscription, which entities have to be asked for separately, and what to ask of each group beyond
   * `params`.
   */
  readonly groups?: (params: P, isAsked: IsAsked) => Effect.Effect<ReadonlyArray<Group>, ApiError, Client>
}

/** Whether a call asks for an entity, by its name or by a wildcard. */
export type IsAsked = (entity: string) => boolean

/** Entities that are read over HTTP with the same parameters. */
export interface Group {
  /** The entities of the group. */
  readonly entities: ReadonlyArray<string>
  /** What to ask of them beyond `params`. */
  readonly params: object
}

/** What {@link make} needs. */
export interface Definition<P, Record> {
  /** The section of docs/interface.md that describes it. */
  readonly section: string
  /** A struct of fields from `Params`. */
  readonly params: Schema.Codec<P, P>
  /** Schema of a record, without transformations. */
  readonly record: Record
  /** The field that names a record's entity. */
  readonly entity: string
  /** The fields that tell apart records of one entity and time. Default: one record at a time. */
  readonly identity?: ReadonlyArray<string>
  /** The records that HTTP has; absent where it has none. */
  readonly history?: History<P>
  /**
   * Tells a record that holds everything from one that says what has changed, such as a whole order book. A connection begins with
   * one, which replaces what was known, wherever it comes.
   */
  readonly isWhole?: (record: object) => boolean
}

/** What {@link makeDependent} needs. */
export interface DependentDefinition<P> extends Definition<P, (params: P) => Schema.Codec<unknown>> {
  /** The parameters that decide the schema of a record. */
  readonly dependsOn: ReadonlyArray<keyof P>
  /** Whether there is one record per block, with these parameters. */
  readonly isPerBlock: (params: P) => boolean
}

/** Builds a live operation. */
export const make = <P extends object, A extends Encoded, Encoded>(
  path: string,
  definition: Definition<P, Schema.Codec<A, Encoded>>
): LiveEndpoint<P, A> =>
  build(path, { ...definition, dependsOn: [], record: () => definition.record, isPerBlock: () => false })

/** Builds a live operation whose record type depends on its parameters, as its own interface `E` declares. */
export const makeDependent = <E extends Info, P extends object>(path: string, definition: DependentDefinition<P>): E =>
  // Type boundary: the runtime value is the same for every operation; `E` only narrows what a call yields.
  build(path, definition) as Info as E

const build = <P extends object, A extends Encoded, Encoded>(
  path: string,
  definition: Omit<DependentDefinition<P>, "record"> & Decoders.Definition<P, A, Encoded>
): LiveEndpoint<P, A> => {
  const parameters = Parameter.allOf(definition.params)
  const decoderOf = Decoders.make(definition)
  const { entity, history, identity, isPerBlock, isWhole, record, section } = definition
  const info: Info = {
    [TypeId]: TypeId,
    path,
    reply: "frames",
    section,
    formats: ["json"],
    order: "series",
    identity,
    entity,
    community: false,
    parameters,
    pageSize: undefined,
    splits: Parameter.withRole(parameters, "Entities").map(({ name }) => name),
    deprecated: undefined,
    history: history?.endpoint.path,
    overHttp: history?.records ?? "none",
    params: definition.params,
    // Type boundary: code that works on all operations does not know the types of their parameters.
    record: (params) => record(params ?? ({} as P))
  }
  const check = Check.make(path, definition.params)

  const prepare = Effect.fnUntraced(function* (input: unknown, options: CallOptions) {
    const live = yield* LiveClient
    const engine = Engine.of(live)
    const params = yield* check(input ?? {})
    yield* Prepare.checkQuery(info, params, options)
    const offered = history?.isOffered?.(params) === false ? undefined : history
    yield* checkSince(path, offered !== undefined, options)
    const call = Call.make(info, params, options.query)
    const backfill = Call.nameOf(call, "Opening")
    const columns = Parameter.find(parameters, "Columns")?.name
    const perBlock = isPerBlock(params)
    const shape: Lanes.Shape = {
      entity,
      position: perBlock ? "height" : "time",
      identity: perBlock ? ["hash"] : (identity ?? []),
      metrics: columns === undefined ? undefined : Params.items(call.values.get(columns)),
      fields: new Set(Field.allOf(record(params)).keys()),
      isAsked: asked(info, call),
      isWhole
    }
    const readRange = offered && reader(offered, params, { ...info, isAsked: shape.isAsked }, live.client)
    const plan: State.Plan = {
      kind: {
        endpoint: path,
        entity,
        hasReorgs: perBlock,
        decoder: decoderOf(params, RecordReader.make),
        scrub: live.client.account.scrub,
        maxFrameBytes: engine.maxFrameBytes
      },
      shape,
      connection: { ...engine.connection, capacity: options.capacity ?? engine.capacity },
      retry: options.retry ?? engine.retry,
      reconnect: options.retry ?? engine.reconnect,
      overlap: engine.overlap,
      call,
      again: backfill === undefined ? call : Call.set(call, { [backfill]: "latest" }),
      history: readRange,
      fill: offered?.records === "same" ? readRange : undefined,
      since: options.since,
      order: options.order ?? engine.order,
      verify: options.verify
    }
    return { engine, plan }
  })

  /** Starts a subscription, which ends with the scope. */
  const open = Effect.fnUntraced(function* (params: unknown, options: CallOptions) {
    const { engine, plan } = yield* prepare(params, options)
    yield* engine.acquire(path)
    const capacity = options.capacity ?? engine.capacity
    const out = Buffer.make<LiveMessage<object>, LiveError, TooSlow>({
      capacity,
      whenFull: options.whenFull ?? engine.whenFull,
      overflow: () => new TooSlow({ endpoint: path, capacity, maxBufferedBytes: engine.maxBufferedBytes }),
      maxBytes: engine.maxBufferedBytes,
      discard: Discard.live,
      taken: yield* LiveSpan.delivery(path)
    })
    const session = Effect.catchCause(Session.run(plan, out), (cause) => Effect.sync(() => out.end(cause)))
    yield* Effect.forkScoped(session)
    return out
  })

  const call = (params: unknown, options: CallOptions = {}) => {
    const opened = open(params, options)
    const stream = Stream.unwrap(Effect.map(opened, ({ take }) => Stream.fromPull(Effect.succeed(take))))
    return Direct.attach(stream, (handler) => Effect.scoped(Effect.flatMap(opened, ({ run }) => run(handler))))
  }
  // Type boundary: the decoder has checked the records.
  return Object.assign(call as unknown as (params: P, options?: CallOptions) => Messages<A>, info)
}

/** Which entities a call asks for. All, where its list names something else than its records do. */
const asked = ({ entity, parameters }: Info, { values }: Call.Call): IsAsked => {
  const list = Parameter.withRole(parameters, "Entities").find(
    ({ role }) => role._tag === "Entities" && role.field === entity
  )
  return list === undefined ? () => true : Asked.make(Params.items(values.get(list.name)))
}

const checkSince = (endpoint: string, hasHistory: boolean, { since }: CallOptions) => {
  if (since === undefined) return Effect.void
  const refuse = (reason: string) =>
    new InvalidRequest({ endpoint, kind: "malformed", parameter: "since", value: since, reason })
  if (!hasHistory) return refuse("no HTTP operation has this series, so there is no history to read")
  return Timestamp.isTimestamp(since) ? Effect.void : refuse(new Timestamp.NotTimestamp({ text: since }).message)
}

/** Reads ranges of the series over HTTP. */
const reader = <P>(
  { endpoint, groups, params, record }: History<P>,
  given: P,
  { entity, isAsked, splits }: Pick<Info, "entity" | "splits"> & { readonly isAsked: IsAsked },
  client: Client["Service"]
): Seam.ReadRange => {
  const name = (role: Parameter.RoleTag, unit?: Parameter.Unit) =>
    Parameter.find(endpoint.parameters, role, unit)?.name ?? ""
  const [list = entity] = splits
  let known: ReadonlyArray<Group> | undefined
  const grouped = Effect.suspend(() =>
    known === undefined && groups !== undefined
      ? Effect.tap(groups(given, isAsked), (found) =>
          Effect.sync(() => {
            known = found
          })
        )
      : Effect.succeed(known)
  )
  const read = ({ entities, from, metrics, to, unit }: Seam.Range, more: object) => {
    const purpose = to === undefined ? "history" : "fill"
    const asked = {
      ...params(given, purpose),
      ...more,
      ...(entities === undefined ? {} : { [list]: entities }),
      ...(metrics === undefined ? {} : { [name("Columns")]: metrics }),
      [name("Start", unit)]: unit === "height" ? Number(from) : from,
      ...(to === undefined ? {} : { [name("End", unit)]: unit === "height" ? Number(to) : to })
    }
    // Type boundary: parameters of an operation known as data are checked when the stream runs.
    const records = endpoint(asked as never) as Stream.Stream<object, ApiError, Client>
    if (record === undefined) return records
    return Stream.mapArray(records, ([first, ...rest]) => [record(first), ...rest.map(record)])
  }
  const readAll = (range: Seam.Range) => {
    if (groups === undefined) return read(range, {})
    return Stream.unwrap(
      Effect.map(grouped, (all = []) => {
        const { entities: asked } = range
        const concerned = all.flatMap(({ entities, params }) => {
          const some = asked === undefined ? entities : entities.filter((entity) => asked.includes(entity))
          return some.length === 0 ? [] : [read({ ...range, entities: some }, params)]
        })
        return Stream.flatten(Stream.fromIterable(concerned))
      })
    )
  }
  return (range) => Stream.provideService(readAll(range), Client, client)
}
