import { assert, describe, it } from "@effect/vitest"
import { ReferenceData, Retry } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Cause from "effect/Cause"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"

const a = FakeApi.asset("a")
const b = FakeApi.asset("b")

const url = (query: string, host = "https://api.example.test") => ({
  next_page_url: `${host}/v4/reference-data/assets?page_size=10000${query}`
})

interface Edge {
  readonly name: string
  /** Bodies of the pages, in turn. */
  readonly bodies: ReadonlyArray<unknown>
  readonly token?: string
  /** Assets that come out before the end. */
  readonly records: ReadonlyArray<string>
  /** Tokens asked for after the first page. */
  readonly asked: ReadonlyArray<string>
  readonly error?: { readonly _tag: string; readonly path?: string; readonly page?: number }
}

const edges: ReadonlyArray<Edge> = [
  { name: "one empty page is a complete answer", bodies: [{ data: [] }], records: [], asked: [] },
  {
    name: "an empty page with a token goes on",
    bodies: [{ data: [a], next_page_token: "1" }, { data: [], next_page_token: "2" }, { data: [b] }],
    records: ["a", "b"],
    asked: ["1", "2"]
  },
  {
    name: "an empty first page with a token goes on",
    bodies: [{ data: [], next_page_token: "1" }, { data: [b] }],
    records: ["b"],
    asked: ["1"]
  },
  {
    name: "an error that says no is none",
    bodies: [
      { data: [a], next_page_token: "1", error: false },
      { data: [a], next_page_token: "2", error: 0 },
      { data: [b], error: "" }
    ],
    records: ["a", "a", "b"],
    asked: ["1", "2"]
  },
  {
    name: "an empty last page ends the stream",
    bodies: [{ data: [a], next_page_token: "1" }, { data: [] }],
    records: ["a"],
    asked: ["1"]
  },
  {
    name: "null for the token and the URL is no next page",
    bodies: [{ data: [a], next_page_token: null, next_page_url: null }],
    records: ["a"],
    asked: []
  },
  {
    name: "the URL alone is read for its token",
    bodies: [{ data: [a], ...url("&next_page_token=1.abc%3D") }, { data: [b] }],
    records: ["a", "b"],
    asked: ["1.abc="]
  },
  {
    name: "a relative URL is read for its token",
    bodies: [{ data: [a], next_page_url: "/v4/reference-data/assets?next_page_token=1" }, { data: [b] }],
    records: ["a", "b"],
    asked: ["1"]
  },
  {
    name: "where both are given the token counts",
    bodies: [{ data: [a], next_page_token: "mine", ...url("&next_page_token=other") }, { data: [b] }],
    records: ["a", "b"],
    asked: ["mine"]
  },
  {
    name: "a token with every special character goes back as it came",
    bodies: [{ data: [a], next_page_token: "0.a+/= &?#%,é" }, { data: [b] }],
    records: ["a", "b"],
    asked: ["0.a+/= &?#%,é"]
  },
  {
    name: "a token that repeats fails",
    bodies: [
      { data: [a], next_page_token: "1" },
      { data: [b], next_page_token: "1" }
    ],
    records: ["a"],
    asked: ["1"],
    error: { _tag: "Decode", path: "next_page_token", page: 2 }
  },
  {
    name: "tokens that go in a circle of two fail",
    bodies: [
      { data: [a], next_page_token: "1" },
      { data: [b], next_page_token: "2" },
      { data: [a], next_page_token: "1" }
    ],
    records: ["a", "b"],
    asked: ["1", "2"],
    error: { _tag: "Decode", path: "next_page_token", page: 3 }
  },
  {
    name: "the caller's own token given back fails",
    token: "0",
    bodies: [{ data: [a], next_page_token: "0" }],
    records: [],
    asked: ["0"],
    error: { _tag: "Decode", path: "next_page_token", page: 1 }
  },
  {
    name: "a repeated token in a URL alone fails",
    bodies: [
      { data: [a], ...url("&next_page_token=1") },
      { data: [b], ...url("&next_page_token=1") }
    ],
    records: ["a"],
    asked: ["1"],
    error: { _tag: "Decode", path: "next_page_token", page: 2 }
  },
  {
    name: "a URL without a token would lose records, so it fails",
    bodies: [{ data: [a], ...url("") }],
    records: [],
    asked: [],
    error: { _tag: "Decode", path: "next_page_url", page: 1 }
  },
  {
    name: "a URL that is a number fails",
    bodies: [{ data: [a], next_page_url: 7 }],
    records: [],
    asked: [],
    error: { _tag: "Decode", path: "next_page_url", page: 1 }
  },
  {
    name: "a token that is a number fails",
    bodies: [{ data: [a], next_page_token: 7 }],
    records: [],
    asked: [],
    error: { _tag: "Decode", path: "next_page_token", page: 1 }
  },
  {
    name: "a missing data fails",
    bodies: [{ records: [a] }],
    records: [],
    asked: [],
    error: { _tag: "Decode", path: "data", page: 1 }
  },
  {
    name: "data that is null fails",
    bodies: [{ data: [a], next_page_token: "1" }, { data: null }],
    records: ["a"],
    asked: ["1"],
    error: { _tag: "Decode", path: "data", page: 2 }
  },
  {
    name: "data that is an object fails",
    bodies: [{ data: { 0: a } }],
    records: [],
    asked: [],
    error: { _tag: "Decode", path: "data", page: 1 }
  },
  {
    name: "a body that is an array fails",
    bodies: [[a]],
    records: [],
    asked: [],
    error: { _tag: "Decode" }
  },
  { name: "a body that is null fails", bodies: [null], records: [], asked: [], error: { _tag: "Decode", path: "" } },
  { name: "a body that is a text fails", bodies: ["a"], records: [], asked: [], error: { _tag: "Decode", path: "" } },
  {
    name: "an error in a body with status 200 is an error of its type",
    bodies: [{ data: [a], next_page_token: "1" }, { error: { type: "forbidden", message: "no" } }],
    records: ["a"],
    asked: ["1"],
    error: { _tag: "Forbidden" }
  },
  {
    name: "an error beside data is an error and no record",
    bodies: [{ data: [a], error: { type: "bad_parameter", message: "no" } }],
    records: [],
    asked: [],
    error: { _tag: "InvalidRequest" }
  },
  { name: "an error of null is none", bodies: [{ data: [a], error: null }], records: ["a"], asked: [] },
  {
    name: "an error of null does not stand for data",
    bodies: [{ error: null }],
    records: [],
    asked: [],
    error: { _tag: "Decode", path: "data", page: 1 }
  },
  {
    name: "an error of a type no document lists is an error too",
    bodies: [{ data: [], error: { type: "brand_new", message: "no" } }],
    records: [],
    asked: [],
    error: { _tag: "Unavailable" }
  },
  {
    name: "a broken record on the second page names the page and the place",
    bodies: [{ data: [a], next_page_token: "1" }, { data: [b, { full_name: "C" }] }],
    records: ["a"],
    asked: ["1"],
    error: { _tag: "Decode", path: "data[1].asset", page: 2 }
  }
]

