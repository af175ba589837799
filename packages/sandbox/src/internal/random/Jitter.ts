/**
 * How much later than its instant each record is published, and shown over HTTP: so records come in another order than that of
 * their times. A delay is a function of the entity and the number of the record, the same in every run.
 */
import { below, seed } from "./Noise.ts"

/** The bounds of the delays in milliseconds, which no delay reaches; with 0 records come in the order of their times. */
export interface Jitter {
  /** From the instant of a record until it is published. */
  readonly live: number
  /** From there until it is shown over HTTP, beside the lag that all records have. */
  readonly http: number
}

export const none: Jitter = { live: 0, http: 0 }

/** How many milliseconds after its instant the n-th record of an entity is published. */
export const untilPublished = (entity: string, { live }: Jitter): ((n: number) => number) => {
  const key = seed(`${entity} published`)
  return (n) => below(key, n, live)
}

/** How many milliseconds after its instant the n-th record of an entity is shown over HTTP, without the lag. */
export const untilShown = (entity: string, jitter: Jitter): ((n: number) => number) => {
  const published = untilPublished(entity, jitter)
  const key = seed(`${entity} shown`)
  return (n) => published(n) + below(key, n, jitter.http)
}
