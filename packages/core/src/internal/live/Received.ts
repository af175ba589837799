/**
 * When records came, as text.
 */
import * as Timestamp from "../../Timestamp.ts"

/** Writes moments of the clock, in milliseconds, as the service writes times. Frames of one second have most of the text alike. */
export const make = (): ((millis: number) => string) => {
  let [second, start] = [Number.NaN, ""]
  return (millis) => {
    const own = Math.floor(millis / 1_000)
    if (own !== second) {
      second = own
      start = Timestamp.fromEpochNanos(BigInt(own) * 1_000_000_000n).slice(0, -10)
    }
    return `${start}${String(Math.floor(millis) - own * 1_000).padStart(3, "0")}000000Z`
  }
}
