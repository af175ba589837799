import { assert, layer } from "@effect/vitest"
import { type ApiError, Timeseries } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { NodeClient } from "@sluice/node"
import * as TestMode from "../../core/test/TestMode.ts"
import { large, outcome, paged, streamed, summary, underFault, withClient } from "./Harness.ts"

type Formats = ReadonlyArray<keyof typeof sources>

/** A fault that passes: one request is met with it, and the records must not show it. */
interface Passing {
  readonly fault: string
  readonly formats: Formats
  /** How it ends when every request is met with it; absent when even that does no harm. */
  readonly always?: { readonly _tag: ApiError.ApiError["_tag"] } & Readonly<Record<string, unknown>>
  /**
   * Of lines, when every request is met with it: complete, where each brings some and the next goes on from there; not
   * tried, where that takes too long or a reset may swallow them.
   */
  readonly linesAlways?: "complete" | "not tried"
}

const sources = { pages: paged, lines: streamed }

/** The records of both, read without a fault, once for all tests: they are the same of every stand-in. */
const clean = Effect.runSync(Effect.cached(Effect.provide(withClient(Stream.runCollect(paged)), Sandbox.layer())))
const both: Formats = ["pages", "lines"]
const body = { _tag: "Unavailable", phase: "body", attempts: 3 } as const
const reply = (status: number) => ({ _tag: "Unavailable", phase: "reply", attempts: 3, status }) as const

const passing: ReadonlyArray<Passing> = [
  { fault: "status=503;body=html", formats: both, always: reply(503) },
  { fault: "status=524;body=html;headers=none", formats: both, always: reply(524) },
  { fault: "reset", formats: both, always: { _tag: "Unavailable", phase: "reply", attempts: 3 } },
  { fault: "reset-after=0", formats: both, always: body },
  { fault: "reset-after=700", formats: both, always: body, linesAlways: "not tried" },
  { fault: "stall", formats: both, always: { _tag: "Unavailable", phase: "reply", attempts: 3 } },
  { fault: "stall-after=700", formats: both, always: body, linesAlways: "not tried" },
  { fault: "truncate-after=700", formats: both, always: body, linesAlways: "complete" },
  { fault: "cut-line=1", formats: ["lines"], always: body },
  { fault: "cut-line=120", formats: ["lines"], always: body, linesAlways: "complete" },
  { fault: "error-body", formats: both, always: reply(200) },
  { fault: "error-line=90", formats: ["lines"], always: reply(200), linesAlways: "complete" },
  { fault: "empty-page", formats: ["pages"] },
  { fault: "blank-lines", formats: ["lines"] },
  { fault: "crlf", formats: ["lines"] },
  { fault: "slow=5", formats: both }
]

/**
 * A time limit that a test can wait for, where it has to. A short one ends good requests too on a busy machine, which changes
 * nothing where every request stalls.
 */
const limits = (fault: string, limit: "1 second" | "150 millis"): NodeClient.Options => {
  if (fault === "stall") return { firstByte: limit }
  return fault.startsWith("stall-after") ? { idle: limit } : {}
}

layer(Sandbox.layer(), { excludeTestServices: true })("faults that pass", (it) => {
  for (const gzip of [true, false]) {
    const how = gzip ? "compressed" : "plain"
    for (const { fault, formats } of passing) {
      // A refusal is the same beside compressed bodies and plain ones.
      if (!gzip && !TestMode.isLong && fault.startsWith("status")) continue
      const options = { ...limits(fault, "1 second"), gzip }
      for (const format of formats) {
        const source = sources[format]
        it.effect(`${fault} once: ${how} ${format} lose and repeat nothing`, () =>
          Effect.gen(function* () {
            const sandbox = yield* Sandbox.Sandbox
            const kind = fault.replace(/[=;].*$/, "")
            const before = (yield* sandbox.stats).faults[kind] ?? 0
            const met = yield* underFault(`${fault};times=1;id=${how}-${format}`, Stream.runCollect(source), options)
            assert.strictEqual((yield* sandbox.stats).faults[kind], before + 1)
            assert.deepStrictEqual(met, yield* clean)
          })
        )
        if (format === "pages" && (gzip || TestMode.isLong)) {
          it.effect(`${fault} on the third page: ${how} pages go on from there`, () =>
            Effect.gen(function* () {
              const met = yield* underFault(`${fault};page=3;id=${how}`, Stream.runCollect(source), options)
              assert.deepStrictEqual(met, yield* clean)
            })
          )
        }
      }
    }
  }

  for (const { fault, linesAlways, formats, ...ends } of passing) {
    for (const format of formats) {
      if (format === "lines" && linesAlways === "not tried") continue
      const always = format === "lines" && linesAlways === "complete" ? undefined : ends.always
      it.effect(
        always === undefined
          ? `${fault} always: ${format} are complete all the same`
          : `${fault} always: ${format} end in ${always._tag} after three attempts`,
        () =>
          Effect.gen(function* () {
            const whole = yield* clean
            const { error, records } = yield* underFault(
              `${fault};id=always-${format}`,
              outcome(sources[format]),
              limits(fault, "150 millis")
            )
            assert.deepStrictEqual(summary(error), always)
            assert.deepStrictEqual(records, whole.slice(0, always === undefined ? whole.length : records.length))
          })
      )
    }
  }

  for (const gzip of [true, false]) {
    for (const kind of TestMode.isLong
      ? ["reset-after", "truncate-after"]
      : [gzip ? "reset-after" : "truncate-after"]) {
      it.effect(
        `${kind} twice, megabytes into a body, ${gzip ? "compressed" : "plain"}: lines lose and repeat nothing`,
        () =>
          Effect.gen(function* () {
            const source = Stream.runCollect(Timeseries.assetMetrics({ ...large, format: "json_stream" }))
            const clean = yield* withClient(source)
            const spec = `${kind}=1300000;times=1;id=${gzip},${kind}=2600000;after=1;times=1;id=${gzip}`
            const sandbox = yield* Sandbox.Sandbox
            const before = (yield* sandbox.stats).faults[kind] ?? 0
            const met = yield* underFault(spec, source, { gzip })
            assert.strictEqual((yield* sandbox.stats).faults[kind], before + 2)
            assert.isAbove(clean.length, 60_000)
            assert.strictEqual(met.length, clean.length)
            // Far quicker than a comparison in depth of so many.
            assert.strictEqual(JSON.stringify(met) === JSON.stringify(clean), true)
          })
      )
    }
  }
})
