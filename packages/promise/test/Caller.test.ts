import { assert, describe, it } from "@effect/vitest"
import * as Caller from "../src/internal/Caller.ts"

const callOf = (line: string) => Object.assign(new Error("a call"), { stack: `Error: a call\n    at ${line}` })

describe("the stack of a thrown error", () => {
  it("begins with the lines of the call, of the first where several get it", () => {
    const error = Object.assign(new Error("it failed"), { stack: "Error: it failed\n    at inside" })
    assert.strictEqual(Caller.named(error, callOf("main.ts:1")), error)
    assert.strictEqual(error.stack, "Error: it failed\n    at main.ts:1\n    at inside")
    Caller.named(error, callOf("main.ts:2"))
    assert.strictEqual(error.stack, "Error: it failed\n    at main.ts:1\n    at inside")
    assert.deepStrictEqual(Object.keys(error), [])
  })

  it("is left to what is no error", () => {
    assert.strictEqual(Caller.named("a reason", callOf("main.ts:1")), "a reason")
  })
})
