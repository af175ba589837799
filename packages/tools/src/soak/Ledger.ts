/**
 * What a reader of a live series was given, in a few numbers: enough to compare hours of it with what the service has.
 */

/** A series in numbers. Both sums are over all records between two times, neither included. */
export interface Sum {
  readonly count: number
  /** The sum of the hashes of all identities, whose order does not matter. */
  readonly hash: number
}

/** The numbers as they grow. */
export interface Ledger {
  /** Adds a record. Records of one time count once a later one comes, since the last time may not be complete. */
  readonly add: (time: string, identity: string) => void
  /** The times between which all was added; undefined before there are two. */
  readonly span: () => { readonly after: string; readonly before: string } | undefined
  readonly sum: () => Sum
  /** Records with a time before one that was added. */
  readonly late: () => number
}

const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

/** Begins with nothing. */
export const make = (): Ledger => {
  let [first, last] = ["", ""]
  let open = { count: 0, hash: 0 }
  let closed = { count: 0, hash: 0 }
  let late = 0
  return {
    add: (time, identity) => {
      if (first === "") first = last = time
      // Others of the first time may have come before the stream began, and are read with what a broken connection missed.
      if (time === first) return
      if (time < last) late += 1
      if (time > last) {
        closed = { count: closed.count + open.count, hash: (closed.hash + open.hash) % Number.MAX_SAFE_INTEGER }
        open = { count: 0, hash: 0 }
        last = time
      }
      open = { count: open.count + 1, hash: open.hash + hashOf(identity) }
    },
    span: () => (first === last ? undefined : { after: first, before: last }),
    sum: () => closed,
    late: () => late
  }
}