describe("Paging edges", () => {
  it.effect.each(edges.map((edge) => [edge.name, edge] as const))("%s", ([, edge]) =>
    Effect.gen(function* () {
      const api = FakeApi.make(edge.bodies.map((body) => ({ body: JSON.stringify(body) })))
      const read: Array<string> = []
      const exit = yield* ReferenceData.assets({ next_page_token: edge.token }).pipe(
        Stream.runForEach(({ asset }) => Effect.sync(() => read.push(asset))),
        Effect.provide(api.layer({ retry: Retry.none })),
        Effect.exit
      )
      assert.deepStrictEqual(read, edge.records)
      const asked = api.seen.map((seen) => seen.url.searchParams.get("next_page_token"))
      assert.deepStrictEqual(
        asked.filter((token) => token !== null),
        edge.asked
      )
      assert.strictEqual(api.seen.length, edge.asked.length + (edge.token === undefined ? 1 : 0))
      const error = Exit.isFailure(exit) ? Option.getOrThrow(Cause.findErrorOption(exit.cause)) : undefined
      const place: object = {
        _tag: error?._tag,
        ...(error?._tag === "Decode" ? { path: error.path, page: error.page } : {})
      }
      const expected: object = edge.error ?? { _tag: undefined }
      assert.deepInclude(place, expected)
    })
  )
})
