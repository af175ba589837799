/**
 * An endpoint as a value: it holds data about one path of the service, and calling it reads that path as a stream.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type ApiError, ended, InvalidRequest } from "./ApiError.ts"
import { Client } from "./Client.ts"
import * as Call from "./internal/call/Call.ts"
import * as Engine from "./internal/http/Engine.ts"
import * as Envelope from "./internal/wire/Envelope.ts"
import * as JsonStream from "./internal/resume/JsonStream.ts"
import * as PageStream from "./internal/pages/PageStream.ts"
import * as RecordDecoder from "./internal/wire/RecordDecoder.ts"
import type { Page } from "./Paging.ts"
import * as Parameter from "./Parameter.ts"
import * as Params from "./Params.ts"
import type * as Retry from "./Retry.ts"

/** How records arrive: pages of JSON, or one object a line. */
export type Format = "json" | "json_stream"

const TypeId = "~@sluice/core/Endpoint"

/** The data of an endpoint. */
export interface Info {
  readonly [TypeId]: typeof TypeId
  /** Path below the root, such as `/reference-data/assets`. */
  readonly path: string
  /** The section of docs/interface.md that describes it. */
  readonly section: string
  /** Formats the service offers here. */
  readonly formats: ReadonlyArray<Format>
  /** `list`: the service pages from the start. `series`: it would page from the end, so Sluice asks for the start. */
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
   * requests the missing records. The retry policy applies to that request by itself. When it fails finally, the stream
   * fails with its error, although the records of the reply were emitted. Default false.
   */
  readonly checkEnd?: boolean | undefined
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
 * pulled. It ends with the last record or fails with an {@link ApiError}. `pages` gives the same records by page, with the
 * token to continue from.
 */
export interface Endpoint<P, out A> extends Info {
  (...args: Arguments<P>): Records<A>
  readonly pages: (...args: Arguments<Omit<P, "format">>) => Pages<A>
}

/** An endpoint whose types are not known at compile time. Its parameters are checked when the stream runs. */
export interface Any extends Info {
  (params?: never, options?: CallOptions): Records<unknown>
  readonly pages: (params?: never, options?: CallOptions) => Pages<unknown>
}

/** Tells endpoints from other values. */
export const isEndpoint = (value: unknown): value is Any => Predicate.hasProperty(value, TypeId)

/** What {@link make} needs. */
export interface Definition<P, Record> {
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
  // Made on first use: a program reads few of the endpoints it imports.
  let decoder: RecordDecoder.RecordDecoder<A> | undefined
  return build(
    path,
    definition,
    () => definition.record,
    () => (decoder ??= RecordDecoder.make(definition.record))
  )
}

/**
 * Builds an endpoint whose record type depends on its parameters, as its own interface `E` declares.
 *
 * `definition.record` must build the schema of what `E` promises, only from the parameters that `dependsOn` names. Type
 * tests and fixtures check that the two agree.
 */
export const makeDependent = <E extends Info, P extends object>(path: string, definition: DependentDefinition<P>): E =>
  // Type boundary: the runtime value is the same for every endpoint; `E` only narrows what a call yields.
  build(path, definition, definition.record, (params, decoders) => {
    const name = JSON.stringify([path, ...definition.dependsOn.map((parameter) => Params.items(params[parameter]))])
    return decoders(name, () => RecordDecoder.make(definition.record(params)))
  }) as Info as E

const formats = ["json", "json_stream"] as const

const describe = <P extends object>(
  path: string,
  definition: Definition<P, unknown>,
  record: (params: P) => Schema.Top
): Info => {
  const parameters = Parameter.allOf(definition.params)
  const offered = Parameter.find(parameters, "Format")
  return {
    [TypeId]: TypeId,
    path,
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
    record: (params) => record(params ?? ({} as P))
  }
}

/** A call whose parameters were checked, and what reads it. */
interface Prepared<A> {
  readonly client: Client["Service"]
  readonly engine: Engine.Engine
  readonly request: Engine.Request
  readonly decoder: RecordDecoder.RecordDecoder<A>
  /** Fields by which the service promises to sort a list. */
  readonly sorted: ReadonlyArray<string>
}

const build = <P extends object, A>(
  path: string,
  definition: Definition<P, unknown>,
  record: (params: P) => Schema.Top,
  decoderOf: (params: P, decoders: RecordDecoder.Cache) => RecordDecoder.RecordDecoder<A>
): Endpoint<P, A> => {
  const info = describe(path, definition, record)
  const check = Params.check(path, definition.params)
  const { sorted = [] } = definition

  const prepare = Effect.fnUntraced(function* (input: unknown, options: CallOptions) {
    const client = yield* Client
    const engine = Engine.of(client)
    const params = yield* check(input ?? {})
    yield* checkQuery(info, params, options)
    yield* applyDeprecationPolicy(info, client)
    const call = Call.make(info, params, options.query)
    yield* checkPageSize(call)
    const request: Engine.Request = {
      call,
      retry: options.retry,
      replacement: info.deprecated?.replacement,
      maxPageBytes: maxPageBytes(call, namesOf(record(params)))
    }
    return { client, engine, request, decoder: decoderOf(params, engine.decoders), sorted } satisfies Prepared<A>
  })

  const call = (params?: unknown, options: CallOptions = {}): Records<A> =>
    Stream.unwrap(
      Effect.map(prepare(params, options), (prepared) =>
        Call.isStream(prepared.request.call)
          ? readStream(prepared, options.checkEnd === true)
          : PageStream.records(pagesOf(prepared))
      )
    )

  const pages = (params?: unknown, options: CallOptions = {}): Pages<A> =>
    Stream.unwrap(
      Effect.flatMap(prepare(params, options), (prepared) => {
        const { call } = prepared.request
        if (!Call.isStream(call)) return Effect.succeed(PageStream.pages(pagesOf(prepared)))
        const parameter = Call.nameOf(call, "Format")
        return new InvalidRequest({ endpoint: path, kind: "excluded", parameter, reason: "pages are read as json" })
      })
    )

  return Object.assign(call, info, { pages })
}

/** How the pages of a call are read. */
const pagesOf = <A>({ client, decoder, engine, request, sorted }: Prepared<A>) => {
  const { call } = request
  const pages = Call.asPages(call)
  const reverse = Call.isFromEnd(call)
  const token = Call.valueOf(call, "PageToken")?.toString()
  return {
    endpoint: call.endpoint.path,
    decoder,
    retry: request.retry ?? client.retry,
    token,
    reverse,
    // Not the page size of the call, which a service may ignore.
    maxRecords: Call.maxPageSize(call),
    guard: {
      maxEmpty: engine.limits.maxEmptyPages,
      onDisorder: client.onDisorder,
      order: { call, sorted, reverse }
    },
    fetch: (next: string | undefined) =>
      engine.page({
        ...request,
        follows: next !== token,
        call: next === undefined ? pages : Call.fromToken(pages, next)
      })
  }
}

const readStream = <A>(prepared: Prepared<A>, checkEnd: boolean): Records<A> => {
  const { client, decoder, engine, request, sorted } = prepared
  /** Reads the last record of a call, with attempts of its own, so that its failure does not repeat the stream. */
  const readLast = (call: Call.Call) =>
    Stream.runHead(PageStream.records(pagesOf({ ...prepared, request: { ...request, call: Call.asLastRecord(call) } })))
  return JsonStream.records({
    call: request.call,
    decoder,
    retry: request.retry ?? client.retry,
    maxLineBytes: engine.limits.maxLineBytes,
    sorted,
    onDisorder: client.onDisorder,
    open: (call) => engine.open({ ...request, call }),
    readLast: checkEnd && request.call.endpoint.pageSize !== undefined ? readLast : undefined
  })
}

/** Applies the deprecation policy before anything is sent. */
const applyDeprecationPolicy = ({ path, deprecated }: Info, { account }: Client["Service"]) =>
  deprecated === undefined
    ? Effect.void
    : account.applyDeprecated(ended({ endpoint: path, replacement: deprecated.replacement }))

/**
 * Refuses unchecked parameters that this library knows, because they belong in the checked ones, and the key. A word that is
 * new in a closed set of words is allowed.
 */
const checkQuery = ({ parameters, path }: Info, params: object, { query = {} }: CallOptions) => {
  const isAllowed = (name: string) => {
    const known = parameters.get(name)
    if (known === undefined) return name !== "api_key"
    return takesNewWord(known) && Reflect.get(params, name) === undefined
  }
  const clash = Object.keys(query).find((name) => !isAllowed(name))
  return clash === undefined
    ? Effect.void
    : new InvalidRequest({
        endpoint: path,
        kind: "misplaced",
        parameter: clash,
        reason: clash === "api_key" ? "the key is set on the client" : "belongs into the parameters of the call"
      })
}

/** Not for the format or the direction of pages: the client could not read the reply. */
const takesNewWord = ({ isClosed, kind, role }: Parameter.Parameter) =>
  kind === "word" && isClosed && role._tag !== "Format" && role._tag !== "PageFrom"

/** Of some words the service refuses a page that it would give of others; a check of the parameters cannot know them. */
const checkPageSize = (call: Call.Call) => {
  const [given, largest] = [Call.valueOf(call, "PageSize"), Call.maxPageSize(call)]
  if (given === undefined || largest === undefined || Number(given) <= largest) return Effect.void
  const words = [...call.values].filter(([name, word]) =>
    call.endpoint.parameters.get(name)?.pageSizes.has(String(word))
  )
  const reason = `expected a value of at most ${largest} with ${words.map((pair) => pair.join("=")).join(", ")}, got ${given}`
  const parameter = Call.nameOf(call, "PageSize")
  return new InvalidRequest({
    endpoint: call.endpoint.path,
    kind: "malformed",
    parameter,
    value: String(given),
    reason
  })
}

const namesOf = (schema: Schema.Top): ReadonlyArray<string> =>
  "fields" in schema ? Object.keys(schema.fields as object) : []

/** Bytes allowed for a field of a record with its name, on average. Usual fields are many times shorter. */
const maxFieldBytes = 512

/**
 * The default limit for the bytes of a page, from the number of its records and columns. Absent where all records come in
 * one reply, and where a wildcard stands for an unknown number of columns.
 */
const maxPageBytes = (call: Call.Call, columns: ReadonlyArray<string>) => {
  const pageSize = Call.maxPageSize(call)
  if (pageSize === undefined || columns.some((column) => column.includes("*"))) return undefined
  const records = Math.min(Number(Call.valueOf(call, "PageSize") ?? pageSize), pageSize)
  return Math.min(Envelope.largestPage, Envelope.longestPiece + records * columns.length * maxFieldBytes)
}
