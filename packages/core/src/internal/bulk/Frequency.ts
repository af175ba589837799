/**
 * How far apart the records of an entity are at the frequency of a call.
 */
import * as Call from "../call/Call.ts"

/** A frequency of records, as the step from one to the next. */
export interface Frequency {
  readonly nanos: bigint
  /** Whether all steps are of that length and begin at multiples of it in UTC; not of days by the close of a place. */
  readonly isEven: boolean
}

const seconds: Readonly<Record<string, bigint>> = { s: 1n, m: 60n, h: 3_600n, d: 86_400n }

/**
 * The step of a call at a frequency such as `15s`, `4h` or `1d-ny-close`; nothing for `1b`, of blocks, and where none
 * is given.
 */
export const of = (call: Call.Call): Frequency | undefined => {
  const [all, count = "", unit = ""] =
    /^([1-9]\d{0,5})([smhd])(?![a-z])/.exec(String(Call.valueOf(call, "Frequency"))) ?? []
  const length = seconds[unit]
  return length === undefined
    ? undefined
    : {
        nanos: BigInt(count) * length * 1_000_000_000n,
        isEven: all === Call.valueOf(call, "Frequency")
      }
}
