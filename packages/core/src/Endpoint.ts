/** An endpoint as a value: it holds data about one path of the service, and calling it reads that path as a stream. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type ApiError, Decode, InvalidRequest } from "./ApiError.ts"
import type * as Batch from "./Batch.ts"
import type { Client } from "./Client.ts"
import * as Call from "./internal/call/Call.ts"
import type * as Decoders from "./internal/call/Decoders.ts"
import * as CallSpan from "./internal/observe/CallSpan.ts"
import * as Envelope from "./internal/wire/Envelope.ts"
import * as PageRequest from "./internal/http/PageRequest.ts"
import * as Prepare from "./internal/pages/Prepare.ts"
import * as Lazy from "./internal/read/Lazy.ts"
import * as Read from "./internal/read/Read.ts"
import type { Page } from "./Paging.ts"
import * as Parameter from "./Parameter.ts"
import type * as Retry from "./Retry.ts"

/** How records arrive: pages of JSON, or one object a line. */
export type Format = "json" | "json_stream"

const TypeId = "~@sluice/core/Endpoint"

/** The data of an endpoint. */
export interface Info {
  readonly [TypeId]: typeof TypeId
  /** Path below the root, such as `/reference-data/assets`. Parts that are parameters stand in braces. */
  readonly path: string
  /**
   * `list`: the service replies with records, and a call is a stream. `record`: with one, and a call is an effect. `job`:
   * with a job, whose results are records, and a call is a stream of them.
   */
  readonly reply: "list" | "record" | "job"
  /** The section of docs/interface.md that describes it. */
  readonly section: string
  /** Formats the service offers here. */
  readonly formats: ReadonlyArray<Format>
  /**
   * `list`: the service pages from the start. `series`: it would page from the end, so Sluice asks for the start, and for the
   * end where a `limit_per_*` means the latest records.
   */
  readonly order: "list" | "series"
  /**
   * For a series whose records may share an entity and a time: the fields that tell them apart; empty where only all fields
   * together do. Absent where there is one record at a time.
   */
  readonly identity: ReadonlyArray<string> | undefined
  /** Whether the community root offers it. */
  readonly community: boolean
  /** Its parameters, by the wire's name, in the order of the interface. */
  readonly parameters: Parameter.Parameters
  /** The largest page of the service, which Sluice requests; absent where all records come in one reply. */
  readonly pageSize: number | undefined
  /** List parameters along which a request can be split: every record belongs to exactly one of their items. */
  readonly splits: ReadonlyArray<string>
  /** Set when the service has announced to remove it. */
  readonly deprecated: Deprecation | undefined
  /** Schema of the parameters. */
  readonly params: Schema.Top
  /** Schema of a record for these parameters. */
  readonly record: (params?: never) => Schema.Top
}

/** The published deprecation of an endpoint. */
export interface Deprecation {
  /** Paths that give the same data: the first tells what is available, the others what it is. */
  readonly replacement: ReadonlyArray<string>
}

/** Settings of one call. */
export interface CallOptions {
  /** Replaces the client's retry policy. */
  readonly retry?: Retry.Policy | undefined
  /**
   * Parameters newer than this library, sent unchecked: names it does not know, and new words of a parameter that takes a
   * closed set of words. A name that the endpoint knows is refused here otherwise.
   */
  readonly query?: Readonly<Record<string, string>> | undefined
  /**
   * Whether the end of a json_stream is checked. The format has no end mark, so a reply closed properly but too early,
   * between two lines, looks complete. The check takes one more request, for the last record as a page of one, and then
   * requests the missing records. Records that no pages have, such as updates of order books, are requested again from the last
   * on. The retry policy applies to that request by itself. When it fails finally, the stream fails with its error, although the
   * records of the reply were emitted. With a `limit_per_*` all its records are requested
   * once more, as pages. Default false.
   */
  readonly checkEnd?: boolean | undefined
  /**
   * `Batch.lazy` builds records only when they are read, for programs that write them somewhere else. An array of the
   * stream is then valid until more is pulled, so nothing may buffer it. By default all records are built.
   */
  readonly lazy?: Batch.Lazy | undefined
}

/** Arguments of a call. The parameters may be left out when none is required. */
export type Arguments<P> = {} extends P ? [params?: P, options?: CallOptions] : [params: P, options?: CallOptions]

/** The stream of a call. */
export type Records<A> = Stream.Stream<A, ApiError, Client>

/** The stream of a call that keeps pages together. */
export type Pages<A> = Stream.Stream<Page<A>, ApiError, Client>

