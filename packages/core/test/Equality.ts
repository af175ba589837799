/**
 * Runs before the files of tests. Compares in depth by Node.js first, and by chai, which takes ten times as long for many
 * records, only what Node.js finds different: chai has the last word, as it ignores prototypes and symbols.
 */
import { isDeepStrictEqual } from "node:util"
import { chai } from "vitest"

Object.assign(chai.config, {
  deepEqual: (expected: unknown, actual: unknown) =>
    isDeepStrictEqual(expected, actual) || chai.util.eql(expected, actual)
})
