/**
 * Candles as block characters: a body from open to close, lighter where the price falls, and a wick from low to high.
 */
import * as Chart from "./Chart.ts"
import * as Frame from "./Frame.ts"
import * as Scale from "./Scale.ts"

/** The scale of a market, from its lowest to its highest price. */
export const scaleOf = ({ candles }: Chart.Market, isLog: boolean): Scale.Scale =>
  Scale.make(Chart.pricesOf(candles) ?? { low: 0, high: 1 }, isLog)

/** Draws candles between their lowest and their highest price; `name` stands before the first row. */
export const draw = (
  market: Chart.Market,
  times: Chart.Range,
  frame: Frame.Frame,
  { isLog = false, name }: { readonly isLog?: boolean; readonly name?: string } = {}
): ReadonlyArray<string> => {
  const { height } = frame
  const { bar, fallen, full } = Frame.lettersOf(frame)
  const room = Frame.roomOf(frame)
  const scale = scaleOf(market, isLog)
  const { slots } = Chart.fold(market, times, room)
  const rowOf = (price: number) => Math.round((1 - scale.placeOf(price)) * (height - 1))
  const places = slots.map((candle, slot) => {
    const [from, to] = [slot, slot + 1].map((edge) => Math.floor((edge * room) / slots.length)) as [number, number]
    // A blank tells a body from the next one, where there is room for it.
    const wide = Math.max(1, to - from - 1)
    const [high, open, close, low] = candle
      ? ([candle.high, candle.open, candle.close, candle.low].map(rowOf) as [number, number, number, number])
      : [1, 0, 0, 0]
    const isRising = candle !== undefined && candle.close >= candle.open
    const paint = isRising ? frame.up : frame.down
    const body = (isRising ? full : fallen).repeat(wide)
    const wick = bar.padStart(Math.ceil(wide / 2)).padEnd(wide)
    return (row: number) => {
      if (row < high || row > low) return " ".repeat(to - from)
      const isBody = row >= Math.min(open, close) && row <= Math.max(open, close)
      return paint(isBody ? body : wick) + " ".repeat(to - from - wide)
    }
  })
  const lines = Array.from({ length: height }, (_, row) =>
    places
      .map((cell) => cell(row))
      .join("")
      .trimEnd()
  )
  return Frame.framed(lines, Frame.labelsOf(scale, height), frame, name)
}
