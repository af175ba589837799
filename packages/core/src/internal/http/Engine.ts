/**
 * The functions with which endpoints send requests. Every client carries them, but they are not part of its type: programs do
 * not need them, and they may change in any version.
 */
import type * as Effect from "effect/Effect"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type * as ApiError from "../../ApiError.ts"
import type * as Gzip from "../../Gzip.ts"
import type * as Params from "../../Params.ts"
import type * as Retry from "../../Retry.ts"
import type * as ByteStream from "../wire/ByteStream.ts"
import type * as Call from "../call/Call.ts"
import type { Attempt } from "../observe/Attempt.ts"
import type * as Envelope from "../wire/Envelope.ts"
import type * as Reader from "../wire/Reader.ts"

/** One request, without the key. */
export interface Request {
  readonly call: Call.Call
  /** Writes the parameters into a request of another method. By default they are the query of a GET. */
  readonly write?:
    | ((plain: HttpClientRequest.HttpClientRequest, query: Params.Query) => HttpClientRequest.HttpClientRequest)
    | undefined
  /** Called when the request is about to be sent: it has its permit. */
  readonly onSend?: (() => void) | undefined
  /** Whether its token came with the previous page, not from the caller. */
  readonly follows?: boolean | undefined
  /** Replaces the client's policy. */
  readonly retry?: Retry.Policy | undefined
  /** Published replacements of a deprecated endpoint, for errors and warnings. */
  readonly replacement?: ReadonlyArray<string> | undefined
  /** The limit for its page, if the client sets none. Default 256 MiB. */
  readonly maxPageBytes?: number | undefined
}

/** A page that was received completely and is no error. */
export interface Reply {
  /** `CF-RAY`. */
  readonly trace: string | undefined
  readonly envelope: Envelope.Envelope
}

/** A reply that is one record, received completely, and is no error. */
export interface RecordReply {
  /** `CF-RAY`. */
  readonly trace: string | undefined
  readonly record: unknown
}

/** A reply whose body is still arriving. */
export interface Opened {
  /** `CF-RAY`. */
  readonly trace: string | undefined
  readonly body: ByteStream.ByteStream<ApiError.Unavailable>
  /** The deprecation announced by its headers. */
  readonly notice: ApiError.Notice | undefined
  /** Builds the error for an `{"error": …}` object found in the body. */
  readonly refuse: (error: unknown) => ApiError.ApiError
}

/** A request that was sent, and what came of it so far. */
export interface Sent extends Opened {
  /** Ends with the scope, in which the body is to be read. */
  readonly attempt: Attempt
}

/** A body that was received and read, and the head of its reply. */
export type Received<A> = Omit<Opened, "body"> & { readonly read: A }

/** Reads a body that was received completely. */
export type Read<A> = (body: Envelope.Body) => Result.Result<A, Envelope.Unreadable>

/** Tells whether a request that was sent once may be sent again after an error. */
export type MayRepeat = (error: ApiError.ApiError) => boolean

/** A request to any host. */
export interface Outgoing {
  /** Named by errors. */
  readonly endpoint: string
  readonly request: HttpClientRequest.HttpClientRequest
  readonly address: URL
  readonly isService: boolean
}

/** The head of a reply of any host. */
export interface Exchanged {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Ends with the scope, in which the body is to be read. */
  readonly attempt: Attempt
  /** The body, which fails when it stalls or is too slow. `trace` is for its errors. */
  readonly bodyOf: (trace?: string) => Effect.Effect<Opened["body"], never, Scope.Scope>
}

/** The functions of a client for its endpoints. */
export interface Engine {
  readonly limits: { readonly maxLineBytes: number; readonly maxEmptyPages: number }
  /** Sends a request, receives its body completely and reads it. Retries as the policy and `mayRepeat` allow. */
  readonly receive: <A extends { readonly json: unknown }>(
    what: "page" | "record",
    request: Request,
    read: Read<A>,
    mayRepeat?: MayRepeat
  ) => Effect.Effect<Received<A>, ApiError.ApiError>
  /** Sends one request to any host, as it is, under the timeouts. Its socket is held until the scope closes. */
  readonly exchange: (outgoing: Outgoing) => Effect.Effect<Exchanged, ApiError.Unavailable, Scope.Scope>
  /** Sends a request once. Its permit and socket are held until the scope closes. */
  readonly open: (request: Request) => Effect.Effect<Sent, ApiError.ApiError, Scope.Scope>
  /** Decompresses files, where the transport brings what does so better than the runtime. */
  readonly decompress: Gzip.Decompress | undefined
  /** What records are read with; without it they are parsed. */
  readonly reader: Reader.Reader | undefined
}

// A registered symbol, because a program may contain two copies of this module.
const key = Symbol.for("@sluice/core/Engine")

export const attach = <Client extends object>(client: Client, engine: Engine): Client =>
  Object.assign(client, { [key]: engine })

export const of = (client: object): Engine =>
  // Type boundary: every client is made by `Client.make`, or is a copy of one that was.
  Reflect.get(client, key) as Engine
