/**
 * The functions with which endpoints send requests. Every client carries them, but they are not part of its type: programs do
 * not need them, and they may change in any version.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as ApiError from "../../ApiError.ts"
import type * as Retry from "../../Retry.ts"
import type * as ByteStream from "../wire/ByteStream.ts"
import type * as Call from "../call/Call.ts"
import type * as Envelope from "../wire/Envelope.ts"
import type * as RecordDecoder from "../wire/RecordDecoder.ts"

/** One request, without the key. */
export interface Request {
  readonly call: Call.Call
  /** `PUT` sends the parameters as a form, and is not repeated once it may have been received. Default `GET`. */
  readonly method?: "GET" | "PUT" | undefined
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
  /** Removes the key from text of the service, and makes it safe to print. Not for records. */
  readonly scrub: (text: string) => string
}

/** A reply that is one record, received completely, and is no error. */
export interface RecordReply {
  /** `CF-RAY`. */
  readonly trace: string | undefined
  readonly record: unknown
  /** Removes the key from text of the service, and makes it safe to print. Not for records. */
  readonly scrub: (text: string) => string
}

/** A reply whose body is still arriving. */
export interface Opened {
  /** `CF-RAY`. */
  readonly trace: string | undefined
  readonly body: ByteStream.ByteStream<ApiError.Unavailable>
  /** The deprecation announced by its headers. */
  readonly notice: ApiError.Notice | undefined
  /** Removes the key from text of the service, and makes it safe to print. Not for records. */
  readonly scrub: (text: string) => string
  /** Builds the error for an `{"error": …}` object found in the body. */
  readonly refuse: (error: unknown) => ApiError.ApiError
}

/** A file outside the service. */
export interface File {
  /** The path of the endpoint that named it, for errors. */
  readonly endpoint: string
  /** An http(s) URL, sent as it is, without the key and outside the quota. */
  readonly url: string
}

/** The functions of a client for its endpoints. */
export interface Engine {
  readonly limits: { readonly maxLineBytes: number; readonly maxEmptyPages: number }
  /** Sends a request, receives one page completely, and retries as the policy allows. */
  readonly page: (request: Request) => Effect.Effect<Reply, ApiError.ApiError>
  /** Sends a request, receives one record completely, and retries as the policy allows. */
  readonly record: (request: Request) => Effect.Effect<RecordReply, ApiError.ApiError>
  /** Sends a PUT and receives the record it is answered with. Repeated only where the service cannot have acted on it. */
  readonly put: (request: Request) => Effect.Effect<RecordReply, ApiError.ApiError>
  /** Requests a file once. Its socket is held until the scope closes. */
  readonly openFile: (file: File) => Effect.Effect<Opened, ApiError.ApiError, Scope.Scope>
  /** Sends a request once. Its permit and socket are held until the scope closes. */
  readonly open: (request: Request) => Effect.Effect<Opened, ApiError.ApiError, Scope.Scope>
  /** Decoders of records whose columns depend on the call. */
  readonly decoders: RecordDecoder.Cache
}

// A registered symbol, because a program may contain two copies of this module.
const key = Symbol.for("@sluice/core/Engine")

/** Attaches an engine to a client. */
export const attach = <Client extends object>(client: Client, engine: Engine): Client =>
  Object.assign(client, { [key]: engine })

/** The engine of a client. */
export const of = (client: object): Engine =>
  // Type boundary: every client is made by `Client.make`, or is a copy of one that was.
  Reflect.get(client, key) as Engine