/**
 * An endpoint whose records have one type, whatever the parameters are.
 *
 * **Details**
 *
 * A call builds a stream and sends nothing. Running the stream reads all records, one page after the other as they are
 * pulled; from the second page on, the next page is requested while one is read. It ends with the last record or fails
 * with an {@link ApiError}. `pages` gives the same records by page, with the token to continue from.
 *
 * A `limit_per_*` means the latest records of each entity, and they ascend like all others. The service gives them from the
 * end, so the call keeps all of them in memory until the earliest has come: a limit is for recent values. `pages` does not
 * keep them: each page ascends, and the newest comes first. Replies that were captured have the earliest records instead
 * where the parameters say `paging_from: "start"`; a json_stream, which begins at the start, is taken to have them too. By
 * other texts of the service both have the latest.
 */
export interface Endpoint<P, out A> extends Info {
  (...args: Arguments<P>): Records<A>
  /** Reads the same records page by page. */
  readonly pages: (...args: Arguments<Omit<P, "format">>) => Pages<A>
}

/** An endpoint whose types are not known at compile time. Its parameters are checked when the stream runs. */
export interface Any extends Info {
  (params?: never, options?: CallOptions): Records<unknown>
  /** Reads the same records page by page. */
  readonly pages: (params?: never, options?: CallOptions) => Pages<unknown>
}

/** Tells endpoints that reply with a list from other values. */
export const isEndpoint = (value: unknown): value is Any =>
  Predicate.hasProperty(value, TypeId) && Predicate.hasProperty(value, "reply") && value.reply === "list"

/** Settings of a call that gives one record. */
export type SingleOptions = Omit<CallOptions, "checkEnd" | "lazy">

/** Arguments of a call that gives one record. */
export type SingleArguments<P> = {} extends P
  ? [params?: P, options?: SingleOptions]
  : [params: P, options?: SingleOptions]

/**
 * An endpoint whose reply is one record, not a list.
 *
 * A call builds an effect and sends nothing. Running the effect gives the record, checked like those of a list, or fails with
 * an {@link ApiError}.
 */
export interface Single<P, out A> extends Info {
  (...args: SingleArguments<P>): Effect.Effect<A, ApiError, Client>
  /** One record. */
  readonly reply: "record"
}

/** A {@link Single} whose types are not known at compile time. Its parameters are checked when the effect runs. */
export interface AnySingle extends Info {
  (params?: never, options?: SingleOptions): Effect.Effect<unknown, ApiError, Client>
  /** One record. */
  readonly reply: "record"
}

/** Tells endpoints that reply with one record from other values. */
export const isSingle = (value: unknown): value is AnySingle =>
  Predicate.hasProperty(value, TypeId) && Predicate.hasProperty(value, "reply") && value.reply === "record"

/** What {@link makeSingle} needs. */
export type SingleDefinition<P, Record> = Pick<
  Definition<P, Record>,
  "section" | "params" | "record" | "community" | "deprecated"
>

/** What {@link make} needs. */
export interface Definition<P, Record> {
  /** The section of docs/interface.md that describes it. */
  readonly section: string
  /** A struct of fields from `Params`. Formats, page size and splitting follow from it. */
  readonly params: Schema.Codec<P, P>
  /** Schema of a record, without transformations. */
  readonly record: Record
  /** Default `"list"`. */
  readonly order?: "list" | "series"
  /**
   * For a series whose records may share an entity and a time: the fields that tell them apart, such as
   * `["coin_metrics_id"]`; `[]` where there are none. Default: one record at a time.
   */
  readonly identity?: ReadonlyArray<string>
  /** For a list: the fields by which the service promises to sort its records, ascending. Default none. */
  readonly sorted?: ReadonlyArray<string>
  /** Default true. */
  readonly community?: boolean
  /** Set when the service has announced to remove it. */
  readonly deprecated?: Deprecation
}

/** What {@link makeDependent} needs. */
export interface DependentDefinition<P> extends Definition<P, (params: P) => Schema.Codec<unknown>> {
  /** The parameters that decide the schema of a record. */
  readonly dependsOn: ReadonlyArray<keyof P>
}

/** Builds an endpoint. */
export const make = <P extends object, A extends Encoded, Encoded>(
  path: string,
  definition: Definition<P, Schema.Codec<A, Encoded>>
): Endpoint<P, A> => {
  return build(path, independent(definition))
}

/** Whose records are the same whatever the parameters are. */
const independent = <D extends { readonly record: Schema.Top }>(definition: D) => ({
  ...definition,
  dependsOn: [],
  // Type boundary: a spread forgets which record the definition has.
  record: () => definition.record as D["record"]
})

