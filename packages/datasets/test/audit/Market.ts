/**
 * A drawn market, harsher than the stand-in: returns with long tails, times of high and of low volatility, jumps that stay, and volumes over
 * orders of magnitude.
 */
import * as EntityAudit from "../../src/internal/audit/EntityAudit.ts"
import type { Found } from "../../src/internal/audit/Finding.ts"
import * as Rules from "../../src/internal/audit/Rules.ts"
import * as Moment from "../../src/internal/model/Moment.ts"
import type * as Draw from "../../../core/test/Draw.ts"

const minute = 60_000

const begin = Date.parse("2024-01-01")

const names = ["price_open", "price_close", "price_high", "price_low", "vwap", "volume"]

const checks = Rules.of(
  names.map((name) => ({ name, kind: "decimal", nullable: true })),
  []
)

/** A draw of a normal distribution, nearly. */
const normal = (draw: Draw.Draw) => {
  let sum = -6
  for (let count = 0; count < 12; count++) sum += draw.next()
  return sum
}

/** A draw of Student's distribution of three degrees of freedom: its tails are those of returns. */
const tailed = (draw: Draw.Draw) => {
  const squares = [normal(draw), normal(draw), normal(draw)].reduce((sum, value) => sum + value * value, 0)
  return normal(draw) / Math.sqrt(squares / 3)
}

const digits = (value: number) => value.toFixed(2)

/** What an audit finds in so many minutes. */
export const findingsOf = (draw: Draw.Draw, count: number): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  const audited: EntityAudit.Audited = {
    identity: undefined,
    checks,
    every: { millis: minute, isEven: true },
    from: -Infinity,
    to: Infinity,
    now: begin + count * minute,
    maxAge: undefined
  }
  const audit = EntityAudit.make(audited, "drawn", undefined, (one) => void found.push(one))
  let price = 100 + 60_000 * draw.next()
  let volatility = 0.001
  for (let at = 0; at < count;) {
    const batch: Array<object> = []
    for (; batch.length < 1000; at++) {
      // Volatility of a minute changes within hours by a factor of ten, and returns to its mean.
      volatility = Math.exp(0.995 * Math.log(volatility / 0.001) + 0.1 * normal(draw)) * 0.001
      const open = price
      const jump = draw.chance(0.0001) ? 0.05 * normal(draw) : 0
      price = Math.max(1, open * Math.exp(Math.max(-0.3, Math.min(0.3, volatility * tailed(draw))) + jump))
      const [low, high] = [Math.min(open, price), Math.max(open, price)]
      const spread = 1 + Math.abs(volatility * normal(draw))
      batch.push({
        time: Moment.ofMillis(begin + at * minute),
        price_open: digits(open),
        price_close: digits(price),
        price_high: digits(high * spread),
        price_low: digits(low / spread),
        vwap: String((low + high) / 2),
        volume: digits(Math.exp(3 * normal(draw)))
      })
    }
    audit.see(batch)
  }
  audit.end()
  return found
}
