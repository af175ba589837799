/** Counts attempts, in the metrics and in the errors. */
import * as Effect from "effect/Effect"
import * as Metrics from "../../Metrics.ts"
import * as CallSpan from "../observe/CallSpan.ts"
import * as Measure from "../observe/Measure.ts"
import * as ApiError from "../../ApiError.ts"

/** Counts an attempt that follows a failure. */
export const noteRetry = ({ _tag, endpoint }: ApiError.ApiError) => {
  const counted = Measure.update(Metrics.retries, 1, { ...Measure.ofEndpoint(endpoint), "error.type": _tag })
  return _tag === "Decode" ? Effect.andThen(counted, CallSpan.noteDecodeFailure(endpoint)) : counted
}

/** Adds the number of attempts and of emitted records to errors that have these fields. */
export const withAttempts = (
  error: ApiError.ApiError,
  { attempts, total }: { readonly attempts?: number; readonly total?: number }
): ApiError.ApiError => {
  const sent = attempts === undefined ? {} : { attempts }
  if (error._tag === "Unavailable") return new ApiError.Unavailable({ ...error, ...sent, delivered: total })
  if (error._tag !== "RateLimited") return error
  // A request that was held back was not sent.
  const answered = attempts !== undefined && error.heldBy !== undefined ? { attempts: attempts - 1 } : sent
  return new ApiError.RateLimited({ ...error, ...answered, delivered: total })
}
