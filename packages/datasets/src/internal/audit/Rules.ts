/**
 * Which checks a series gets: they follow from the names and the types of its columns, so that no endpoint is named.
 */
import type { Column } from "@sluice/core/internal/columns/Column"

/** What is known of the values of a column. */
export interface FieldRule {
  /** Names that it is about; the first rule that fits a column counts. */
  readonly names: RegExp
  /** The least value; absent where a value may be negative. */
  readonly least?: "zero" | "aboveZero"
  /** Whether 0 says that there is no value. */
  readonly isZeroAbsent?: true
  /** How values are compared with those around them: by their ratios, or by their differences. Absent where they may be anything. */
  readonly outliers?: "ratio" | "difference"
  /** Whether a value that stays the same for very long is suspect. */
  readonly isStale?: true
}

/** The rules, of which the first that fits a column counts. */
const fields: ReadonlyArray<FieldRule> = [
  // Of many trades there is one price; that of options jumps as they end.
  {
    names: /^(?:price_(?:open|close|high|low)|vwap|level)$|^(?:Price|ReferenceRate|principal_market_price)/,
    least: "aboveZero",
    outliers: "ratio",
    isStale: true
  },
  { names: /^(?:bid|ask)_price$/, least: "zero", isZeroAbsent: true, outliers: "ratio", isStale: true },
  {
    names: /^(?:price|(?:mark|index)_price|settlement_price_estimated)$/,
    least: "aboveZero",
    outliers: "ratio",
    isStale: true
  },
  {
    names:
      /^(?!net_)(?:amount|quantity|feerate|volume|.*_(?:volume|size|count|units|usd|share)|value_usd|count|iv_(?:bid|ask|mark|trade))$/,
    least: "zero"
  },
  {
    names: /^(?:Cap|Sply|HashRate|Adr|Tx|Blk|Fee|Vol|volume_|open_interest_)(?!.*(?:Net|Chg|Pct|Roi|ROI))/,
    least: "zero",
    outliers: "difference",
    isStale: true
  }
]

/** Of a metric of another name only this is known. */
const metric: FieldRule = { names: /./, outliers: "difference", isStale: true }

/** Two fields of a record of which the first is not above the second. */
export interface PairRule {
  readonly low: string
  readonly high: string
  readonly kind: "inconsistent" | "crossed"
  /** Whether equal values break it too. */
  readonly isStrict?: true
}

const pairs: ReadonlyArray<PairRule> = [
  ...["price_open", "price_close", "price_high", "vwap"].map((high): PairRule => ({
    low: "price_low",
    high,
    kind: "inconsistent"
  })),
  ...["price_open", "price_close", "vwap"].map((low): PairRule => ({ low, high: "price_high", kind: "inconsistent" })),
  { low: "bid_price", high: "ask_price", kind: "crossed", isStrict: true }
]

/** Fields of levels, the best first, of which the best bid is below the best ask. */
const books: ReadonlyArray<readonly [bids: string, asks: string]> = [["bids", "asks"]]

/** A column and its rule. */
export interface FieldCheck {
  readonly name: string
  readonly rule: FieldRule
}

/** The checks of a series. */
export interface Checks {
  readonly fields: ReadonlyArray<FieldCheck>
  /** Pairs of places in `fields`. */
  readonly pairs: ReadonlyArray<PairRule & { readonly lowAt: number; readonly highAt: number }>
  readonly books: typeof books
  /** Columns that say how far a value was reviewed. */
  readonly statuses: ReadonlyArray<string>
}

const numbers: ReadonlySet<string> = new Set(["decimal", "integer", "number"])

/** The checks of these columns, of which `metrics` were asked for by name. */
export const of = (columns: ReadonlyArray<Column>, metrics: ReadonlyArray<string>): Checks => {
  const chosen = new Set(metrics)
  const checked = columns.flatMap(({ kind, name }): ReadonlyArray<FieldCheck> => {
    if (!numbers.has(kind)) return []
    const rule = fields.find(({ names }) => names.test(name)) ?? (chosen.has(name) ? metric : undefined)
    return rule === undefined ? [] : [{ name, rule }]
  })
  const placeOf = (name: string) => checked.findIndex((one) => one.name === name)
  const names = new Set(columns.map(({ name }) => name))
  return {
    fields: checked,
    pairs: pairs.flatMap((pair) => {
      const [lowAt, highAt] = [placeOf(pair.low), placeOf(pair.high)]
      return lowAt < 0 || highAt < 0 ? [] : [{ ...pair, lowAt, highAt }]
    }),
    books: books.filter((sides) => sides.every((side) => names.has(side))),
    statuses: metrics.map((name) => `${name}-status`).filter((name) => names.has(name))
  }
}
