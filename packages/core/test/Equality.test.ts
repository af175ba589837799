import { assert, chai, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"

class Point {
  readonly x = 1
}

const pairs: ReadonlyArray<readonly [what: string, one: unknown, other: unknown]> = [
  ["a value", { a: [{ b: 1 }] }, { a: [{ b: 2 }] }],
  ["a type", { a: 1 }, { a: "1" }],
  ["an absent key and undefined", {}, { a: undefined }],
  ["the order of a list", [1, 2], [2, 1]],
  ["a length", [1], [1, 1]],
  ["a sign of zero", [0], [-0]],
  ["an error's message", new Error("a"), new Error("b")],
  ["a member of a set", new Set(["a"]), new Set(["b"])],
  ["a value of a map", new Map([["a", 1]]), new Map([["a", 2]])],
  ["bytes", Uint8Array.of(1), Uint8Array.of(2)]
]

/** What Node.js cannot look into: made twice, since an iterator is used up by a comparison. */
const hidden: ReadonlyArray<readonly [what: string, make: (content: string) => unknown]> = [
  ["inherited properties", (a) => Object.create({ a })],
  ["an iterator", (a) => [a].values()],
  [
    "a generator",
    (a) =>
      (function* () {
        yield a
      })()
  ],
  ["an address", (a) => new URL(`http://${a}.test`)],
  ["a secret", (a) => Redacted.make(a)],
  ["a query", (a) => new URLSearchParams({ a })],
  ["headers", (a) => new Headers({ a })]
]

/** Where such a value may be. */
const places: ReadonlyArray<(value: unknown) => unknown> = [
  (value) => value,
  (value) => ({ list: [1, { value }] }),
  (value) => new Map([["a", value]]),
  (value) => Object.assign(new Point(), { value })
]

/** A value that holds itself. */
const ring = () => {
  const value: Record<string, unknown> = { a: 1 }
  value["self"] = value
  return value
}

describe("a comparison in depth", () => {
  for (const [what, one, other] of pairs) {
    it(`finds ${what}, and says what differs`, () => {
      assert.throws(() => assert.deepStrictEqual(one, other), chai.AssertionError)
      assert.deepStrictEqual(one, structuredClone(one))
    })
  }

  for (const [what, make] of hidden) {
    it(`looks into ${what}, wherever it is`, () => {
      for (const [index, place] of places.entries()) {
        const differ = () => assert.deepStrictEqual(place(make("a")), place(make("b")))
        assert.throws(differ, chai.AssertionError, undefined, `place ${index}`)
        assert.deepStrictEqual(place(make("a")), place(make("a")), `place ${index}`)
      }
    })
  }

  it("ends for a value that holds itself", () => {
    assert.deepStrictEqual(ring(), ring())
    assert.throws(() => assert.deepStrictEqual(ring(), { ...ring(), a: 2 }), chai.AssertionError)
  })

  it("finds nothing between a class and a plain object of the same fields, as chai", () => {
    assert.deepStrictEqual<unknown>({ at: new Point() }, { at: { x: 1 } })
    assert.throws(() => assert.deepStrictEqual<unknown>({ at: new Point() }, { at: { x: 2 } }), chai.AssertionError)
  })
})
