/** Starts a job: a PUT, which is repeated only where the service cannot have acted on it. */
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { ApiError } from "../../ApiError.ts"
import type { Engine, RecordReply, Request } from "../http/Engine.ts"
import * as PageRequest from "../http/PageRequest.ts"

const asForm: NonNullable<Request["write"]> = (plain, query) =>
  plain.pipe(HttpClientRequest.setMethod("PUT"), HttpClientRequest.bodyUrlParams(query))

/** Sends the parameters as a form, and receives the record that the service answers with. */
export const put = (engine: Engine, request: Request): Effect.Effect<RecordReply, ApiError> =>
  Effect.suspend(() => {
    let isSent = false
    const onSend = () => {
      isSent = true
    }
    const mayRepeat = (error: ApiError) => {
      isSent &&= mayHaveActed(error)
      return !mayHaveActed(error)
    }
    const { path } = request.call.endpoint
    // An interruption gives no error that could say so.
    const warn = Effect.suspend(() =>
      isSent
        ? Effect.logWarning(
            `${path}: interrupted after the start was sent; a job may be running, but its id did not arrive`
          )
        : Effect.void
    )
    return Effect.onInterrupt(PageRequest.record(engine, { ...request, write: asForm, onSend }, mayRepeat), () => warn)
  })

/**
 * Tells whether the service may have acted on a PUT although it failed. It has not where nothing of it was sent, and where a
 * whole reply refuses it. A 503 refuses it; other statuses from 500 on, and 408, may come from a proxy that lost the answer.
 */
export const mayHaveActed = (error: ApiError): boolean => {
  if (error._tag === "Decode") return true
  // The reply was a 200 whose headers announce an end.
  if (error._tag === "Deprecated") return error.status === undefined
  if (error._tag !== "Unavailable" || error.phase === "connect" || error.status === 503) return false
  const { status = 500 } = error
  return status < 300 || status === 408 || status >= 500
}
