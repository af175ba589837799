import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Snappy from "../../src/formats/Snappy.ts"

const compress = Snappy.make()

/** Reads the format as its description has it. */
const uncompress = (from: Uint8Array): Buffer => {
  let at = 0
  const byte = () => from[at++] ?? assert.fail("the end is missing")
  const number = (bytes: number) =>
    Array.from({ length: bytes }, byte).reduce((sum, next, index) => sum + next * 256 ** index, 0)
  let length = 0
  for (let shift = 0, more = true; more; shift += 7) {
    const next = byte()
    length += (next & 127) * 2 ** shift
    more = next >= 128
  }
  const to = Buffer.alloc(length)
  let written = 0
  while (at < from.length) {
    const tag = byte()
    const kind = tag & 3
    if (kind === 0) {
      const size = (tag >>> 2 < 60 ? tag >>> 2 : number((tag >>> 2) - 59)) + 1
      to.set(from.subarray(at, at + size), written)
      at += size
      written += size
      continue
    }
    const size = kind === 1 ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1
    const distance = kind === 1 ? ((tag >>> 5) << 8) + byte() : number(kind === 2 ? 2 : 4)
    assert.isTrue(distance > 0 && distance <= written, "a copy is of what came before")
    for (let index = 0; index < size; index++, written++) to[written] = to[written - distance] ?? 0
  }
  assert.strictEqual(written, length)
  return to
}

const same = (bytes: Uint8Array) => {
  const compressed = compress(bytes)
  assert.isTrue(uncompress(compressed).equals(bytes))
  return compressed.length
}

/** Bytes in which nothing repeats for long. */
const noise = (length: number) => {
  const bytes = Buffer.alloc(length)
  let state = 1
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    bytes[at] = state >>> 16
  }
  return bytes
}

/** Runs of bytes, some of which come again. */
const runs = Schema.Array(
  Schema.Struct({
    byte: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })),
    length: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 90 })),
    noise: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 300 }))
  })
)

describe("bytes compressed with Snappy are read back", () => {
  it.prop("whatever repeats in them", { runs }, ({ runs }) => {
    const parts = runs.map(({ byte, length, noise: size }) => Buffer.concat([Buffer.alloc(length, byte), noise(size)]))
    same(Buffer.concat([...parts, ...parts.toReversed()]))
  })

  it("when they are few, or none", () => {
    for (let length = 0; length <= 100; length++) {
      same(noise(length))
      same(Buffer.alloc(length, 7))
    }
  })

  it("with copies of every length and from far back", () => {
    for (let length = 4; length <= 200; length++) same(Buffer.concat([noise(300), noise(length), noise(9)]))
    for (const gap of [2_047, 2_048, 65_535, 65_536, 70_000]) {
      same(Buffer.concat([noise(2_000), Buffer.alloc(gap, 1), noise(2_000)]))
    }
  })

  it("when they do not get smaller, and then get hardly larger", () => {
    for (const length of [60, 61, 256, 257, 65_536, 65_537, 1_000_000]) {
      assert.isAtMost(same(noise(length)), length + 32 + length / 6)
    }
  })

  it("from anywhere in memory, and smaller where they repeat", () => {
    const bytes = Buffer.from("0.1234567 ".repeat(20_000)).subarray(3)
    assert.isBelow(same(bytes), bytes.length / 15)
  })
})
