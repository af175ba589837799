/**
 * Prepares a call before anything is sent: checks its parameters, applies the deprecation policy, and finds what reads it.
 */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import type { Account } from "../../Account.ts"
import { ended, InvalidRequest } from "../../ApiError.ts"
import { Client } from "../../Client.ts"
import type * as Parameter from "../../Parameter.ts"
import type * as Retry from "../../Retry.ts"
import * as Call from "../call/Call.ts"
import * as Check from "../call/Check.ts"
import * as Decoders from "../call/Decoders.ts"
import * as Range from "../call/Range.ts"
import * as Engine from "../http/Engine.ts"
import * as Envelope from "../wire/Envelope.ts"
import type * as RecordDecoder from "../wire/RecordDecoder.ts"

/** What preparing needs to know about an endpoint. */
export interface EndpointInfo extends Call.EndpointInfo {
  readonly deprecated: { readonly replacement: ReadonlyArray<string> } | undefined
}

/** Settings of one call. */
export interface Options {
  readonly retry?: Retry.Policy | undefined
  readonly query?: Readonly<Record<string, string>> | undefined
}

/** A call whose parameters were checked, and what reads it. */
export interface Prepared<A> {
  readonly client: Client["Service"]
  readonly engine: Engine.Engine
  readonly request: Engine.Request
  readonly decoder: RecordDecoder.RecordDecoder<A>
}

/** Builds the function that prepares the calls of an endpoint. */
export const make = <P extends object, A extends Encoded, Encoded>(
  info: EndpointInfo,
  definition: Decoders.Definition<P, A, Encoded> & { readonly params: Schema.Codec<P, P> }
) => {
  const check = Check.make(info.path, definition.params)
  const decoderOf = Decoders.make(definition)
  return Effect.fnUntraced(function* (input: unknown, options: Options) {
    const client = yield* Client
    const engine = Engine.of(client)
    const params = yield* check(input ?? {})
    yield* checkQuery(info, params, options)
    yield* applyDeprecationPolicy(info, client)
    const call = yield* withoutDisabled(Call.make(info, params, options.query), client.account)
    yield* Range.check(call)
    const request: Engine.Request = {
      call,
      retry: options.retry,
      replacement: info.deprecated?.replacement,
      maxPageBytes: maxPageBytes(call, definition.record(params))
    }
    const decoder = decoderOf(params, engine.reader?.records)
    return { client, engine, request, decoder } satisfies Prepared<A>
  })
}

/** Applies the deprecation policy before anything is sent. */
const applyDeprecationPolicy = ({ path, deprecated }: EndpointInfo, { account }: Client["Service"]) =>
  deprecated === undefined
    ? Effect.void
    : account.applyDeprecated(ended({ endpoint: path, replacement: deprecated.replacement }))

/**
 * Refuses unchecked parameters that this library knows, because they belong in the checked ones, and the key. A word that is
 * new in a closed set of words is allowed.
 */
export const checkQuery = ({ parameters, path }: EndpointInfo, params: object, { query = {} }: Options) => {
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

const isSize = ({ role }: Parameter.Parameter) => role._tag === "PageSize"

/**
 * Refuses what the community root has disabled: it may ignore such a parameter and then reply with records that were not asked
 * for. A root of one's own may be a gateway that adds a key, so it gets every parameter. Without a key no size of a page is sent.
 */
const withoutDisabled = (
  call: Call.Call,
  { apiKey, root }: Account["Service"]
): Effect.Effect<Call.Call, InvalidRequest> => {
  const disabled = [...call.endpoint.parameters.values()].filter(({ isPaidOnly }) => isPaidOnly)
  const refused = disabled.find((parameter) => call.values.has(parameter.name) && !isSize(parameter))
  if (refused !== undefined && root.key === "unused") {
    return new InvalidRequest({
      endpoint: call.endpoint.path,
      kind: "unknown",
      parameter: refused.name,
      reason: "is disabled at the community root"
    })
  }
  return Effect.succeed(apiKey === undefined && disabled.some(isSize) ? Call.withoutPageSize(call) : call)
}

/** Not for the format or the direction of pages: the client could not read the reply. */
const takesNewWord = ({ isClosed, kind, role }: Parameter.Parameter) =>
  kind === "word" && isClosed && role._tag !== "Format" && role._tag !== "PageFrom"

/** Bytes allowed for a field of a record with its name, on average. Usual fields are many times shorter. */
const maxFieldBytes = 512

/** The same for a list, such as all the levels of an order book. */
const maxListBytes = 1_048_576

/** Whether a field is or may be a list. */
export const holdsList = (field: SchemaAST.AST): boolean =>
  field._tag === "Arrays" || (field._tag === "Union" && field.types.some(holdsList))

/**
 * The default limit for the bytes of a page, from the number of its records and columns. Absent where all records come in
 * one reply, and where a wildcard stands for an unknown number of columns.
 */
const maxPageBytes = (call: Call.Call, { ast }: Schema.Top) => {
  const columns = ast._tag === "Objects" ? ast.propertySignatures : []
  const pageSize = Call.maxPageSize(call)
  if (pageSize === undefined || columns.some(({ name }) => String(name).includes("*"))) return undefined
  const records = Math.min(Number(Call.valueOf(call, "PageSize") ?? pageSize), pageSize)
  const bytes = columns.map(({ type }) => (holdsList(type) ? maxListBytes : maxFieldBytes))
  const bytesOfRecord = bytes.reduce((sum, bytes) => sum + bytes, 0)
  return Math.min(Envelope.largestPage, Envelope.longestPiece + records * bytesOfRecord)
}
