import { Client, FastReader, SystemErrors } from "@sluice/core"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as Exchange from "../src/internal/http/Exchange.ts"

/** Where the scripted service stands. */
export const root = "https://api.example.test/v4"

/** Where the files of results stand. */
export const files = "https://files.example.com"

/** The connection breaks with this code of the system. */
export class Cut extends Data.TaggedError("Cut")<{ readonly code: string }> {}

/** Breaks the connection, before the head of a reply or inside its body. */
export const cut = new Cut({ code: "ECONNRESET" })

/** A piece of a body: a chunk, or something that happens between two chunks. */
export type Piece = string | Uint8Array | Effect.Effect<unknown, Cut>

/** One scripted reply. */
export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Text comes as one chunk, an array as a chunk for each piece. */
  readonly body?: string | ReadonlyArray<Piece>
}

/** A reply, or what happens before one. */
export type Script = Reply | Effect.Effect<Reply, Cut>

/** A request as the service saw it. */
export interface Seen {
  /** Path below the root, and the query. */
  readonly target: string
  readonly url: URL
  readonly method: string
  /** The fields of a form, in order. */
  readonly form: ReadonlyArray<readonly [name: string, value: string]>
  readonly headers: Readonly<Record<string, string>>
  /** Time on the test clock. */
  readonly at: number
}

/** A scripted service. */
export interface FakeApi {
  /** `path?query` of every request so far. */
  readonly requests: Effect.Effect<ReadonlyArray<string>>
  readonly seen: ReadonlyArray<Seen>
  /** Milliseconds from the first request to each. */
  readonly times: Effect.Effect<ReadonlyArray<number>>
  /** Requests whose socket is in use: begun, not yet read to the end and not given up by the client. */
  readonly open: Effect.Effect<number>
  /** Requests that the client has given up, which closes their sockets. */
  readonly aborted: Effect.Effect<number>
  /** The most sockets that were open at once. */
  readonly most: Effect.Effect<number>
  readonly http: Layer.Layer<HttpClient.HttpClient>
  /** A client of this service; without further options it sends no key. */
  readonly layer: (
    options?: Client.Options
  ) => Layer.Layer<Client.Services, Layer.Error<ReturnType<typeof Client.layer>>>
}

/** Serves whatever the handler says. */
export const serve = (handle: (seen: Seen) => Effect.Effect<Reply, Cut>): FakeApi => {
  const seen: Array<Seen> = []
  let open = 0
  let most = 0
  let aborted = 0
  const client = HttpClient.make((request, url, signal) =>
    Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis
      const target = `${url.pathname.replace(/^\/v4/, "")}${decodeURIComponent(url.search.replaceAll("+", " "))}`
      const { headers, method } = request
      const next: Seen = { target, url, method, form: formOf(request), headers, at }
      seen.push(next)
      open += 1
      most = Math.max(most, open)
      let isOpen = true
      const close = () => {
        if (isOpen) open -= 1
        isOpen = false
      }
      signal.addEventListener("abort", () => {
        aborted += 1
        close()
      })
      return responseOf(request, yield* handle(next), signal, close)
    }).pipe(
      Effect.mapError(
        (cause) =>
          new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })
      )
    )
  )
  const http = Layer.succeed(HttpClient.HttpClient, client)
  return {
    seen,
    requests: Effect.sync(() => seen.map(({ target }) => target)),
    times: Effect.sync(() => seen.map(({ at }) => at - (seen[0]?.at ?? 0))),
    open: Effect.sync(() => open),
    most: Effect.sync(() => most),
    aborted: Effect.sync(() => aborted),
    http,
    layer: (options) =>
      Client.layer({ root, ...options }).pipe(Layer.provide([http, FastReader.layer, SystemErrors.layer]))
  }
}

/** Answers with the scripted replies in turn, and dies when asked for more. */
export const make = (script: ReadonlyArray<Script>): FakeApi => {
  let next = 0
  return serve(({ target }) => {
    const reply = script[next++]
    if (reply === undefined) return Effect.die(new Error(`request ${next} is not in the script: ${target}`))
    return Effect.isEffect(reply) ? reply : Effect.succeed(reply)
  })
}

const formOf = ({ body }: HttpClientRequest.HttpClientRequest) =>
  body._tag === "Uint8Array" ? [...new URLSearchParams(new TextDecoder().decode(body.body))] : []

