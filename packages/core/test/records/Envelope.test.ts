import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Envelope from "../../src/internal/wire/Envelope.ts"
import * as TestMode from "../TestMode.ts"
import * as Nesting from "../../src/internal/wire/Nesting.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

/** A reader that knows no layout, so that every chunk is parsed. */
const parse = { read: () => undefined, pieceSize: () => 16_384 }

/** Reads a body as the client does. */
const skip = Nesting.make()
const read = (body: Uint8Array, done = () => {}) =>
  Envelope.read({ bytes: body, firstClose: body.indexOf(93), done, skip })

/** What a page comes in. */
const partsOf = ({ chunks }: Envelope.Envelope) => ({
  [Symbol.iterator]: () => chunks?.(parse) ?? ([] as ReadonlyArray<Envelope.PageChunk>).values()
})

/** All records of an envelope, or why there are none. */
const recordsOf = (body: Uint8Array): ReadonlyArray<unknown> | string => {
  const envelope = read(body)
  if (Result.isFailure(envelope)) return envelope.failure.issue
  const records: Array<unknown> = []
  for (const part of partsOf(envelope.success)) {
    if (Result.isFailure(part)) return part.failure.issue
    records.push(...part.success.records)
  }
  return records
}

const many = <A>(count: number, make: (index: number) => A) => Array.from({ length: count }, (_, index) => make(index))

const flat = (index: number) => ({ asset: `a${index}`, time: "2024-01-01T00:00:00.000000000Z", PriceUSD: `${index}.5` })

const pages: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  "flat records": many(5_000, flat),
  "records of lists of objects": many(2_000, (index) => ({
    market: `m${index}`,
    chains: many(4, (chain) => ({ chain: `c${chain}`, address: "0x00" })),
    type: "aave_pool"
  })),
  "one list longer than any piece": [{ market: "m", chains: many(9_000, flat) }, flat(1), flat(2)],
  "texts that look like a border": many(3_000, (index) => ({ asset: `a${index}`, full_name: 'x"},{"asset":"b"},{' })),
  "characters of several bytes": many(4_000, (index) => ({ asset: `a${index}`, full_name: "Ξ→₿ 🌊 ".repeat(3) })),
  "texts that look like the end of the list": many(3_000, (index) => ({ asset: `a${index}`, full_name: '],"data":[' })),
  "numbers alone": many(20_000, (index) => index),
  "lists of lists": many(4_000, (index) => [[index, [{ asset: "a" }]], "],"]),
  "nothing but empty records": many(40_000, () => ({})),
  "empty records among others": many(20_000, (index) => (index % 2 === 0 ? {} : { asset: "a" })),
  "one record longer than any piece": [{ asset: "a", full_name: "long ".repeat(40_000) }, flat(1)]
}

