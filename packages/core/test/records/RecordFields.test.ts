import { assert, describe, it } from "@effect/vitest"
import * as Sample from "@sluice/interface/Sample"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as Fixtures from "../Fixtures.ts"
import * as Expected from "../table/Expected.ts"
import * as Places from "../table/Places.ts"
import * as Read from "../table/Read.ts"
import * as TestMode from "../TestMode.ts"

const isObject = (value: unknown): value is Sample.Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Adds keys nobody has described to every object of a record. */
const withUnknown = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withUnknown)
  if (!isObject(value)) return value
  const known = Object.entries(value).map(([key, item]) => [key, withUnknown(item)] as const)
  return { brand_new_2027: { deep: [1, null] }, ...Object.fromEntries(known), "x-y": false }
}

/** Every kind of call, with what the table says of its records; those that one decoder reads are tried once. */
const calls = Read.all.flatMap((operation) =>
  Expected.views(operation)
    .map((view) => ({ ...view, query: String(new URLSearchParams(view.params)) }))
    .filter(({ query }) => TestMode.isLong || Fixtures.isFirstReader(operation.path, query))
    .map((view) => [operation.path, view.name, view] as const)
)

describe.each(calls)("%s, %s", (path, _, { fields, query }) => {
  const call = Read.endpointOf(path)(Fixtures.paramsOf(path, query))
  const [record = {}] = Sample.rows(fields)
  const all = Places.of(fields, record)
  const isKey = Places.isKey(fields)
  const [keys, others] = [all.filter(isKey), all.filter((place) => !isKey(place))]
  // Each is a call. Of fields of one kind in one object two are tried, in a long run all: which kind each has, tells `Table`.
  const kinds = Map.groupBy(all, ({ steps, type }) => `${steps.slice(0, -1).join(".")} ${type._tag}`)
  const tried = TestMode.isLong ? all : [...kinds.values()].flatMap((same) => same.slice(0, 2))

  const read = (data: ReadonlyArray<unknown>) => {
    const api = FakeApi.make([FakeApi.page(data)])
    return Stream.runCollect(call).pipe(Effect.provide(api.layer()))
  }

  /** Each place is a call of its own, because the first wrong field ends a call; they share a client. */
  const refuses = (places: ReadonlyArray<Places.Place>, next: (place: Places.Place) => unknown) => {
    const api = FakeApi.make(
      places.map((place) => FakeApi.page([record, Places.put(record, place.steps, next(place))]))
    )
    return Effect.forEach(places, ({ steps }) =>
      Effect.map(Effect.flip(Stream.runDrain(call)), (error) => {
        assert.deepInclude(error, { _tag: "Decode", page: 1, path: `data[1]${Places.written(steps)}` } as const)
      })
    ).pipe(Effect.provide(api.layer()))
  }

  it.effect("refuses a record without any one of the keys that name it", () => refuses(keys, () => undefined))

  it.effect("refuses null in the keys that name a record", () => refuses(keys, () => null))

  it.effect("accepts a record without any one of its other fields, at any depth", () =>
    Effect.gen(function* () {
      const data = others.map(({ steps }) => Places.put(record, steps, undefined))
      assert.deepStrictEqual(yield* read(data), data)
    })
  )

  it.effect("accepts null in any one of the other fields, at any depth", () =>
    Effect.gen(function* () {
      const data = others.map(({ steps }) => Places.put(record, steps, null))
      assert.deepStrictEqual(yield* read(data), data)
    })
  )

  it.effect("keeps fields nobody has described, at any depth", () =>
    Effect.gen(function* () {
      const data = [withUnknown(record), record]
      assert.deepStrictEqual(yield* read(data), data)
    })
  )

  // Each field is tried with one of the other types, and each type with a third of the fields; in a long run all.
  it.effect.each(TestMode.isLong ? [0, 1, 2] : [0])(
    "knows the kind of every field: refuses another type in it, and says where (%i)",
    (nth) => refuses(tried, (place) => Places.wrong(place.type)[(all.indexOf(place) + nth) % 3])
  )
})
