import { assert, describe, it } from "@effect/vitest"
import { Live } from "@sluice/core"
import * as Schema from "effect/Schema"
import * as Frames from "../../src/internal/live/socket/Frames.ts"
import * as fields from "../../src/internal/wire/fields.ts"
import * as RecordDecoder from "../../src/internal/wire/RecordDecoder.ts"
import * as RecordReader from "../../src/internal/wire/RecordReader.ts"

const Metric = Schema.Struct({ asset: fields.id, time: fields.id, PriceUSD: fields.decimal })

const one = (at: number) => `{"asset":"btc","time":"2026-01-01T00:00:0${at}.000000000Z","PriceUSD":"${at}"}`

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** What is read of frames, after some that made the layout known. */
const readOf = (frames: ReadonlyArray<string | Uint8Array>) => {
  const read = Frames.make({
    endpoint: Live.assetMetrics.path,
    entity: "asset",
    hasReorgs: false,
    decoder: RecordDecoder.make(Metric, RecordReader.make),
    scrub: (text) => text,
    maxFrameBytes: 1_000_000
  })
  for (let at = 0; at < 5; at++) assert.lengthOf(read([bytesOf(one(at)), bytesOf(one(at))]).frames, 2)
  return read(frames)
}

describe("Frames", () => {
  const two = `${one(1)}\n${one(2)}`
  it.each([
    ["alone", [bytesOf(two)]],
    ["alone, as text", [two]],
    ["before another", [bytesOf(two), bytesOf(one(3))]],
    ["as text before another", [two, one(3)]]
  ])("of two lines are not JSON: %s", (_, frames) => {
    const { failure, frames: found } = readOf(frames)
    assert.strictEqual(failure?.error.issue, "a frame is not JSON")
    assert.lengthOf(found, 0)
  })

  it.each([
    ["alone", [bytesOf(`\uFEFF${one(1)}`)]],
    ["alone, as text", [`\uFEFF${one(1)}`]]
  ])("may begin with a byte order mark: %s", (_, frames) => {
    const { failure, frames: found } = readOf(frames)
    assert.isUndefined(failure)
    assert.deepStrictEqual(
      found.map((frame) => frame._tag === "Record" && frame.record),
      [JSON.parse(one(1))]
    )
  })

  it.each([
    ["as bytes", bytesOf],
    ["as text", (text: string) => text]
  ])("nested too deep are not parsed, and those before them are read: %s", (_, frameOf) => {
    const deep = `{"asset":"btc","new":${"[".repeat(131_072)}${"]".repeat(131_072)}}`
    const { failure, frames: found } = readOf([frameOf(one(1)), frameOf(deep), frameOf(one(2))])
    assert.strictEqual(failure?.error.issue, "a frame is too nested")
    assert.lengthOf(found, 1)
  })
})