describe("Envelope", () => {
  it("takes no body for whole that breaks off after a record, though it ends as an envelope does", () => {
    const data = many(500, (index) => ({
      market: `m${index}`,
      frequencies: [{ frequency: "1h" }, { frequency: "1d" }]
    }))
    const records = data.map((record) => JSON.stringify(record))
    for (const count of [150, 300, 499]) {
      const cut = bytes(`{"data":[${records.slice(0, count).join(",")}`)
      assert.isAbove(cut.length, 8_000)
      assert.strictEqual(recordsOf(cut), "the body ended early or is damaged JSON")
    }
  })

  for (const [nth, [name, data]] of Object.entries(pages).entries()) {
    const whole = { data, next_page_token: "t", next_page_url: "https://api.example.test/v4?x=},{" }
    const forms = {
      "as the service writes it": JSON.stringify(whole),
      pretty: JSON.stringify(whole, null, 2),
      "with data last": JSON.stringify({ next_page_token: "t", data }),
      "with data alone": JSON.stringify({ data }),
      "with lists that look like records behind it": JSON.stringify({
        data,
        next_page_token: "t",
        unsupported: [{ asset: "x" }, { asset: "y" }],
        warnings: many(1_500, flat)
      }),
      "with such a list before it": JSON.stringify({ unsupported: [data[0], data[1]], data, next_page_token: "t" }),
      "with its name escaped": JSON.stringify({ data }).replace('"data"', String.raw`"d\u0061ta"`)
    }
    // Each page is tried in two forms; in a long run in all.
    const all = Object.entries(forms)
    for (const [form, text] of TestMode.isLong ? all : [all[nth % 7]!, all[(nth + 3) % 7]!]) {
      it(`gives every record once, in order: ${name}, ${form}`, () => {
        const body = bytes(text)
        assert.isAbove(body.length, 65_536)
        assert.deepStrictEqual(recordsOf(body), data)
      })
    }

    it(`keeps what stands beside the records: ${name}`, () => {
      const envelope = Result.getOrThrow(read(bytes(JSON.stringify(whole))))
      const { data: _, ...beside } = envelope.json as typeof whole
      assert.deepStrictEqual(beside, { next_page_token: whole.next_page_token, next_page_url: whole.next_page_url })
    })

    it(`never takes a part for the whole, wherever it is cut off: ${name}`, () => {
      const body = bytes(JSON.stringify(whole))
      for (const left of [0.1, 0.5, 0.77, 0.99]
        .map((share) => Math.floor(body.length * share))
        .concat(body.length - 1)) {
        assert.strictEqual(typeof recordsOf(body.subarray(0, left)), "string", `${left} of ${body.length} bytes`)
      }
    })
  }

  const list = JSON.stringify(pages["flat records"])
  for (const [size, data] of [
    ["small", '[{"asset":"a"}]'],
    ["large", list]
  ] as const) {
    const twice: Readonly<Record<string, readonly [path: string, text: string]>> = {
      "a second list of records": ["data", `{"data":${data},"data":[{"asset":"b"}]}`],
      "a second list under an escaped name": ["data", String.raw`{"data":${data},"d\u0061ta":[{"asset":"b"}]}`],
      "a first list before the records": ["data", `{"data":[],"next_page_token":"1","data":${data}}`],
      "a second token": ["next_page_token", `{"data":${data},"next_page_token":"1","next_page_token":"2"}`],
      "a second error": ["error", `{"data":${data},"error":{"type":"not_found"},"error":null}`]
    }
    for (const [name, [path, text]] of Object.entries(twice)) {
      it(`refuses a ${size} page that can be read in two ways: ${name}`, () => {
        const failure = Result.getOrThrow(Result.flip(read(bytes(text))))
        assert.deepInclude(failure, { as: "refused", path })
      })
    }

    it(`reads a ${size} page where what stands there twice is the same`, () => {
      const text = `{"data":${data},"next_page_token":null,"x":1,"x":2,"next_page_token":null}`
      assert.deepStrictEqual(recordsOf(bytes(text)), JSON.parse(data))
    })
  }

  it("takes no large page for whole whose list of records ends in another bracket", () => {
    const text = JSON.stringify({ data: pages["records of lists of objects"], next_page_token: "t" })
    const at = text.lastIndexOf("]")
    const wrong = `${text.slice(0, at)}}${text.slice(at + 1)}`
    assert.strictEqual(recordsOf(bytes(wrong)), "the body ended early or is damaged JSON")
  })

  it("says which part of a page is damaged, and gives the records before it", () => {
    const body = JSON.stringify({ data: pages["flat records"], next_page_token: "t" })
    const at = body.indexOf('"a4000"')
    const records: Array<unknown> = []
    const damaged = `${body.slice(0, at)}'${body.slice(at + 1)}`
    const envelope = Result.getOrThrow(read(bytes(damaged)))
    const ends = [...partsOf(envelope)].map((part) =>
      Result.match(part, {
        onFailure: ({ as, issue }) => `${as}: ${issue}`,
        onSuccess: (some) => void records.push(...some.records)
      })
    )
    assert.strictEqual(ends.at(-1), "damaged: the body is not JSON")
    assert.isAbove(records.length, 3_500)
    assert.deepStrictEqual(records, pages["flat records"]?.slice(0, records.length))
  })

  it("parses no more than 8 MiB at once", () => {
    const long = "long ".repeat(2_000_000)
    const failures = [
      JSON.stringify({ data: [{ asset: "a" }, { asset: long }, { asset: "b" }] }),
      JSON.stringify({ data: [{ asset: "a" }], warning: { message: long } }),
      JSON.stringify({ data: { asset: long } })
    ].map((text) => recordsOf(bytes(text)))
    assert.deepStrictEqual(failures, [
      "a record is longer than 8 MiB",
      "the envelope around the records is longer than 8 MiB",
      "what is no list of records is longer than 8 MiB"
    ])
  })

  it("gives the memory back once, at the end of a large page and at once of a small one", () => {
    let released = 0
    const large = Result.getOrThrow(read(bytes(JSON.stringify({ data: many(5_000, flat) })), () => released++))
    assert.strictEqual(released, 0)
    for (const _ of partsOf(large)) assert.isAtMost(released, 1)
    assert.strictEqual(released, 1)
    Result.getOrThrow(read(bytes('{"data":[]}'), () => released++))
    assert.strictEqual(released, 2)
  })
})
