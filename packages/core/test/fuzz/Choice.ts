/** Random numbers that choose an offset, or an element of a list. */
import * as Schema from "effect/Schema"

/** A choice, taken modulo whatever there is to choose from. */
export const Choice = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 30 }))

/** One of so many. */
export const below = (count: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: count - 1 }))

/** The element a choice stands for. */
export const pick = <A>(items: ReadonlyArray<A>, choice: number): A => items[choice % items.length]!
