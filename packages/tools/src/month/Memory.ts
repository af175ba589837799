/**
 * What a month has seen so far, to tell what a dataset may lack: records that came after their time had passed the look-back,
 * which it asks for less and less often.
 */
import type { Row } from "./Service.ts"
import type * as Judge from "./Judge.ts"
import type { Target } from "./Targets.ts"

const day = 86_400_000

/** The past of a month. */
export interface Memory {
  /** Records that came late, with the last moment at which they may be missing. */
  readonly late: Map<string, number>
  /** Everything that the service has ever said. */
  readonly known: Set<string>
}

/** Nothing seen. */
export const empty = (): Memory => ({ late: new Map(), known: new Set() })

/**
 * Takes what the service says at a moment. A record that is new, of an entity that the dataset has, and before what it asks for
 * again, fills a hole. What comes before the first record that is held is no hole: nothing tells that it was missing.
 */
export const add = (
  { known, late }: Memory,
  target: Target,
  fresh: Judge.Keyed<Row>,
  from: ReadonlyMap<string, number>,
  firsts: ReadonlyMap<string, number>,
  now: number
): void => {
  for (const [key, row] of fresh) {
    if (known.has(key)) continue
    known.add(key)
    const entity = String(row[target.entity])
    const start = from.get(entity)
    const time = Date.parse(String(row["time"]))
    // Asked for after a day, two, four, and so on: at most as long again as it was missing for.
    if (start === undefined || time >= start) continue
    const isFirst = time < (firsts.get(entity) ?? Number.NEGATIVE_INFINITY)
    late.set(key, isFirst ? Number.POSITIVE_INFINITY : now + 2 * (now - time) + 2 * day)
  }
}

/** Whether a record may be missing at a moment. */
export const mayLack = ({ late }: Memory, key: string, now: number): boolean => (late.get(key) ?? 0) >= now
