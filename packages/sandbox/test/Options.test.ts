// What a program in JavaScript may give: no compiler has looked at it.
import { assert, describe, it } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"

// Type boundary: what the compiler refuses is what is tested.
const unchecked = (value: unknown) => value as never

const faults: ReadonlyArray<readonly [object, string, ReadonlyArray<string>]> = [
  [{ plann: "trial" }, "plann", ["port", "plan", "latency"]],
  [{ live: { sped: 10 } }, "live.sped", ["from", "speed", "httpLag"]],
  [{ streams: { que: 1 } }, "streams.que", ["queue"]],
  [{ history: { sead: 1 } }, "history.sead", ["seed"]]
]

describe("An unknown option", () => {
  it.each(faults)("is refused by its name: %o", (options, option, known) => {
    try {
      Sandbox.memory(unchecked(options))
    } catch (error) {
      assert.instanceOf(error, Sandbox.UnknownOption)
      assert.strictEqual(error.option, option)
      assert.includeMembers([...error.known], [...known])
      return assert.match(error.message, /^[a-z.]+: is no option of the stand-in; there are [a-zA-Z, ]+$/)
    }
    assert.fail("it was to be refused")
  })

  const layers = {
    layer: Sandbox.layer(unchecked({ plann: "trial" })),
    layerMemory: Sandbox.layerMemory(unchecked({ plann: "trial" })),
    layerClient: Sandbox.layerClient(() => Layer.empty, unchecked({ plann: "trial", fault: "status=503", key: "k" }))
  }
  it.effect.each(Object.entries(layers))("is refused by %s", ([, layer]) =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(Effect.scoped(Layer.build(Layer.fresh(layer))))
      assert(Exit.isFailure(exit))
      assert.instanceOf(Cause.squash(exit.cause), Sandbox.UnknownOption)
    })
  )

  it("is none of those that there are", () => {
    const all = {
      plan: "trial",
      live: true,
      history: { seed: 2 },
      streams: {},
      keys: { other: { plan: "trial" } }
    } as const
    assert.strictEqual(Sandbox.memory({ ...all, fault: "status=503", key: "k" }).apiKey, "k")
  })
})
