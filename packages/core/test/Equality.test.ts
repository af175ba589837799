import { assert, chai, describe, it } from "@effect/vitest"

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

describe("a comparison in depth", () => {
  for (const [what, one, other] of pairs) {
    it(`finds ${what}, and says what differs`, () => {
      assert.throws(() => assert.deepStrictEqual(one, other), chai.AssertionError)
      assert.deepStrictEqual(one, structuredClone(one))
    })
  }

  it("finds nothing between a class and a plain object of the same fields, as chai", () => {
    assert.deepStrictEqual<unknown>({ at: new Point() }, { at: { x: 1 } })
    assert.throws(() => assert.deepStrictEqual<unknown>({ at: new Point() }, { at: { x: 2 } }), chai.AssertionError)
  })
})
