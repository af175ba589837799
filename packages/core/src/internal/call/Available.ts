/**
 * What a record of a catalog says of one entity: metrics and frequencies, as far as the series has them, with the times covered.
 */
import * as Json from "../wire/Json.ts"
import * as Wildcard from "./Wildcard.ts"

/** The times that a series covers for one of its entities. */
export interface Available {
  /** What the series is of, such as an asset or a market. */
  readonly entity: string
  /** The metric; absent where the series has none. */
  readonly metric: string | undefined
  /** The frequency; absent where the series has none. */
  readonly frequency: string | undefined
  /** Time of its first record. */
  readonly min_time: string | undefined
  /** Time of its last record. */
  readonly max_time: string | undefined
}

/** The times in a record of a catalog. */
export const of = (entity: string, record: unknown): ReadonlyArray<Available> => {
  const metrics = Wildcard.listOf(record, "metrics") ?? [record]
  return metrics.flatMap((one) =>
    (Wildcard.listOf(one, "frequencies") ?? [one]).map((range) => ({
      entity,
      metric: Json.textAt(one, "metric"),
      frequency: Json.textAt(range, "frequency"),
      min_time: Json.textAt(range, "min_time"),
      max_time: Json.textAt(range, "max_time")
    }))
  )
}
