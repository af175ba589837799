/**
 * The book that the frames of a live stream make, level by level.
 */
import { type Item, itemsOf, textOf, textsOf } from "./Item.ts"

/** The sides of a book, with the order of their prices from the best one on. */
const sides = { asks: 1, bids: -1 } as const

/** The levels that a live book has at most. */
const depth = 100

/** Whether levels that leave the hundred best are removed, or nothing tells of them; nothing where none left. */
export const leaving = (frames: ReadonlyArray<Item>): "removed" | "silent" | undefined => {
  const words = [...new Set(textsOf(frames, "market"))].flatMap((market) => {
    const own = frames.filter((frame) => textOf(frame, "market") === market)
    return Object.entries(sides).map(([side, sign]) => leavingSide(own, side, sign))
  })
  return words.find((word) => word === "silent") ?? words.find((word) => word === "removed")
}

const leavingSide = (frames: ReadonlyArray<Item>, side: string, sign: number) => {
  let word: "removed" | undefined
  const levels = new Set<number>()
  for (const frame of frames) {
    if (textOf(frame, "type") === "snapshot") levels.clear()
    const isFull = levels.size === depth
    const worst = Math.max(...[...levels].map((price) => price * sign))
    const changes = itemsOf(frame[side]).map((level) => [Number(textOf(level, "price")), Number(textOf(level, "size"))])
    for (const [price = 0, size] of changes) {
      if (size === 0) levels.delete(price)
      else levels.add(price)
    }
    if (levels.size > depth) return "silent"
    if (isFull && levels.size === depth && changes.some(([price = 0, size]) => size === 0 && price * sign === worst)) {
      word = "removed"
    }
  }
  return word
}
