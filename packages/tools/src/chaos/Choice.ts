/**
 * Choices that schedules are made of, as arbitraries. Each shrinks towards its first or smallest value.
 */
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

type Any<A> = Arbitrary.Arbitrary<A>

/** Compiling a schema costs more than drawing from it, and the same few are drawn from again and again. */
const cached = <A>(make: (name: string) => Any<A>): ((name: string) => Any<A>) => {
  const made = new Map<string, Any<A>>()
  return (name) => {
    const known = made.get(name) ?? make(name)
    made.set(name, known)
    return known
  }
}

const between = cached((name) => {
  const [minimum = 0, maximum = 0] = name.split("..").map(Number)
  return Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum, maximum })))
})

// Not an integer between bounds: those favour the bounds, and every index must be as likely as the others.
const index = cached((name) =>
  Arbitrary.schema(Schema.Literals(Array.from({ length: Number(name) }, (_, index) => index)))
)

/** A whole number, including both bounds. The bounds are more likely than other numbers. */
export const int = (minimum: number, maximum: number): Any<number> => between(`${minimum}..${maximum}`)

/** One of the items. */
export const pick = <A>(items: ReadonlyArray<A>): Any<A> =>
  Arbitrary.map(index(String(items.length)), (at) => items[at]!)

/** One of the choices, each as often as its weight, a whole number, against the other weights. Each is made once. */
export const weighted = <A>(choices: ReadonlyArray<readonly [weight: number, choice: () => Any<A>]>): Any<A> => {
  const starts: Array<number> = []
  const made: Array<Any<A> | undefined> = []
  let total = 0
  for (const [weight] of choices) {
    starts.push(total)
    total += weight
  }
  return Arbitrary.flatMap(index(String(total)), (at) => {
    const chosen = starts.findLastIndex((start) => start <= at)
    return (made[chosen] ??= choices[chosen]![1]())
  })
}

/** One of the values, each as often as its weight. */
export const weightedValue = <A>(values: ReadonlyArray<readonly [weight: number, value: A]>): Any<A> =>
  weighted(values.map(([weight, value]) => [weight, () => Arbitrary.map(nothing, () => value)]))

const nothing = Arbitrary.Constant(undefined)

/** `true` with a probability, in hundredths. */
export const chance = (probability: number): Any<boolean> =>
  Arbitrary.map(index("100"), (at) => at >= 100 - Math.round(100 * probability))

/** A value with a probability, in hundredths; otherwise `undefined`. */
export const maybe = <A>(probability: number, choice: () => Any<A>): Any<A | undefined> =>
  Arbitrary.flatMap(chance(probability), (is): Any<A | undefined> => (is ? choice() : nothing))

/** A record of those values that are not `undefined`. */
export const record = <A extends Record<string, unknown>>(fields: {
  readonly [K in keyof A]: Any<A[K]>
}): Any<{ readonly [K in keyof A]?: Exclude<A[K], undefined> }> =>
  Arbitrary.map(
    Arbitrary.all(fields),
    // Type boundary: the fields that are `undefined` are left out.
    (all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as never
  )

/** Between `least` and `most` different items, in their order; fewer where there are not as many. */
export const some = <A>(items: ReadonlyArray<A>, least: number, most: number): Any<ReadonlyArray<A>> =>
  Arbitrary.flatMap(int(Math.min(least, items.length), Math.min(most, items.length)), (count) =>
    Arbitrary.map(
      Arbitrary.all(Array.from({ length: count }, (_, taken) => index(String(items.length - taken)))),
      (places) => {
        const left = [...items.keys()]
        const chosen = new Set(places.flatMap((place) => left.splice(place, 1)))
        return items.filter((_, at) => chosen.has(at))
      }
    )
  )

/** Text with choices in it. */
export const text = (parts: TemplateStringsArray, ...choices: ReadonlyArray<Any<unknown>>): Any<string> =>
  Arbitrary.map(Arbitrary.all(choices), (values) => String.raw({ raw: parts }, ...values))
