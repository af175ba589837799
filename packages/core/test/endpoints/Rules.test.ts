import { assert, describe, it } from "@effect/vitest"
import { type ApiError, type Client, Endpoints } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { required } from "@sluice/interface/Least"
import * as Read from "../table/Read.ts"
import * as Table from "@sluice/interface/Table"
import { valuesIn } from "../table/Values.ts"
import * as FakeApi from "../FakeApi.ts"
import * as TestMode from "../TestMode.ts"

/** Every parameter of every endpoint with its values; those that take identifiers have a test of their own. */
const cases = (() => {
  const all = Read.all.flatMap(({ path, taken }) =>
    Object.entries(taken)
      .filter(([, { isPath, takesIdentifiers }]) => !isPath && !takesIdentifiers)
      .map(([name]) => [path, name, valuesIn(taken, name)!] as const)
  )
  if (TestMode.isLong) return all
  // A parameter of many paths has the same values on each. There every path is tried with a sixteenth of them, and every
  // value with a sixteenth of the paths; a long run tries all.
  const paths = Map.groupBy(all, ([, name, rule]) => `${name} ${JSON.stringify(rule)}`)
  return [...paths.values()].flatMap((same) =>
    same.map(([path, name, { bad, good }], nth) => {
      const some = <A>(values: ReadonlyArray<A>) =>
        same.length < 6 ? values : values.filter((_, at) => (nth + at) % Math.min(16, values.length, same.length) === 0)
      return [path, name, { good: some(good), bad: some(bad) }] as const
    })
  )
})()

/** Names of parameters and their values, by the path. */
const byPath = [...Map.groupBy(cases, ([path]) => path)].map(
  ([path, all]) => [path, all.map(([, name, rule]) => [name, rule] as const)] as const
)

/** Any two parameters of an endpoint of which at most one may be given, in the order of the interface. */
const allExclusions = Read.all.flatMap(({ endpoint, path, taken }) => {
  const names = [...endpoint.parameters.keys()]
  return names.flatMap((first, index) =>
    names
      .slice(index + 1)
      .filter((second) => taken[first]?.excludes.includes(second))
      .map((second) => [path, first, second] as const)
  )
})

/** Each pair is tried on a quarter of the paths that have it, in a long run on all. */
const exclusions = [...Map.groupBy(allExclusions, ([, first, second]) => `${first} ${second}`).values()].flatMap(
  (same) => TestMode.eachNth(same, 4)
)

/** A value a parameter may have, with how it is written. */
const oneOf = (path: string, name: string) => {
  const { taken } = Read.all.find((read) => read.path === path)!
  return valuesIn(taken, name)!.good[0]!
}

const call = (path: string, params: object) => Read.endpointOf(path)({ ...required(path), ...params } as never)

/** The query of each call, of one client. */
const sent = (path: string, ...all: ReadonlyArray<object>) => {
  const api = FakeApi.serve(({ url }) =>
    Effect.succeed(url.searchParams.get("format") === "json_stream" ? { body: "" } : FakeApi.page([]))
  )
  return Effect.forEach(all, (params) => Stream.runDrain(call(path, params))).pipe(
    Effect.map(() => {
      assert.strictEqual(api.seen.length, all.length)
      return api.seen.map(({ url }) => url.searchParams)
    }),
    Effect.provide(api.layer({ apiKey: Redacted.make("key") }))
  )
}

const why = (stream: Stream.Stream<unknown, ApiError.ApiError, Client.Client>) => Effect.flip(Stream.runDrain(stream))

/** Whether two errors are the same in each of their own fields, the stack left out. */
const hasSameFields = (one: ApiError.InvalidRequest, other: ApiError.InvalidRequest) =>
  one.message === other.message && JSON.stringify(one) === JSON.stringify(other)

/** Why each call is refused, as records and as pages, with nothing sent. */
const refused = Effect.fnUntraced(function* (path: string, ...all: ReadonlyArray<object>) {
  const api = FakeApi.make([])
  const errors = Effect.forEach(all, (params) =>
    Effect.gen(function* () {
      const error = yield* why(call(path, params))
      const pages = Read.endpointOf(path).pages({ ...required(path), ...params } as never)
      const ofPages = yield* why(pages)
      // Compared by hand: this is done many thousand times, and an assertion costs more than the call.
      if (error._tag !== "InvalidRequest" || ofPages._tag !== "InvalidRequest") return assert.fail(error.message)
      if (!hasSameFields(error, ofPages)) assert.deepStrictEqual(ofPages, error)
      if (error.endpoint !== path) assert.strictEqual(error.endpoint, path)
      const which = /^(?:is|cannot be|needs) /.test(error.reason) ? "parameter " : "invalid parameter "
      const said = `${path}: ${error.kind === "unknown" ? "" : which}"${error.parameter}"`
      if (!error.message.includes(said)) assert.include(error.message, said)
      return error
    })
  )
  const found = yield* Effect.provide(errors, api.layer())
  assert.deepStrictEqual(yield* api.requests, [])
  return found
})

