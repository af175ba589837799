import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { App } from "./App.ts"
import { requestHeader } from "../faults/Grammar.ts"
import { Cut } from "../reply/Body.ts"
import { toResponse } from "./Response.ts"

/** Where the in-memory service seems to be; nothing resolves it. */
export const origin: string = "https://sandbox.invalid"

export const host = "sandbox.invalid"
export const filesOrigin = "https://files.sandbox.invalid"

export const client = (app: App): Context.Context<HttpClient.HttpClient> =>
  Context.make(
    HttpClient.HttpClient,
    HttpClient.make((clientRequest, url, signal) => {
      const request = HttpServerRequest.fromClientRequest(clientRequest)
      const incoming = {
        method: request.method,
        url: `${url.pathname}${url.search}`,
        origin: url.origin,
        address: "memory",
        fault: request.headers[requestHeader],
        // Nothing between the service and its client would unpack it again.
        wantsGzip: false,
        body: Effect.orDie(request.text),
        isForFile: url.origin === filesOrigin
      }
      return Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const scope = yield* Scope.make()
          const reply = yield* restore(Scope.provide(app.handle(incoming), scope)).pipe(
            Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
            Effect.mapError(
              () =>
                new HttpClientError.HttpClientError({
                  reason: new HttpClientError.TransportError({ request: clientRequest, description: "socket hang up" })
                })
            )
          )
          const close = Scope.close(scope, Exit.void)
          if (reply.content._tag === "Whole") yield* close
          // As over a socket, the signal ends the body, also one that stands still.
          const fork = Effect.runForkWith(yield* Effect.context())
          const aborted = Deferred.makeUnsafe<never, Cut>()
          const end = () => {
            Deferred.doneUnsafe(aborted, Effect.fail(new Cut({ how: "reset" })))
            fork(close)
          }
          if (signal.aborted) end()
          else signal.addEventListener("abort", end, { once: true })
          // Others come to their end by themselves, and a fiber beside them would take turns that a test clock does not wait for.
          const mayStall = `${url.pathname}${incoming.fault ?? ""}`.includes("stall")
          const bodyOf = (stream: Stream.Stream<Uint8Array, Cut>) =>
            Stream.ensuring(mayStall ? Stream.interruptWhen(stream, Deferred.await(aborted)) : stream, close)
          const response = toResponse(reply, bodyOf)
          return HttpServerResponse.toClientResponse(response, { request: clientRequest })
        })
      )
    })
  )
