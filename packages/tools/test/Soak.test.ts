import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import * as Programs from "../../core/test/Programs.ts"
import * as TestMode from "../../core/test/TestMode.ts"
import * as Vitals from "../src/soak/Vitals.ts"

describe("the soak", () => {
  it.live("works under faults for some seconds, and leaves nothing open", () =>
    Effect.gen(function* () {
      const [main, service] = [yield* Programs.file("soak"), yield* Programs.file("sandbox")]
      const args = ["--service", service, "--minutes", TestMode.isLong ? "0.15" : "0.02"]
      const child = yield* ChildProcess.make(process.execPath, ["--expose-gc", main, ...args])
      const [output, code] = yield* Effect.all([Stream.mkString(Stream.decodeText(child.all)), child.exitCode], {
        concurrency: "unbounded"
      })
      assert.strictEqual(code, ChildProcessSpawner.ExitCode(0), output)
      // Lines of figures before the end, with more and more records.
      const figures = [...output.matchAll(/^\d+ s: (\d+) records, \d+ requests/gm)]
      assert.isAtLeast(figures.length, 2)
      assert.isAbove(Number(figures.at(-1)?.[1]), 1_000)
      assert.match(output, /^Stable: nothing is left open, and nothing has failed\.$/m)
      assert.notInclude(output, "demo-key")
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

/** Three minutes, in which resident memory and objects have so many bytes at a second. */
const run = (rss: (second: number) => number, heap = rss) =>
  Array.from({ length: 181 }, (_, second) => ({ at: second * 1_000, rss: rss(second), heap: heap(second) }))

const tooMuch = (samples: ReadonlyArray<Vitals.Sample>) => Vitals.growth(samples).map(({ isTooMuch }) => isTooMuch)

const growing = (perMinute: number) => (second: number) => 300e6 + (second / 60) * perMinute

/** The same, with what a reader remembers for 40 seconds and drops at once. */
const dropped = (perMinute: number) => (second: number) => growing(perMinute)(second) + (second % 40) * 1e5

describe("the vitals", () => {
  it("find memory that grows in the second half, and ignore the first", () => {
    assert.deepStrictEqual(tooMuch(run((second) => (second < 60 ? 200e6 : 300e6))), [false, false])
    assert.deepStrictEqual(tooMuch(run(growing(0), growing(1e6))), [false, true])
    assert.deepStrictEqual(tooMuch(run(growing(50e6), growing(0))), [true, false])
    assert.deepStrictEqual(tooMuch(run(growing(50e6)).slice(0, 60)), [])
  })

  it("find it below what is remembered and dropped again", () => {
    assert.deepStrictEqual(tooMuch(run(dropped(0))), [false, false])
    assert.deepStrictEqual(tooMuch(run(dropped(0), dropped(2e6))), [false, true])
  })

  it("find what is left open, and nothing where there is less than before", () => {
    const [few, many] = [
      { sockets: 1, fibers: 1 },
      { sockets: 2, fibers: 1, TCPSocketWrap: 1 }
    ]
    assert.deepStrictEqual(Vitals.left(few, many), ["sockets: 2 instead of 1", "TCPSocketWrap: 1 instead of 0"])
    assert.deepStrictEqual(Vitals.left(few, many, ["fibers"]), [])
    assert.deepStrictEqual(Vitals.left(many, few), [])
  })
})
