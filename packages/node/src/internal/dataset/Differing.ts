/**
 * A setting of a job that is another in the dataset.
 */
import { harmless, withoutKey } from "@sluice/core/PlainText"
import * as Predicate from "effect/Predicate"

/** A setting that differs, with both of its values as a message has them: long ones are cut. */
export const differing = (setting: string, kept: unknown, given: unknown) => ({
  setting,
  kept: shown(kept),
  given: shown(given)
})

const shown = (value: unknown): string => {
  if (value === undefined || value === null) return "none"
  const text = harmless(withoutKey(Predicate.isString(value) ? value : JSON.stringify(value)))
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