const responseOf = (
  request: HttpClientRequest.HttpClientRequest,
  reply: Reply,
  signal: AbortSignal,
  onEnd: () => void
) => {
  const headers = { "content-type": "application/json", ...reply.headers }
  const response = HttpClientResponse.fromWeb(request, new Response(null, { status: reply.status ?? 200, headers }))
  const broken = (cause: Cut) =>
    new HttpClientError.HttpClientError({ reason: new HttpClientError.DecodeError({ request, response, cause }) })
  const stream = Stream.onEnd(Stream.mapError(streamOf(reply.body ?? "", signal), broken), Effect.sync(onEnd))
  const isFile = request.url.startsWith(files)
  const withoutCopies = isFile ? Stream.die("a file is no reply of the service") : transient(stream)
  return Object.defineProperty(response, "stream", {
    value: Object.assign(stream, { [Exchange.transient]: withoutCopies })
  })
}

/** The same body, whose chunks are overwritten when it is pulled again: nothing may keep one. */
const transient = <E>(body: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E> =>
  Stream.transformPull(body, (pull) => {
    let read: ReadonlyArray<Uint8Array> = []
    const next = Effect.map(pull, ([first, ...rest]) => {
      const copies = [first.slice(), ...rest.map((chunk) => chunk.slice())] as const
      read = copies
      return copies
    })
    return Effect.succeed(
      Effect.suspend(() => {
        for (const chunk of read) chunk.fill(255)
        return next
      })
    )
  })

const streamOf = (body: string | ReadonlyArray<Piece>, signal: AbortSignal): Stream.Stream<Uint8Array, Cut> => {
  const pieces: ReadonlyArray<Piece> = Predicate.isString(body) ? [body] : body
  const isChunk = (piece: Piece): piece is string | Uint8Array => !Effect.isEffect(piece)
  // Chunks alone arrive together, as they do when the network is ahead of the reader.
  if (pieces.every(isChunk)) return Stream.fromArray(pieces.map(bytes))
  return Stream.fromIterable(pieces).pipe(
    Stream.mapEffect((piece) =>
      isChunk(piece)
        ? Effect.succeed(bytes(piece))
        : Effect.as(Effect.raceFirst(piece, aborted(signal)), new Uint8Array())
    )
  )
}

/** A body that is waited for fails when its request is aborted, as that of a real client does. */
const aborted = (signal: AbortSignal) =>
  Effect.callback<never, Cut>((resume) => {
    const fail = () => resume(Effect.fail(new Cut({ code: "ABORT_ERR" })))
    if (signal.aborted) return fail()
    signal.addEventListener("abort", fail)
    return Effect.sync(() => signal.removeEventListener("abort", fail))
  })

/** UTF-8 of a text. */
export const bytes = (chunk: string | Uint8Array): Uint8Array =>
  Predicate.isString(chunk) ? new TextEncoder().encode(chunk) : chunk

/** A page of records, with the token of the next one. */
export const page = (data: ReadonlyArray<unknown>, token?: string, more: object = {}): Reply => ({
  body: JSON.stringify({ data, ...(token === undefined ? {} : { next_page_token: token }), ...more })
})

/** A page of assets by their names. */
export const assets = (names: ReadonlyArray<string>, token?: string): Reply => page(names.map(asset), token)

/** An asset as the service writes it. */
export const asset = (name: string) => ({ asset: name, full_name: name.toUpperCase() })

/** Assets as lines of a json_stream. */
export const lines = (names: ReadonlyArray<string>): string => names.map((name) => line(asset(name))).join("")

/** A record as a line of a json_stream. */
export const line = (record: unknown): string => `${JSON.stringify(record)}\n`

/** Records as a json_stream. */
export const stream = (records: ReadonlyArray<unknown>): Reply => ({ body: records.map(line).join("") })

/** An error reply in the service's documented form. */
export const refusal = (
  status: number,
  type: string,
  message: string,
  headers: Record<string, string> = {}
): Reply => ({
  status,
  headers,
  body: JSON.stringify({ error: { type, message } })
})

/** The lower-case rate-limit headers of a reply. */
export const limits = (limit: string, remaining: number, reset: number, plan?: string): Record<string, string> => ({
  "x-ratelimit-limit": limit,
  "x-ratelimit-remaining": String(remaining),
  "x-ratelimit-reset": String(reset),
  ...(plan === undefined ? {} : { "x-ratelimit-plan": plan })
})
