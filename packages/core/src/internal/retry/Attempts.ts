/**
 * Counts attempts, in the metrics and in the errors.
 */
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as ApiError from "../../ApiError.ts"

const faults = Metric.counter("sluice_faults", { incremental: true, description: "Transient faults, by error" })

/** Counts a transient fault, after which the policy may allow another attempt. */
export const noteFault = (error: ApiError.ApiError) =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(faults, { endpoint: error.endpoint, error: error._tag }), 1),
    Effect.logDebug("Sluice met a fault", error.message)
  )

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
