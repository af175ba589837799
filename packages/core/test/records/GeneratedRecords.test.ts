import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestMode from "../TestMode.ts"
import { required } from "@sluice/interface/Least"
import * as Expected from "../table/Expected.ts"
import * as Read from "../table/Read.ts"
import * as FakeApi from "../FakeApi.ts"
import * as Fixtures from "../Fixtures.ts"
import { assertSame } from "../Same.ts"

/** Every kind of call of every endpoint, with what it describes; those that one decoder reads are tried once. */
const calls = Read.all.flatMap((operation) =>
  Expected.views(operation)
    .filter(
      ({ params }) => TestMode.isLong || Fixtures.isFirstReader(operation.path, String(new URLSearchParams(params)))
    )
    .map((view) => [operation.path, view.name, { operation, view }] as const)
)

const options = { arbitrary: { runs: TestMode.times(2, 20), size: 20 } }

describe.each(calls)("%s, %s", (path, _, { operation: { endpoint }, view }) => {
  const several = "metrics" in view.params ? { metrics: `${view.params["metrics"]},TxTknCnt` } : {}
  const params = { ...required(path), ...view.params, ...several }
  const record: Schema.Top = endpoint.record(params as never)
  const records = Schema.Array(record)

  /** Reads the records from a reply, and expects those its text holds. */
  const passes = Effect.fnUntraced(function* (
    given: object,
    reply: (texts: ReadonlyArray<string>) => string,
    all: ReadonlyArray<unknown>
  ) {
    const texts = all.map((one) => JSON.stringify(one))
    const api = FakeApi.make([{ body: reply(texts) }])
    const read = yield* Stream.runCollect(endpoint({ ...params, ...given } as never)).pipe(Effect.provide(api.layer()))
    assertSame(
      read,
      texts.map((text) => JSON.parse(text))
    )
  })

  it.effect.prop(
    "hands over whatever records it describes, as they are, from a page",
    { records },
    ({ records }) => passes({}, (texts) => `{"data":[${texts.join(",")}]}`, records),
    options
  )

  it.effect.prop(
    "hands over whatever records it describes, as they are, however large the page",
    { records: Schema.NonEmptyArray(record) },
    ({ records }) => {
      const length = Math.min(TestMode.times(100, 400), endpoint.pageSize ?? 400)
      const many = Array.from({ length }, (_, index) => records[index % records.length])
      return passes({}, (texts) => `{"data":[${texts.join(",")}]}`, many)
    },
    { arbitrary: { ...options.arbitrary, runs: 1 } }
  )

  if (endpoint.formats.includes("json_stream")) {
    it.effect.prop(
      "hands over whatever records it describes, as they are, from a json_stream",
      { records },
      ({ records }) => passes({ format: "json_stream" }, (texts) => texts.map((text) => `${text}\n`).join(""), records),
      options
    )
  }
})
