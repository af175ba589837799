/** Values that many options may have. */
import type * as Root from "@sluice/core/Root"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"

const lengthOf = (value: unknown) =>
  // Type boundary: what is no length gives none.
  Option.getOrUndefined(Duration.fromInput(value as Duration.Input))

const isLength = (value: unknown): value is Duration.Input => {
  const length = lengthOf(value)
  return length !== undefined && !Duration.isNegative(length)
}

const isPositive = (value: unknown): value is Duration.Input => {
  const length = lengthOf(value)
  return length !== undefined && Duration.isPositive(length)
}

/** A length of time, of which the layer that takes it says which there may be. */
export const anyLength = Schema.declare((value: unknown): value is Duration.Input => lengthOf(value) !== undefined, {
  expected: 'a length of time such as "30 seconds", or a number of milliseconds'
})

export const length = Schema.declare(isLength, { expected: 'a length of time such as "2 days"' })

/** A length of time above zero. */
export const interval = Schema.declare(isPositive, { expected: 'a length of time above zero such as "1 minute"' })

/** How many of something, such as requests at the same time. A fraction counts as the number below, and Infinity is allowed. */
export const count = Schema.Number.check(
  Schema.makeFilter((value: number) => value >= 1, { expected: "a number from 1 up" })
)

/** How often something is repeated. */
export const times = Schema.Number.check(
  Schema.makeFilter((value: number) => value >= 0, { expected: "a number from 0 up" })
)

/** A whole number above zero. */
export const whole = Schema.Number.check(
  Schema.makeFilter((value: number) => Number.isSafeInteger(value) && value >= 1, {
    expected: "a whole number from 1 up"
  })
)

const filled = (expected: string) =>
  Schema.String.check(Schema.makeFilter((text: string) => text.trim() !== "", { expected }))

/** The path of a folder. Empty text would be the folder that the process happens to be in. */
export const folder = filled('the path of a folder, and "." is this one')

export const file = filled("the path of a file")

export const text = filled("text that is not empty")

/** Text, or text that is not to be shown. */
export const secret = Schema.declare(
  (value: unknown): value is string | Redacted.Redacted =>
    Predicate.isString(value) || (Redacted.isRedacted(value) && Predicate.isString(Redacted.value(value))),
  { expected: "text, or a Redacted of it" }
)

export const redacted = Schema.declare(
  (value: unknown): value is Redacted.Redacted =>
    Redacted.isRedacted(value) && Predicate.isString(Redacted.value(value)),
  { expected: "a Redacted: Redacted.make(text)" }
)

// Type boundary of the types below that a caller names: what is in an object, or in the arguments of a function, is
// checked elsewhere, or by TypeScript alone.

/** An object whose members are checked elsewhere. */
export const object = <A extends object>() =>
  Schema.declare((value: unknown): value is A => Predicate.isObject(value), { expected: "an object" })

/** Where a service is: one of the roots of `Root`, a `URL`, or text. */
export const root = Schema.declare(
  (value: unknown): value is Root.Input =>
    Predicate.isString(value) ||
    value instanceof URL ||
    (Predicate.hasProperty(value, "url") && Predicate.isString(value.url)),
  { expected: "a URL, or Root.paid or Root.community" }
)

/** When to repeat something. */
export const schedule = <S extends Schedule.Schedule<unknown, never>>() =>
  Schema.declare((value: unknown): value is S => Schedule.isSchedule(value), { expected: "a Schedule" })

/** Tells signals from other values. That of another realm, or of a polyfill, is no instance of the class here. */
export const isSignal = (value: unknown): value is AbortSignal =>
  Predicate.hasProperty(value, "aborted") &&
  Predicate.hasProperty(value, "addEventListener") &&
  Predicate.isFunction(value.addEventListener)

/** What may end something early. */
export const signal = Schema.declare(isSignal, { expected: "an AbortSignal" })

export const callback = <F>() =>
  Schema.declare((value: unknown): value is F => Predicate.isFunction(value), { expected: "a function" })
