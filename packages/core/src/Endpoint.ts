/**
 * An endpoint as a value: data about one path of the service, and callable to read it as a stream.
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

/** What is known of an endpoint apart from its types. */
export interface Info {
  readonly [TypeId]: typeof TypeId
  /** Path below the root, such as `/reference-data/assets`. */
  readonly path: string
  /** The section of docs/interface.md that describes it. */
  readonly section: string
  /** Formats the service offers here. */
  readonly formats: ReadonlyArray<Format>
  /** `list` pages from the start by itself; `series` is asked to, since the service would begin at the end. */
  readonly order: "list" | "series"
  /**
   * Of a series whose records may share an entity and a time: the fields that tell these apart, none where only all fields
   * of a record do. Absent where there is one record at a time.
   */
  readonly identity: ReadonlyArray<string> | undefined
  /** Whether the community root offers it. */
  readonly community: boolean
  /** Its parameters, by the wire's name, in the order of the interface. */
  readonly parameters: Parameter.Parameters
  /** The most records the service puts on one page, and what Sluice asks for; absent where all come in one reply. */
  readonly pageSize: number | undefined
  /** List parameters of which every record belongs to exactly one item, so that a request can be cut along them. */
  readonly splits: ReadonlyArray<string>
  /** Set when the service means to withdraw it. */
  readonly deprecated: Deprecation | undefined
  /** Schema of the parameters. */
  readonly params: Schema.Top
  /** Schema of a record as these parameters ask for it. */
  readonly record: (params?: never) => Schema.Top
}

/** What is published of the end of an endpoint. */
export interface Deprecation {
  /** Paths that give the same data, the first of them what is available, the others what it is. */
  readonly replacement: ReadonlyArray<string>
}

/** Settings of one call. */
export interface CallOptions {
  /** Takes the place of the client's retry policy. */
  readonly retry?: Retry.Policy | undefined
  /**
   * What is newer than this library, sent as it is: parameters it does not know, and words it does not know of a parameter
   * that takes a closed set of them. Any other name the endpoint knows is refused here.
   */
  readonly query?: Readonly<Record<string, string>> | undefined
  /**
   * Of a json_stream: whether its end is checked. The format has no end mark, so a reply closed properly but too early,
   * between two lines, looks complete. Checked, the last record there is comes once more as a page of one, which takes a
   * request; what is missing is then asked for. That request is repeated by itself, as the retry policy says; when it
   * fails for good, the stream fails with its error, although the records of the reply were emitted. Default false.
   */
  readonly checkEnd?: boolean | undefined
}

/** Arguments of a call; the parameters may be left out when none is required. */
export type Arguments<P> = {} extends P ? [params?: P, options?: CallOptions] : [params: P, options?: CallOptions]

/** The stream of a call. */
export type Records<A> = Stream.Stream<A, ApiError, Client>

/** The stream of a call that keeps pages together. */
export type Pages<A> = Stream.Stream<Page<A>, ApiError, Client>

/**
 * An endpoint whose records have one type whatever is asked.
 *
 * **Details**
 *
 * Calling it builds a stream and sends nothing; running the stream reads all records, page after page as they are
 * pulled, and ends complete or with an {@link ApiError}. `pages` gives the same records with the page they came on and
 * the token to continue from.
 */
export interface Endpoint<P, out A> extends Info {
  (...args: Arguments<P>): Records<A>
  readonly pages: (...args: Arguments<Omit<P, "format">>) => Pages<A>
}

/** An endpoint of which only the data is known; called with parameters that are checked when the stream runs. */
export interface Any extends Info {
  (params?: never, options?: CallOptions): Records<unknown>
  readonly pages: (params?: never, options?: CallOptions) => Pages<unknown>
}

/** Tells endpoints from other values. */
export const isEndpoint = (value: unknown): value is Any => Predicate.hasProperty(value, TypeId)

