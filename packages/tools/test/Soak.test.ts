import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import * as Programs from "../../core/test/Programs.ts"
import * as TestMode from "../../core/test/TestMode.ts"
import * as Verdict from "../src/soak/Verdict.ts"
import type { Vitals } from "../src/soak/Vitals.ts"

const soak = (serving: "sandbox" | "soakService", ...flags: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const [main, service] = [yield* Programs.file("soak"), yield* Programs.file(serving)]
    const child = yield* ChildProcess.make(process.execPath, ["--expose-gc", main, "--service", service, ...flags])
    return yield* Effect.all(
      [
        Stream.mkString(Stream.decodeText(child.stdout)),
        Stream.mkString(Stream.decodeText(child.stderr)),
        child.exitCode
      ],
      { concurrency: "unbounded" }
    )
  })

describe("the soak", () => {
  it.live("works under faults for some seconds, and leaves nothing open", () =>
    Effect.gen(function* () {
      const [stdout, stderr, code] = yield* soak(
        "sandbox",
        "--minutes",
        TestMode.isLong ? "0.08" : "0.02",
        "--faults",
        "3",
        "--seed",
        "1"
      )
      assert.strictEqual(stderr, "")
      assert.strictEqual(code, ChildProcessSpawner.ExitCode(0), stdout)
      assert.match(stdout, /faults at random with seed 1, one request in 3\./)
      // Lines of figures before the end, with more and more records and requests.
      const figures = [...stdout.matchAll(/^\d+ s: (\d+) records, (\d+) requests/gm)]
      assert.isAtLeast(figures.length, 2)
      assert.isAbove(Number(figures.at(-1)?.[1]), 1_000)
      assert.isAbove(Number(figures.at(-1)?.[2]), 10)
      assert.match(stdout, /^ok +calls that failed: none/m)
      assert.notInclude(stdout, "demo-key")
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live.skipIf(!TestMode.isLong)("follows live streams over connections that break, and leaves nothing open", () =>
    Effect.gen(function* () {
      const [stdout, stderr, code] = yield* soak("soakService", "--live", "--minutes", "0.15", "--seed", "1")
      assert.strictEqual(stderr, "")
      assert.strictEqual(code, ChildProcessSpawner.ExitCode(0), stdout)
      assert.match(stdout, /^calls and records: .*records [1-9]/m)
      assert.match(stdout, /^ok +connections in use, once the loops have stopped: none /m)
      assert.notInclude(stdout, "demo-key")
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

const minute = 60_000

const line = (perMinute: number, noise: (n: number) => number = () => 0): ReadonlyArray<Verdict.Point> =>
  Array.from({ length: 181 }, (_, second) => ({
    at: second * 1_000,
    value: 300e6 + (second / 60) * perMinute + noise(second)
  }))

const vitals: Vitals = { rss: 300e6, heap: 50e6, handles: { PipeWrap: 1, Timeout: 2 }, sockets: 1, fibers: 1 }

const evidence: Verdict.Evidence = {
  lasted: 3 * minute,
  rss: line(0),
  heap: line(0),
  process: { before: vitals, after: vitals },
  client: { before: vitals, after: vitals, inFlight: 0, waiting: 0 },
  counts: { records: 10, complete: 1, failed: [] },
  connections: 0,
  defects: [],
  warnings: []
}

const missed = (changes: Partial<Verdict.Evidence>) =>
  Verdict.of({ ...evidence, ...changes })
    .filter(({ isKept }) => !isKept)
    .map(({ seen, what }) => `${what}: ${seen}`)

describe("the verdict", () => {
  it("finds the slope of a line through noise", () => {
    assert.closeTo(Verdict.slope(line(7e6, (n) => (n % 2 === 0 ? 3e6 : -3e6))), 7e6, 0.1e6)
    assert.strictEqual(Verdict.slope([]), 0)
    assert.strictEqual(Verdict.slope([{ at: 5, value: 1 }]), 0)
  })

  it("accepts a run that is stable", () => {
    assert.deepStrictEqual(missed({}), [])
  })

  it("finds memory that grows in the second half, and ignores the first", () => {
    const warmingUp = line(0).map(({ at, value }) => ({ at, value: at < minute ? value - 100e6 : value }))
    assert.deepStrictEqual(missed({ rss: warmingUp, heap: warmingUp }), [])
    assert.deepStrictEqual(missed({ heap: line(5e6) }), ["objects after collection, second half: +5.00 MB a minute"])
    assert.deepStrictEqual(missed({ rss: line(50e6) }), ["resident memory, second half: +50.00 MB a minute"])
    assert.deepStrictEqual(missed({ rss: line(50e6), lasted: minute }), [])
  })

  it("finds what is left open", () => {
    const left = { ...vitals, handles: { ...vitals.handles, TCPSocketWrap: 1 }, sockets: 2, fibers: 3 }
    assert.deepStrictEqual(missed({ process: { before: vitals, after: left } }), [
      "fibers, once the client is closed: 3",
      "handles, once the client is closed: Timeout 2, PipeWrap 1, TCPSocketWrap 1",
      "sockets, once the client is closed: 2"
    ])
    assert.deepStrictEqual(missed({ client: { before: vitals, after: left, inFlight: 1, waiting: 2 } }), [
      "fibers, once the loops have stopped: 3",
      "requests in flight, once the loops have stopped: 1",
      "requests waiting, once the loops have stopped: 2"
    ])
    // Fewer than before is no leak.
    assert.deepStrictEqual(missed({ process: { before: left, after: vitals } }), [])
  })

  it("finds connections, failed calls, defects and warnings", () => {
    assert.deepStrictEqual(
      missed({
        counts: { ...evidence.counts, failed: ["a 503"] },
        connections: 2,
        defects: ["TypeError: oh"],
        warnings: ["MaxListenersExceededWarning: 11 close listeners"]
      }),
      [
        "connections in use, once the loops have stopped: 2",
        "calls that failed: 1: a 503",
        "defects: 1: TypeError: oh",
        "warnings of Node.js: 1: MaxListenersExceededWarning: 11 close listeners"
      ]
    )
  })
})
