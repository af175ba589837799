import { assert, describe, it } from "@effect/vitest"
import { ByteWriter } from "hyparquet-writer"
import { deltaBinaryPack } from "hyparquet-writer/src/delta.js"
import * as Draw from "../../../core/test/Draw.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as Delta from "../../src/internal/parquet/Delta.ts"

const { pack, range, room, unpack } = Delta.make()

const packed = (values: BigInt64Array) => {
  room(values.length).set(values)
  return pack(values.length)
}

/** What is unpacked of packed integers that others follow. */
const unpacked = (values: BigInt64Array) => {
  const bytes = Uint8Array.from([...packed(values), 1, 2, 3])
  const found = unpack(bytes, values.length)
  return found && { size: found.size, values: found.values.slice() }
}

const byLibrary = (values: BigInt64Array) => {
  const writer = new ByteWriter()
  deltaBinaryPack(writer, values, "INT64")
  return writer.getBytes()
}

describe("integers as the differences between them", () => {
  it("have the bytes that a library writes", () => {
    for (let seed = 0; seed < TestMode.times(300, 5_000); seed++) {
      const { below } = Draw.from(seed)
      const bits = below(65)
      const values = BigInt64Array.from({ length: 1 + below(700) }, () =>
        BigInt.asIntN(bits, (BigInt(below(2 ** 32)) << 32n) | BigInt(below(2 ** 32)))
      )
      assert.deepStrictEqual(packed(values), byLibrary(values), `seed ${seed}`)
      assert.deepStrictEqual(unpacked(values), { size: packed(values).length, values }, `seed ${seed}`)
      packed(values)
      const sorted = values.toSorted()
      assert.deepStrictEqual(range(), { min_value: sorted[0]!, max_value: sorted.at(-1)! })
    }
  })

  it.each([[], [0n], [-(2n ** 63n), 2n ** 63n - 1n], Array.from({ length: 129 }, () => 7n)])("%s", (...values) => {
    const all = BigInt64Array.from(values)
    assert.deepStrictEqual(packed(all), byLibrary(all))
    assert.deepStrictEqual(unpacked(all), { size: packed(all).length, values: all })
  })

  it("are not unpacked of bytes that end too early, or are packed in another way", () => {
    const values = BigInt64Array.from({ length: 300 }, (_, index) => BigInt(index * index * 7919))
    const bytes = packed(values).slice()
    assert.isUndefined(unpack(bytes, 299))
    assert.isUndefined(unpack(bytes.subarray(0, 40), 300))
    for (let seed = 0; seed < 200; seed++) {
      const { below } = Draw.from(seed)
      const damaged = bytes.map((byte) => (below(8) === 0 ? below(256) : byte))
      const found = unpack(damaged, 300)
      assert.isTrue(found === undefined || found.values.length === 300)
    }
  })
})