/** The names of all parameters of the interface. */
const names = [...new Set(Table.all.flatMap(({ parameters }) => Object.keys(parameters)))]

/** Whether a path is tried with a name: each with some, but so that each name is tried with some paths; in a long run all. */
const isTried = (path: number, name: number) => TestMode.isLong || (path + name) % 72 === 0

describe("The rules of parameters", () => {
  it("are known for every parameter of every path, but identifiers and parts of the path", () => {
    const known = new Set(cases.map(([path, name]) => `${path} ${name}`))
    const open = Endpoints.all.flatMap(({ parameters, path }) =>
      [...parameters.values()].flatMap(({ name, takesIdentifiers }) =>
        takesIdentifiers || path.includes(`{${name}}`) || known.has(`${path} ${name}`) ? [] : [`${path} ${name}`]
      )
    )
    assert.deepStrictEqual(open, [])
  })

  it.effect.each(byPath)(
    "%s takes its parameters as the interface allows, and writes them as the wire has them",
    (one) =>
      Effect.gen(function* () {
        const [path, rules] = one
        const given = rules.flatMap(([name, { good }]) => good.map(([value, written]) => ({ name, value, written })))
        const queries = yield* sent(path, ...given.map(({ name, value }) => ({ [name]: value })))
        assert.deepStrictEqual(
          queries.map((query, index) => [given[index]!.name, query.get(given[index]!.name)]),
          given.map(({ name, written }) => [name, written])
        )
      })
  )

  it.effect.each(byPath)("%s refuses anything else, names it and sends nothing", ([path, rules]) =>
    Effect.gen(function* () {
      const given = rules.flatMap(([name, { bad }]) => bad.map((value) => ({ name, value })))
      const errors = yield* refused(path, ...given.map(({ name, value }) => ({ [name]: value })))
      for (const [index, { kind, parameter }] of errors.entries()) {
        const { name, value } = given[index]!
        assert.deepStrictEqual([kind, parameter], ["malformed", name], JSON.stringify(value))
      }
    })
  )

  it.effect.each(Read.byPath.map(([path, { taken }], index) => [path, taken, index] as const))(
    "%s refuses parameters that only other paths have, names them and sends nothing",
    ([path, taken, index]) =>
      Effect.gen(function* () {
        const some = names.filter((_, at) => isTried(index, at))
        const others = ["api_key", "unheard_of", ...some].filter((name) => !Object.hasOwn(taken, name))
        const errors = yield* refused(path, ...others.map((name) => ({ [name]: "1" })))
        assert.deepStrictEqual(
          errors.map(({ kind, parameter }) => [kind, parameter]),
          others.map((name) => ["unknown", name])
        )
      })
  )

  it("know what excludes another", () => {
    assert.includeDeepMembers(allExclusions, [
      ["/profile/assets", "assets", "full_names"],
      ["/reference-data/markets", "cusip", "isin"],
      ["/timeseries/asset-metrics", "start_time", "start_hash"],
      ["/timeseries/asset-metrics", "end_height", "end_hash"]
    ])
  })

  it.effect.each(exclusions)("%s refuses %s beside %s, whichever comes first", ([path, first, second]) =>
    Effect.gen(function* () {
      const [[one, oneWritten], [other, otherWritten]] = [oneOf(path, first), oneOf(path, second)]
      // What is undefined is not given.
      const alone = [{ [first]: one }, { [second]: other }, { [second]: other, [first]: undefined }]
      const queries = yield* sent(path, ...alone)
      assert.deepStrictEqual(
        queries.map((query) => [query.get(first), query.get(second)]),
        [
          [oneWritten, null],
          [null, otherWritten],
          [null, otherWritten]
        ]
      )
      const both = [
        { [first]: one, [second]: other },
        { [second]: other, [first]: one }
      ]
      for (const error of yield* refused(path, ...both)) {
        assert.deepInclude(error, { kind: "excluded", parameter: second })
        assert.include(error.message, `"${first}"`)
      }
    })
  )

  it.effect.each(Read.all.filter(({ reply }) => reply === "data").map(({ path }) => [path]))(
    "%s comes whole: its request has nothing about pages",
    ([path = ""]) =>
      Effect.gen(function* () {
        const api = FakeApi.make([FakeApi.page([])])
        yield* Stream.runDrain(call(path, {})).pipe(Effect.provide(api.layer()))
        const query = new URLSearchParams(required(path)).toString()
        assert.deepStrictEqual(yield* api.requests, [query === "" ? path : `${path}?${query}`])
      })
  )
})
