import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FastReader from "../../src/FastReader.ts"
import * as Timeseries from "../../src/endpoints/Timeseries.ts"
import * as FakeApi from "../FakeApi.ts"
import { assertSame } from "../Same.ts"

describe("a name outside ASCII that every record repeats", () => {
  for (const name of ["\u0080", "é", "日本", "😀", "a\\n", "é\\u00e9"]) {
    for (const time of ["2026-01-01T00:00:00Z", " "]) {
      it.effect(
        `leaves the values behind it whole, wherever the decoded text ends: ${JSON.stringify([name, time])}`,
        () =>
          Effect.gen(function* () {
            const lines = Array.from(
              { length: 400 },
              (_, index) => `{"market":"${name}","time":"${time}","price_open":"${"1".repeat(1 + (index % 9))}"}`
            )
            const api = FakeApi.make([{ body: lines.map((line) => `${line}\n`).join("") }])
            const read = yield* Timeseries.marketCandles({ markets: "a", format: "json_stream" }).pipe(
              Stream.runCollect,
              Effect.provide(api.layer()),
              Effect.provide(FastReader.layer)
            )
            assertSame(
              read,
              lines.map((line) => JSON.parse(line))
            )
          })
      )
    }
  }
})
