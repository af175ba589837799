import { assert, describe, it } from "@effect/vitest"
import { Endpoints } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Described from "./Described.ts"
import * as FakeApi from "./FakeApi.ts"

/** Parameters with which an endpoint describes the most. */
const fullest = (path: string, parameters: ReadonlyArray<string>) => ({
  ...Described.required(path),
  ...(path === "/timeseries/asset-metrics" ? { metrics: "PriceUSD,TxTknCnt", frequency: "1b" } : {}),
  ...(path.startsWith("/reference-data/") && parameters.includes("include") ? { include: "talos" } : {})
})

const options = { arbitrary: { runs: 15, size: 20 } }

describe.each(Described.all.map((described) => [described.path, described] as const))("%s", (path, described) => {
  const endpoint = Endpoints.all.find((endpoint) => endpoint.path === path)!
  const params = fullest(path, described.parameters)
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
    assert.deepStrictEqual(
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
      const many = Array.from({ length: 400 }, (_, index) => records[index % records.length])
      return passes({}, (texts) => `{"data":[${texts.join(",")}]}`, many)
    },
    { arbitrary: { ...options.arbitrary, runs: 1 } }
  )

  if (described.formats.includes("json_stream")) {
    it.effect.prop(
      "hands over whatever records it describes, as they are, from a json_stream",
      { records },
      ({ records }) => passes({ format: "json_stream" }, (texts) => texts.map((text) => `${text}\n`).join(""), records),
      options
    )
  }
})