/** Builds an endpoint whose reply is one record. */
export const makeSingle = <P extends object, A extends Encoded, Encoded>(
  path: string,
  definition: SingleDefinition<P, Schema.Codec<A, Encoded>>
): Single<P, A> => {
  const all = independent(definition)
  const info = { ...describe(path, all), reply: "record" as const }
  const prepare = Prepare.make(info, all)
  const read = Effect.fnUntraced(function* (params?: unknown, options: SingleOptions = {}) {
    const { client, decoder, engine, request } = yield* prepare(params, options)
    const reply = yield* PageRequest.record(engine, { ...request, maxPageBytes: Envelope.largestRecord })
    const checked = decoder.check([reply.record])
    if (Result.isFailure(checked)) {
      const { issue, path: at } = checked.failure
      const { scrub } = client.account
      return yield* new Decode({ endpoint: path, trace: reply.trace, path: scrub(at), issue: scrub(issue) })
    }
    // Type boundary: the decoder accepted the one record it was given.
    return checked.success[0] as A
  })
  const call = (params?: unknown, options?: SingleOptions) => CallSpan.single(path, read(params, options))
  return Object.assign(call, info)
}

/**
 * The endpoint of one record as one of a list of one, for tools that work on all endpoints. Its page holds the record and
 * nothing else.
 */
export const fromSingle = (single: AnySingle): Any => {
  const call = (params?: never, options: CallOptions = {}): Records<unknown> =>
    Stream.fromEffect(single(params, { query: options.query, retry: options.retry }))
  const pages = (params?: never, options?: CallOptions): Pages<unknown> =>
    Stream.map(call(params, options), (record) => ({
      data: [record],
      page: 1,
      next_page_token: undefined,
      warnings: [],
      trace: undefined
    }))
  return Object.assign(call, { ...single, reply: "list" as const, pages })
}

/**
 * Builds an endpoint whose record type depends on its parameters, as its own interface `E` declares.
 *
 * `definition.record` must build the schema of what `E` promises, only from the parameters that `dependsOn` names. Type
 * tests and fixtures check that the two agree.
 */
export const makeDependent = <E extends Info, P extends object>(path: string, definition: DependentDefinition<P>): E =>
  // Type boundary: the runtime value is the same for every endpoint; `E` only narrows what a call yields.
  build(path, definition) as Info as E

const formats = ["json", "json_stream"] as const

const describe = <P extends object>(path: string, definition: Definition<P, (params: P) => Schema.Top>): Info => {
  const parameters = Parameter.allOf(definition.params)
  const offered = Parameter.find(parameters, "Format")
  return {
    [TypeId]: TypeId,
    path,
    reply: "list",
    section: definition.section,
    parameters,
    formats: formats.filter((format) => format === "json" || offered?.words.includes(format) === true),
    order: definition.order ?? "list",
    identity: definition.identity,
    community: definition.community ?? true,
    pageSize: Parameter.find(parameters, "PageSize")?.maximum,
    splits: Parameter.withRole(parameters, "Entities").map(({ name }) => name),
    deprecated: definition.deprecated,
    params: definition.params,
    // Type boundary: code that works on all endpoints does not know the types of their parameters.
    record: (params) => definition.record(params ?? ({} as P))
  }
}

const build = <P extends object, A extends Encoded, Encoded>(
  path: string,
  definition: Definition<P, (params: P) => Schema.Codec<A, Encoded>> & Decoders.Definition<P, A, Encoded>
): Endpoint<P, A> => {
  const info = describe(path, definition)
  const { sorted = [] } = definition
  const prepare = Prepare.make(info, definition)
  const run = <B>(
    params: unknown,
    options: CallOptions,
    read: (prepared: Read.Prepared<A>) => Stream.Stream<B, ApiError, Client>,
    sizeOf?: (value: B) => number
  ) =>
    CallSpan.stream({ what: "call", endpoint: path, sizeOf }, (within) =>
      Stream.unwrap(Effect.map(within(prepare(params, options)), (call) => read({ ...call, sorted, within })))
    )

  const call = (params?: unknown, options: CallOptions & Read.Internal = {}): Records<A> => {
    const read =
      options.read ??
      ((prepared: Read.Prepared<A>) =>
        Call.isStream(prepared.request.call) ? Read.stream(prepared, options.checkEnd === true) : Read.paged(prepared))
    const { lazy } = options
    return run(params, options, (prepared) =>
      lazy === undefined ? read(prepared) : Lazy.readerOf(lazy)(prepared, read)
    )
  }

  const readPages = (prepared: Read.Prepared<A>): Pages<A> => {
    const { call } = prepared.request
    if (!Call.isStream(call)) return Read.pages(prepared)
    const parameter = Call.nameOf(call, "Format")
    return Stream.fail(
      new InvalidRequest({ endpoint: path, kind: "excluded", parameter, reason: "pages are read as json" })
    )
  }
  const pages = (params?: unknown, options: CallOptions = {}): Pages<A> =>
    run(params, options, readPages, ({ data }) => data.length)

  return Object.assign(call, info, { pages })
}