/** What {@link make} needs to know; absent fields take the most frequent value. */
export interface Definition<P, Record> {
  readonly section: string
  /** A struct whose fields are those of `Params`: formats, page size and what tells records apart follow from it. */
  readonly params: Schema.Codec<P, P>
  /** Schema of a record, without transformations. */
  readonly record: Record
  /** Default `"list"`. */
  readonly order?: "list" | "series"
  /**
   * Of a series whose records may share an entity and a time: the fields that tell these apart, such as
   * `["coin_metrics_id"]`; `[]` where there are none. Default: one record at a time.
   */
  readonly identity?: ReadonlyArray<string>
  /** Of a list: the fields by which the service promises to sort its records, ascending. Default none. */
  readonly sorted?: ReadonlyArray<string>
  /** Default true. */
  readonly community?: boolean
  readonly deprecated?: Deprecation
}

/** What {@link makeDependent} needs to know. */
export interface DependentDefinition<P> extends Definition<P, (params: P) => Schema.Codec<unknown>> {
  /** The parameters the schema of a record follows from. */
  readonly dependsOn: ReadonlyArray<keyof P>
}

/** Builds an endpoint. */
export const make = <P extends object, A extends Encoded, Encoded>(
  path: string,
  definition: Definition<P, Schema.Codec<A, Encoded>>
): Endpoint<P, A> => {
  // Made when it is first needed: a program reads few of the endpoints it imports.
  let decoder: RecordDecoder.RecordDecoder<A> | undefined
  return build(
    path,
    definition,
    () => definition.record,
    () => (decoder ??= RecordDecoder.make(definition.record))
  )
}

/**
 * Builds an endpoint whose record type follows from its parameters in a way only its own interface `E` can say.
 *
 * `definition.record` must build the schema of what `E` promises, from the parameters `dependsOn` names and no others;
 * type tests and fixtures hold the two together.
 */
export const makeDependent = <E extends Info, P extends object>(path: string, definition: DependentDefinition<P>): E =>
  // Type boundary: the runtime value is the same for every endpoint; `E` only narrows what a call yields.
  build(path, definition, definition.record, (params, decoders) => {
    const name = JSON.stringify([path, ...definition.dependsOn.map((parameter) => Params.items(params[parameter]))])
    return decoders(name, () => RecordDecoder.make(definition.record(params)))
  }) as Info as E

const formats = ["json", "json_stream"] as const

