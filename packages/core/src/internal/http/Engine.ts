/**
 * What endpoints send requests with. It comes with every client, beside what a program reads of it, and is no part of the
 * client's type: a program has no need of it, and it changes with what endpoints need.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as ApiError from "../../ApiError.ts"
import type * as Retry from "../../Retry.ts"
import type * as Bytes from "../wire/Bytes.ts"
import type * as Call from "../call/Call.ts"
import type * as Envelope from "../wire/Envelope.ts"
import type * as RecordDecoder from "../wire/RecordDecoder.ts"

/** One GET: what is asked, without the key. */
export interface Request {
  readonly call: Call.Call
  /** Whether its token came with the page before, rather than from the caller. */
  readonly follows?: boolean | undefined
  /** Takes the place of the client's policy. */
  readonly retry?: Retry.Policy | undefined
  /** Published replacements of a deprecated endpoint, for errors and warnings. */
  readonly replacement?: ReadonlyArray<string> | undefined
  /** Bytes that its page may have where the client has no limit of its own; 256 MiB when absent. */
  readonly longest?: number | undefined
}

/** A page that was received whole, and is no error. */
export interface Reply {
  /** `CF-RAY`. */
  readonly trace: string | undefined
  readonly envelope: Envelope.Envelope
  /** Takes the key out of text of the service that is no record, and makes it safe to print. */
  readonly scrub: (text: string) => string
}

/** A reply whose body is still arriving. */
export interface Opened {
  /** `CF-RAY`. */
  readonly trace: string | undefined
  readonly body: Bytes.Bytes<ApiError.Unavailable>
  /** What its headers say of the end of the endpoint. */
  readonly notice: ApiError.Notice | undefined
  /** Takes the key out of text of the service that is no record, and makes it safe to print. */
  readonly scrub: (text: string) => string
  /** Builds the error for an `{"error": …}` object found in the body. */
  readonly refuse: (error: unknown) => ApiError.ApiError
}

/** What a client does for endpoints. */
export interface Engine {
  /** The most that is read of a line of a json_stream, and how many pages in a row may be empty. */
  readonly limits: { readonly maxLineBytes: number; readonly maxEmptyPages: number }
  /** Sends a request and receives one page whole, repeating while the policy allows. */
  readonly page: (request: Request) => Effect.Effect<Reply, ApiError.ApiError>
  /** Sends a request once; its permit and socket are held until the scope closes. */
  readonly open: (request: Request) => Effect.Effect<Opened, ApiError.ApiError, Scope.Scope>
  /** Decoders of records whose columns follow from the call. */
  readonly decoders: RecordDecoder.Cache
}

// Found by its description, for a program may hold two copies of this module.
const key = Symbol.for("@sluice/core/Engine")

/** Gives a client its engine. */
export const attach = <Client extends object>(client: Client, engine: Engine): Client =>
  Object.assign(client, { [key]: engine })

/** The engine of a client. */
export const of = (client: object): Engine =>
  // Type boundary: every client is made by `Client.make`, or is a copy of one that was.
  Reflect.get(client, key) as Engine
