import { assert, layer } from "@effect/vitest"
import { Bulk, Client, type Endpoint, Endpoints, Timestamp } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { assertSame } from "../../core/test/Same.ts"
import * as TestMode from "../../core/test/TestMode.ts"
import * as ExampleParams from "./ExampleParams.ts"
import { inVirtualTime, settings } from "./Harness.ts"

/** Runs a program with a client of a stand-in within the process, both on the test clock, under a fault of its own. */
const reads = <A, E>(program: Effect.Effect<A, E, Client.Client>, fault?: string) =>
  Effect.gen(function* () {
    const { faultUrl, url } = yield* Sandbox.Sandbox
    const root = fault === undefined ? url : faultUrl(fault)
    const client = yield* Client.make({ ...settings, root, plan: "download", onDisorder: "fail" })
    return yield* inVirtualTime(Effect.provideService(program, Client.Client, client))
  })

// Type boundary: the parameters are checked when the stream runs.
const read = (endpoint: Endpoint.Any, params: object = {}, options: Endpoint.CallOptions = {}) =>
  Stream.runCollect(endpoint({ ...ExampleParams.of(endpoint), ...params } as never, options))

/** The records of a series, read once for all tests of it. */
const wholeOf = (() => {
  const known = new Map<string, ReadonlyArray<unknown>>()
  return Effect.fnUntraced(function* (endpoint: Endpoint.Any) {
    const earlier = known.get(endpoint.path)
    if (earlier !== undefined) return earlier
    const records = yield* read(endpoint)
    known.set(endpoint.path, records)
    return records
  })
})()

const nanos = (time: string) => Result.getOrThrow(Timestamp.toEpochNanos(time))

/** The time by which a series is cut. */
const timeOf = (record: unknown) => {
  const name = ["time", "consensus_time", "creation_time"].find((name) => Reflect.has(record as object, name)) ?? ""
  return String(Reflect.get(record as object, name))
}

const sorted = (records: ReadonlyArray<unknown>) => records.map((record) => JSON.stringify(record)).toSorted()

const series = Endpoints.entries
  .filter(({ endpoint }) => endpoint.order === "series")
  .map(({ endpoint, name, section }, index) => ({ endpoint, index, name: `${section}.${name}` }))

// Without these two, the boundary between two parts would belong to both.
const cuttable = series.filter(({ endpoint }) => endpoint.parameters.has("end_inclusive"))

const streamed = series.filter(({ endpoint }) => endpoint.formats.includes("json_stream"))

layer(Sandbox.layerMemory())("series", (it) => {
  it.effect.each(series)("$name is the same in pages of any size, from either end", ({ endpoint }) =>
    Effect.gen(function* () {
      const whole = yield* wholeOf(endpoint)
      assert.isAbove(whole.length, 50)
      // Of records that share a time some stand on one page, and some on the next. A long run reads smaller pages from the
      // start, too, and large ones from the end.
      for (const page_size of TestMode.isLong ? [7, 64] : [64]) {
        assertSame(yield* read(endpoint, { page_size }), whole)
      }
      for (const page_size of TestMode.isLong ? [7, 64] : [17]) {
        assertSame(yield* read(endpoint, { page_size, paging_from: "end" }), whole.toReversed())
      }
    }).pipe(reads)
  )

  it.effect.each(TestMode.eachNth(cuttable, 3))(
    "$name is the same cut along time and its entities, with a border on a record",
    ({ endpoint, index }) =>
      Effect.gen(function* () {
        const whole = yield* wholeOf(endpoint)
        const { end_time: end = "", start_time: start = "" } = ExampleParams.of(endpoint)
        const times = whole.map((record) => timeOf(record))
        // The time of several records of one entity, where there is one.
        const border =
          times.find((time, index) => index > 3 && time === times[index + 1]) ?? times[(times.length >> 2) + 1]!
        const asked = ExampleParams.of(endpoint)
        const by = endpoint.splits.find((name) => Object.hasOwn(asked, name))
        const cut = (params: object, from: string, to: string) =>
          // Type boundary: every series takes a range.
          Bulk.split(endpoint, { ...ExampleParams.of(endpoint), ...params } as never, {
            by,
            every: (nanos(to) - nanos(from)) / 4n
          })
        const before = yield* cut({ end_time: border, end_inclusive: false }, start, border)
        const after = yield* cut({ start_time: border }, border, end)
        const inOrder = sorted(whole)
        for (const order of TestMode.oneOf(["parts", "arrival"] as const, index)) {
          const read = (parts: ReadonlyArray<Bulk.Part>) => Stream.runCollect(Bulk.records(endpoint, parts, { order }))
          const records = [...(yield* read(before)), ...(yield* read(after))]
          assertSame(sorted(records), inOrder)
        }
      }).pipe(reads)
  )
})

const cuts = ["reset-after=record:11", "reset-after=within:40", "close-after=record:90;framing=none"]

layer(Sandbox.layerMemory())("a json_stream of a series", (it) => {
  for (const { endpoint, index, name } of streamed) {
    it.effect.each(TestMode.oneOf(cuts, index))(
      `gives the records of ${name} once each, its end checked, under %s`,
      (cut) =>
        Effect.gen(function* () {
          const lines = yield* read(endpoint, { format: "json_stream" }, { checkEnd: true })
          assertSame(lines, yield* wholeOf(endpoint))
        }).pipe((program) =>
          reads(program, `${cut};times=1;id=${endpoint.path.split("/").at(-1)}-${cuts.indexOf(cut)}`)
        )
    )
  }
})
