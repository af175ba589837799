/**
 * Choices that endpoints and their parameters are made of, beside those of a draw.
 */
import type { Draw } from "../../../core/test/Draw.ts"

/** A whole number, both bounds included. */
export const int = (draw: Draw, minimum: number, maximum: number): number => minimum + draw.below(maximum - minimum + 1)

/** One of the choices, each as often as its weight, a whole number, against the other weights. */
export const weighted = <A>(draw: Draw, choices: ReadonlyArray<readonly [weight: number, choice: () => A]>): A => {
  let at = draw.below(choices.reduce((sum, [weight]) => sum + weight, 0))
  return choices.find(([weight]) => (at -= weight) < 0)![1]()
}

/** A value with a probability; otherwise `undefined`. */
export const maybe = <A>(draw: Draw, probability: number, choice: () => A): A | undefined =>
  draw.chance(probability) ? choice() : undefined

/** Between one and `most` different items, in their order. */
export const some = <A>(draw: Draw, items: ReadonlyArray<A>, most = items.length): ReadonlyArray<A> => {
  const left = [...items]
  for (let count = int(draw, 1, Math.min(most, items.length)); left.length > count;)
    left.splice(draw.below(left.length), 1)
  return left
}

/** A record of those values that are not `undefined`. */
export const record = <A extends Record<string, unknown>>(
  fields: A
): { readonly [K in keyof A]?: Exclude<A[K], undefined> } =>
  // Type boundary: the fields that are `undefined` are left out.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
