import { assert, describe, it } from "@effect/vitest"
import { Retry } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as FakeApi from "./FakeApi.ts"
import * as TestMode from "./TestMode.ts"
import { readAssets as read } from "./ReadAssets.ts"

const asked = "/reference-data/assets?format=json_stream"
const names = ["a", "b", "c", "d"]
const whole = FakeApi.lines(names)

/** The beginning of the stream, up to so many characters, after which the connection breaks. */
const cutAfter = (length: number): FakeApi.Reply => ({ body: [whole.slice(0, length), FakeApi.cut] })

/** The beginning of the stream, after which the body ends as if it were complete. */
const endAfter = (length: number): FakeApi.Reply => ({ body: whole.slice(0, length) })

const unterminated = whole.slice(0, -1)

describe("JsonStream, resumed", () => {
  it.effect("resumes a stream that is cut inside a line, without loss or repetition", () =>
    Effect.gen(function* () {
      const inside = whole.indexOf('"c"')
      const result = yield* read([cutAfter(inside), { body: whole }])
      assert.deepStrictEqual(result, { names, error: undefined, requests: [asked, asked], open: 0 })
    })
  )

  it.effect("resumes a body that ends inside a line as if it were complete", () =>
    Effect.gen(function* () {
      const result = yield* read([endAfter(whole.indexOf('"c"')), { body: whole }])
      assert.deepStrictEqual(result, { names, error: undefined, requests: [asked, asked], open: 0 })
    })
  )

  it.effect("resumes a stream whose connection breaks between two lines", () =>
    Effect.gen(function* () {
      const result = yield* read([cutAfter(FakeApi.lines(["a", "b"]).length), { body: whole }])
      assert.deepStrictEqual(result, { names, error: undefined, requests: [asked, asked], open: 0 })
    })
  )

  it.effect("resumes when the connection breaks before the first byte", () =>
    Effect.gen(function* () {
      const result = yield* read([cutAfter(0), FakeApi.cut, { body: whole }])
      assert.deepStrictEqual(result, { names, error: undefined, requests: [asked, asked, asked], open: 0 })
    })
  )

  it.effect("resumes when an attempt in between is refused for a while", () =>
    Effect.gen(function* () {
      const result = yield* read([cutAfter(40), { status: 503 }, { status: 429 }, { body: whole }])
      assert.deepStrictEqual(result, { names, error: undefined, requests: Array(4).fill(asked), open: 0 })
    })
  )

  it.effect.prop(
    "loses and repeats nothing wherever it is cut, time and again",
    { cuts: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: whole.length }))) },
    ({ cuts }) =>
      Effect.gen(function* () {
        const result = yield* read([...cuts.slice(0, 6).map(cutAfter), { body: whole }])
        assert.isUndefined(result.error)
        assert.deepStrictEqual(result.names, names)
      }),
    { arbitrary: { runs: TestMode.times(30, 300) } }
  )

  it.effect("is not misled by blank lines that come at other places than before", () =>
    Effect.gen(function* () {
      const result = yield* read([
        { body: ["\n\n", FakeApi.lines(["a"]), "\n", FakeApi.lines(["b"]), "\n", FakeApi.cut] },
        { body: `${FakeApi.lines(["a", "b"])}\n\n${FakeApi.lines(["c"])}\n${FakeApi.lines(["d"])}` }
      ])
      assert.isUndefined(result.error)
      assert.deepStrictEqual(result.names, names)
    })
  )

  it.effect("counts the lines of the resumed reply, passed over and blank ones too, to place a broken one", () =>
    Effect.gen(function* () {
      const broken = { body: `\n${FakeApi.lines(["a"])}\n${FakeApi.lines(["b", "c"])}oops\n` }
      const result = yield* read([cutAfter(FakeApi.lines(["a", "b"]).length), broken, broken])
      assert.deepStrictEqual(result.names, ["a", "b", "c"])
      assert.strictEqual(result.error?._tag, "Decode")
      assert.deepInclude(result.error, { line: 6, path: "" })
      assert.deepStrictEqual(result.requests, [asked, asked, asked])
    })
  )

  it.effect("is not misled by line ends that differ from reply to reply", () =>
    Effect.gen(function* () {
      const result = yield* read([cutAfter(FakeApi.lines(["a", "b"]).length), { body: whole.replaceAll("\n", "\r\n") }])
      assert.isUndefined(result.error)
      assert.deepStrictEqual(result.names, names)
    })
  )

  it.effect("fails, when asked twice, where the records before the cut have changed", () =>
    Effect.gen(function* () {
      const changed = { body: FakeApi.lines(["a", "x", "c", "d"]) }
      const result = yield* read([cutAfter(FakeApi.lines(["a", "b"]).length), changed, changed])
      assert.deepStrictEqual(result.names, ["a", "b"])
      assert.strictEqual(result.error?._tag, "Unavailable")
      assert.deepInclude(result.error, { transient: false, phase: "body" })
      assert.strictEqual(result.requests.length, 3)
    })
  )

  it.effect("fails, when asked twice, where a record was put in before the cut", () =>
    Effect.gen(function* () {
      const changed = { body: FakeApi.lines(["0", "a", "b", "c", "d"]) }
      const result = yield* read([cutAfter(FakeApi.lines(["a", "b"]).length), changed, changed])
      assert.deepStrictEqual(result.names, ["a", "b"])
      assert.deepInclude(result.error, { _tag: "Unavailable", transient: false } as const)
      assert.strictEqual(result.requests.length, 3)
    })
  )

  it.effect("fails, when asked twice, where the resumed stream is shorter than what was already read", () =>
    Effect.gen(function* () {
      const short = { body: FakeApi.lines(["a", "b"]) }
      const result = yield* read([cutAfter(FakeApi.lines(["a", "b", "c"]).length), short, short])
      assert.deepStrictEqual(result.names, ["a", "b", "c"])
      assert.deepInclude(result.error, { _tag: "Unavailable", transient: false } as const)
      assert.strictEqual(result.requests.length, 3)
    })
  )

  it.effect("goes on where a resumed reply alone was damaged or too short", () =>
    Effect.gen(function* () {
      const result = yield* read([
        cutAfter(FakeApi.lines(["a", "b"]).length),
        { body: FakeApi.lines(["a", "x", "c", "d"]) },
        { body: FakeApi.lines(["a", "b", "c"]).slice(0, -1) },
        { body: whole }
      ])
      assert.deepStrictEqual(result, { names, error: undefined, requests: Array(4).fill(asked), open: 0 })
    })
  )

  it.effect("asks again when the last line end is missing once", () =>
    Effect.gen(function* () {
      const result = yield* read([{ body: unterminated }, { body: whole }])
      assert.deepStrictEqual(result, { names, error: undefined, requests: [asked, asked], open: 0 })
    })
  )

  it.effect("takes a last line end missing twice at the same place for the service's habit", () =>
    Effect.gen(function* () {
      const result = yield* read([{ body: unterminated }, { body: unterminated }])
      assert.deepStrictEqual(result, { names, error: undefined, requests: [asked, asked], open: 0 })
    })
  )

  it.effect("takes no cut after a whole record for the habit, when the reply before was cut inside that record", () =>
    Effect.gen(function* () {
      const end = FakeApi.lines(["a", "b", "c"]).length - 1
      const result = yield* read([endAfter(end - 5), endAfter(end), { body: whole }])
      assert.isUndefined(result.error)
      assert.deepStrictEqual(result.names, names)
    })
  )

  it.effect("never takes half a record for the service's habit", () =>
    Effect.gen(function* () {
      const half = endAfter(whole.indexOf('"d"'))
      const result = yield* read([half, half, half], { retry: Retry.make({ times: 2 }) })
      assert.deepStrictEqual(result.names, ["a", "b", "c"])
      assert.deepInclude(result.error, { _tag: "Unavailable", transient: true, phase: "body", attempts: 3 } as const)
    })
  )

  it.effect("gives up when it makes no progress, as the policy says", () =>
    Effect.gen(function* () {
      const stuck = cutAfter(FakeApi.lines(["a"]).length)
      const result = yield* read(Array(4).fill(stuck), { retry: Retry.make({ times: 3 }) })
      assert.deepStrictEqual(result.names, ["a"])
      assert.deepInclude(result.error, { _tag: "Unavailable", phase: "body", attempts: 4 } as const)
      assert.deepStrictEqual(result.requests, Array(4).fill(asked))
    })
  )

  it.effect("restarts the retry policy whenever records have arrived", () =>
    Effect.gen(function* () {
      const steps = names.flatMap((_, index) => {
        const length = FakeApi.lines(names.slice(0, index + 1)).length
        return [cutAfter(length), cutAfter(length)]
      })
      const result = yield* read([...steps, { body: whole }], { retry: Retry.make({ times: 2 }) })
      assert.isUndefined(result.error)
      assert.deepStrictEqual(result.names, names)
      assert.strictEqual(result.requests.length, 9)
    })
  )

  it.effect("retries an error line that says to come back later", () =>
    Effect.gen(function* () {
      const slow = '{"error":{"type":"rate_limit_exceeded","message":"slow down"}}\n'
      const result = yield* read([{ body: FakeApi.lines(["a", "b"]) + slow }, { body: whole }])
      assert.isUndefined(result.error)
      assert.deepStrictEqual(result.names, names)
    })
  )

  it.effect("hears an error that begins a resumed reply, where records were already delivered", () =>
    Effect.gen(function* () {
      const forbidden = '{"error":{"type":"forbidden","message":"not yours any more"}}\n'
      const result = yield* read([cutAfter(FakeApi.lines(["a", "b"]).length), { body: forbidden }])
      assert.deepStrictEqual(result.names, ["a", "b"])
      assert.deepInclude(result.error, { _tag: "Forbidden", reason: "not yours any more" } as const)
      assert.deepStrictEqual(result.requests, [asked, asked])
    })
  )

  it.effect("retries an error that begins a resumed reply and says to come back later", () =>
    Effect.gen(function* () {
      const slow = '{"error":{"type":"rate_limit_exceeded","message":"slow down"}}\n'
      const result = yield* read([cutAfter(FakeApi.lines(["a", "b"]).length), { body: slow }, { body: whole }])
      assert.deepStrictEqual(result, { names, error: undefined, requests: [asked, asked, asked], open: 0 })
    })
  )

  it.effect("releases its permit before it sends the request again: one permit is enough", () =>
    Effect.gen(function* () {
      const result = yield* read([cutAfter(40), cutAfter(60), { body: whole }], { parallel: 1 })
      assert.isUndefined(result.error)
      assert.deepStrictEqual(result.names, names)
    })
  )
})