const build = <P extends object, A>(
  path: string,
  definition: Definition<P, unknown>,
  record: (params: P) => Schema.Top,
  decoderOf: (params: P, decoders: RecordDecoder.Cache) => RecordDecoder.RecordDecoder<A>
): Endpoint<P, A> => {
  const parameters = Parameter.allOf(definition.params)
  const offered = Parameter.find(parameters, "Format")
  const info: Info = {
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
    // Type boundary: whoever works on all endpoints knows their parameters as data only.
    record: (params) => record(params ?? ({} as P))
  }
  const check = Params.check(path, definition.params)
  const sorted = definition.sorted ?? []

  const prepare = Effect.fnUntraced(function* (input: unknown, options: CallOptions) {
    const client = yield* Client
    const engine = Engine.of(client)
    const params = yield* check(input ?? {})
    yield* checkOthers(info, params, options)
    yield* announce(info, client)
    const call = Call.make(info, params, options.query)
    const request: Engine.Request = {
      call,
      retry: options.retry,
      replacement: info.deprecated?.replacement,
      longest: longestPage(info, call, namesOf(record(params)))
    }
    return { client, engine, request, decoder: decoderOf(params, engine.decoders), checkEnd: options.checkEnd === true }
  })
  type Prepared = Effect.Success<ReturnType<typeof prepare>>

  const paging = ({ client, decoder, engine, request }: Omit<Prepared, "checkEnd">) => {
    const { call } = request
    const pages = Call.asPages(call)
    const reverse = Call.isFromEnd(call)
    const token = Call.valueOf(call, "PageToken")?.toString()
    return {
      endpoint: path,
      decoder,
      retry: request.retry ?? client.retry,
      token,
      reverse,
      // Not what was asked for: a service may take no heed of that.
      maxRecords: info.pageSize,
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

  const readStream = ({ checkEnd, client, decoder, engine, request }: Prepared) =>
    JsonStream.records({
      call: request.call,
      decoder,
      retry: request.retry ?? client.retry,
      maxLineBytes: engine.limits.maxLineBytes,
      sorted,
      onDisorder: client.onDisorder,
      open: (call) => engine.open({ ...request, call }),
      readLast:
        checkEnd && info.pageSize !== undefined
          ? (call) => readLast({ client, decoder, engine, request: { ...request, call: Call.asLastRecord(call) } })
          : undefined
    })

  /** Reads the last record of a request, with attempts of its own: the records that came are not asked for again. */
  const readLast = (prepared: Omit<Prepared, "checkEnd">) => Stream.runHead(PageStream.records(paging(prepared)))

  const call = (params?: unknown, options: CallOptions = {}): Records<A> =>
    Stream.unwrap(
      Effect.map(prepare(params, options), (prepared) =>
        Call.isStream(prepared.request.call) ? readStream(prepared) : PageStream.records(paging(prepared))
      )
    )

  const pages = (params?: unknown, options: CallOptions = {}): Pages<A> =>
    Stream.unwrap(
      Effect.flatMap(prepare(params, options), (prepared) => {
        const { call } = prepared.request
        if (!Call.isStream(call)) return Effect.succeed(PageStream.pages(paging(prepared)))
        const parameter = Call.nameOf(call, "Format")
        return new InvalidRequest({ endpoint: path, kind: "excluded", parameter, reason: "pages are read as json" })
      })
    )

  return Object.assign(call, info, { pages })
}

/** Applies the deprecation policy before anything is sent. */
const announce = ({ path, deprecated }: Info, { account }: Client["Service"]) =>
  deprecated === undefined
    ? Effect.void
    : account.applyDeprecated(ended({ endpoint: path, replacement: deprecated.replacement }))

/**
 * What is newer than this library cannot slip past the checks of what it knows, and the key has its own place; but a
 * closed word may be one that the service learned later.
 */
const checkOthers = ({ parameters, path }: Info, params: object, { query = {} }: CallOptions) => {
  const mayPass = (name: string) => {
    const known = parameters.get(name)
    if (known === undefined) return name !== "api_key"
    return isNewWord(known) && Reflect.get(params, name) === undefined
  }
  const clash = Object.keys(query).find((name) => !mayPass(name))
  return clash === undefined
    ? Effect.void
    : new InvalidRequest({
        endpoint: path,
        kind: "misplaced",
        parameter: clash,
        reason: clash === "api_key" ? "the key is set on the client" : "belongs into the parameters of the call"
      })
}

/** How records travel is no word to pass on: what comes would not be understood. */
const isNewWord = ({ isClosed, kind, role }: Parameter.Parameter) =>
  kind === "word" && isClosed && role._tag !== "Format" && role._tag !== "PageFrom"

const namesOf = (schema: Schema.Top): ReadonlyArray<string> =>
  "fields" in schema ? Object.keys(schema.fields as object) : []

/** Bytes that a field of a record takes on average, with its name: many times what is usual. */
const longestField = 512

/**
 * Bytes that a page may have: those of its largest record, and generously those of all. Absent where all comes in one
 * reply, and where a wildcard stands for more columns than are named.
 */
const longestPage = ({ pageSize }: Info, call: Call.Call, columns: ReadonlyArray<string>) => {
  if (pageSize === undefined || columns.some((column) => column.includes("*"))) return undefined
  const records = Math.min(Number(Call.valueOf(call, "PageSize") ?? pageSize), pageSize)
  return Math.min(Envelope.largestPage, Envelope.longestPiece + records * columns.length * longestField)
}
