/**
 * What pages and json_stream keep of the attempts they make: a count in the metrics, and one in the error.
 */
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as ApiError from "../../ApiError.ts"

const faults = Metric.counter("sluice_faults", { incremental: true, description: "Transient faults met, by error" })

/** Counts a transient fault, to be met with another attempt while the policy allows. */
export const noteFault = (error: ApiError.ApiError) =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(faults, { endpoint: error.endpoint, error: error._tag }), 1),
    Effect.logDebug("Sluice met a fault", error.message)
  )

/** Writes into the errors that carry it how often a request was sent, and how many records had come. */
export const withAttempts = (
  error: ApiError.ApiError,
  { attempts, total }: { readonly attempts?: number; readonly total?: number }
): ApiError.ApiError => {
  const sent = attempts === undefined ? {} : { attempts }
  if (error._tag === "Unavailable") return new ApiError.Unavailable({ ...error, ...sent, delivered: total })
  if (error._tag !== "RateLimited") return error
  // The last attempt was not sent where something held it back.
  const answered = attempts !== undefined && error.heldBy !== undefined ? { attempts: attempts - 1 } : sent
  return new ApiError.RateLimited({ ...error, ...answered, delivered: total })
}
