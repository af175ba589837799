import { isDeepStrictEqual } from "node:util"
import { assert } from "@effect/vitest"

/** Compares values, their prototypes and symbols too, and tells the difference where there is one. */
export const assertSame = (actual: unknown, expected: unknown, message?: string): void => {
  if (isDeepStrictEqual(actual, expected)) return
  assert.deepStrictEqual(actual, expected, message)
  assert.fail(`${message ?? "values"}: equal but for a prototype or a symbol`)
}
