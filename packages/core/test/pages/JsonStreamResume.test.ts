import { assert, describe, it } from "@effect/vitest"
import { type Client, Retry } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as FakeApi from "../FakeApi.ts"
import * as TestMode from "../TestMode.ts"
import { readAssets as read } from "../ReadAssets.ts"

const asked = "/reference-data/assets?format=json_stream"
const names = ["a", "b", "c", "d"]
const { lines } = FakeApi
const whole = { body: lines(names) }

/** The beginning of the stream, up to so many characters, after which the connection breaks. */
const cutAfter = (length: number): FakeApi.Reply => ({ body: [whole.body.slice(0, length), FakeApi.cut] })

/** The beginning of the stream, after which the body ends as if it were complete. */
const endAfter = (length: number): FakeApi.Reply => ({ body: whole.body.slice(0, length) })

const [one, two, three] = [1, 2, 3].map((count) => lines(names.slice(0, count)).length) as [number, number, number]

/** Inside the third line. */
const inside = whole.body.indexOf('"c"')

const unterminated = endAfter(whole.body.length - 1)

const slow = '{"error":{"type":"rate_limit_exceeded","message":"slow down"}}\n'

/** What a stream survives: it has all records, and asks once for each reply. */
const survived: ReadonlyArray<
  readonly [name: string, script: ReadonlyArray<FakeApi.Script>, options?: Client.Options]
> = [
  ["a cut inside a line", [cutAfter(inside), whole]],
  ["a body that ends inside a line as if it were complete", [endAfter(inside), whole]],
  ["a connection that breaks between two lines", [cutAfter(two), whole]],
  ["a connection that breaks before the first byte", [cutAfter(0), FakeApi.cut, whole]],
  ["an attempt in between that is refused for a while", [cutAfter(40), { status: 503 }, { status: 429 }, whole]],
  [
    "blank lines that come at other places than before",
    [
      { body: ["\n\n", lines(["a"]), "\n", lines(["b"]), "\n", FakeApi.cut] },
      { body: `${lines(["a", "b"])}\n\n${lines(["c"])}\n${lines(["d"])}` }
    ]
  ],
  ["line ends that differ from reply to reply", [cutAfter(two), { body: whole.body.replaceAll("\n", "\r\n") }]],
  [
    "a resumed reply that alone was damaged, and one that alone was too short",
    [cutAfter(two), { body: lines(["a", "x", "c", "d"]) }, endAfter(three - 1), whole]
  ],
  [
    "resumed replies that end between two lines too early, time and again",
    [cutAfter(three), endAfter(one), endAfter(two), endAfter(one), whole]
  ],
  ["a last line end that is missing once", [unterminated, whole]],
  ["a last line end that is missing twice at the same place, the service's habit", [unterminated, unterminated]],
  [
    "a cut after a whole record, which is no habit when the reply before was cut inside that record",
    [endAfter(three - 6), endAfter(three - 1), whole]
  ],
  ["an error line that says to come back later", [{ body: lines(["a", "b"]) + slow }, whole]],
  ["such an error at the beginning of a resumed reply", [cutAfter(two), { body: slow }, whole]],
  [
    "cuts with one permit, which it releases before it asks again",
    [cutAfter(40), cutAfter(60), whole],
    { parallel: 1 }
  ],
  [
    "more cuts than the retry policy has attempts, as long as records arrive",
    [
      ...names.flatMap((_, index) => {
        const cut = cutAfter(lines(names.slice(0, index + 1)).length)
        return [cut, cut]
      }),
      whole
    ],
    { retry: Retry.make({ times: 2 }) }
  ]
]

/** A cut, and twice the same reply. */
const again = (cut: number, body: string): ReadonlyArray<FakeApi.Script> => [cutAfter(cut), { body }, { body }]

const changed = { _tag: "Unavailable", phase: "body", transient: false }

/** What ends a stream, after so many records: it asks once for each reply. */
const fatal: ReadonlyArray<
  readonly [name: string, script: ReadonlyArray<FakeApi.Script>, count: number, error: object, options?: Client.Options]
> = [
  ["records before the cut that have changed, twice", again(two, lines(["a", "x", "c", "d"])), 2, changed],
  ["a record that was put in before the cut, twice", again(two, lines(["0", ...names])), 2, changed],
  [
    "a resumed stream that stays shorter than what was read",
    again(three, lines(["a", "b"])),
    3,
    { _tag: "Unavailable", transient: true, phase: "body", attempts: 3 },
    { retry: Retry.make({ times: 2 }) }
  ],
  [
    "half a record, which is never the service's habit",
    Array(3).fill(endAfter(whole.body.indexOf('"d"'))),
    3,
    { _tag: "Unavailable", transient: true, phase: "body", attempts: 3 },
    { retry: Retry.make({ times: 2 }) }
  ],
  [
    "no progress, after as many attempts as the policy has",
    Array(4).fill(cutAfter(one)),
    1,
    { _tag: "Unavailable", phase: "body", attempts: 4 },
    { retry: Retry.make({ times: 3 }) }
  ],
  [
    "an error at the beginning of a resumed reply",
    [cutAfter(two), { body: '{"error":{"type":"forbidden","message":"not yours any more"}}\n' }],
    2,
    { _tag: "Forbidden", reason: "not yours any more" }
  ],
  [
    "a broken line of a resumed reply, placed by all its lines, those passed over and blank ones too",
    again(two, `\n${lines(["a"])}\n${lines(["b", "c"])}oops\n`),
    3,
    { _tag: "Decode", line: 6, path: "" }
  ]
]

describe("JsonStream, resumed", () => {
  it.effect.each(survived)("survives %s", ([, script, options]) =>
    Effect.gen(function* () {
      const result = yield* read(script, options)
      assert.deepStrictEqual(result, { names, error: undefined, requests: script.map(() => asked), open: 0 })
    })
  )

  it.effect.each(fatal)("ends with %s", ([, script, count, expected, options]) =>
    Effect.gen(function* () {
      const { error, names: came, requests } = yield* read(script, options)
      assert.deepStrictEqual(came, names.slice(0, count))
      assert.deepInclude({ ...error }, expected)
      assert.deepStrictEqual(
        requests,
        script.map(() => asked)
      )
    })
  )

  it.effect.prop(
    "loses and repeats nothing wherever it is cut, time and again",
    { cuts: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: whole.body.length }))) },
    ({ cuts }) =>
      Effect.gen(function* () {
        const result = yield* read([...cuts.slice(0, 6).map(cutAfter), whole])
        assert.isUndefined(result.error)
        assert.deepStrictEqual(result.names, names)
      }),
    { arbitrary: { runs: TestMode.times(30, 300) } }
  )
})
