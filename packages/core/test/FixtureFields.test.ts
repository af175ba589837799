import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as FakeApi from "./FakeApi.ts"
import * as Fixtures from "./Fixtures.ts"
import * as TestMode from "./TestMode.ts"

type Step = string | number

/** Where something stands inside a record, and what. */
interface Place {
  readonly steps: ReadonlyArray<Step>
  readonly value: unknown
}

const isObject = (value: unknown): value is Fixtures.Json => Predicate.isObject(value) && !Array.isArray(value)

/** Every field of a record, those of the objects inside it as well. */
const fields = (value: unknown, above: ReadonlyArray<Step> = []): ReadonlyArray<Place> => {
  if (Array.isArray(value)) return value.flatMap((item, index) => fields(item, [...above, index]))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, value]) => {
    const steps = [...above, key]
    return [{ steps, value }, ...fields(value, steps)]
  })
}

/** The record with something else at a place, or with nothing there. */
const put = (value: unknown, [step, ...rest]: ReadonlyArray<Step>, next: unknown): unknown => {
  if (step === undefined) return next
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? put(item, rest, next) : item))
  const changed = Object.entries(value as Fixtures.Json).map(([key, item]) =>
    key === step ? ([key, put(item, rest, next)] as const) : ([key, item] as const)
  )
  return Object.fromEntries(changed.filter(([, item]) => item !== undefined))
}

/** Adds keys nobody has described to every object of a record. */
const withUnknown = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withUnknown)
  if (!isObject(value)) return value
  const known = Object.entries(value).map(([key, item]) => [key, withUnknown(item)] as const)
  return { brand_new_2027: { deep: [1, null] }, ...Object.fromEntries(known), "x-y": false }
}

/** A path as errors write it. */
const written = (steps: ReadonlyArray<Step>) =>
  steps
    .map((step) => {
      if (Predicate.isNumber(step)) return `[${step}]`
      return /^\w+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`
    })
    .join("")

const shape = ({ steps }: Place) => steps.filter(Predicate.isString).join(".")

/** One place for each field, whichever item of a list has it. */
const distinct = (places: ReadonlyArray<Place>) => [...new Map(places.map((place) => [shape(place), place])).values()]

/** A value no field of that kind may have. */
const wrong = (value: unknown) => (isObject(value) ? 7 : {})

/** Numbers of records in which a field is seen, for each call: the first one has what is tried of it. */
const firstIn = (replies: ReadonlyArray<{ readonly query: string | undefined; readonly record: Fixtures.Json }>) => {
  const first = new Map<string, object>()
  for (const { query, record } of replies) {
    for (const place of fields(record)) {
      const key = `${query} ${shape(place)}`
      if (!first.has(key)) first.set(key, record)
    }
  }
  return ({ query, record }: (typeof replies)[number]) =>
    (place: Place) =>
      TestMode.isLong || first.get(`${query} ${shape(place)}`) === record
}

const ownRecords = Fixtures.all.filter((fixture) => TestMode.isLong || !Fixtures.isReadAsModel(fixture))

describe.each(ownRecords.map((fixture) => [fixture.path, fixture] as const))("%s", (path, fixture) => {
  const endpoint = Fixtures.endpointOf(fixture)
  const { identity } = fixture
  const isIdentity = ({ steps }: Place) => steps.length === 1 && identity.includes(String(steps[0]))
  const replies = Fixtures.fullest(fixture).flatMap(({ body, name, query }) =>
    body.data.map((record, index) => [`${name}, ${index}`, { query, record }] as const)
  )
  const isTried = firstIn(replies.map(([, one]) => one))
  /** The fields that no record before this one has. */
  const ownFields = (one: (typeof replies)[number][1]) => fields(one.record).filter(isTried(one))
  const having = (isMeant: (place: Place) => boolean) => replies.filter(([, one]) => ownFields(one).some(isMeant))
  const [identified, others] = [having(isIdentity), having((place) => !isIdentity(place))]

  const read = (query: string | undefined, data: ReadonlyArray<unknown>) => {
    const api = FakeApi.make([FakeApi.page(data)])
    return Stream.runCollect(endpoint(Fixtures.paramsOf(path, query))).pipe(Effect.provide(api.layer()))
  }

  /** Each place is a call of its own, because the first wrong field ends a call; they share a client. */
  const refuses = (
    { query, record }: { readonly query: string | undefined; readonly record: Fixtures.Json },
    places: ReadonlyArray<Place>,
    next: (value: unknown) => unknown
  ) => {
    const call = endpoint(Fixtures.paramsOf(path, query))
    const api = FakeApi.make(places.map(({ steps, value }) => FakeApi.page([record, put(record, steps, next(value))])))
    return Effect.forEach(places, ({ steps }) =>
      Effect.map(Effect.flip(Stream.runDrain(call)), (error) => {
        assert.deepInclude(error, { _tag: "Decode", page: 1, path: `data[1]${written(steps)}` } as const)
      })
    ).pipe(Effect.provide(api.layer()))
  }

  it.effect.each(identified)("refuses a record without any one of the keys that name it: %s", ([, one]) =>
    refuses(one, ownFields(one).filter(isIdentity), () => undefined)
  )

  it.effect.each(identified)("refuses null in the keys that name a record: %s", ([, one]) =>
    refuses(one, ownFields(one).filter(isIdentity), () => null)
  )

  it.effect.each(others)("accepts a record without any one of its other fields, at any depth: %s", ([, one]) =>
    Effect.gen(function* () {
      const others = ownFields(one).filter((place) => !isIdentity(place))
      const data = others.map(({ steps }) => put(one.record, steps, undefined))
      assert.deepStrictEqual(yield* read(one.query, data), data)
    })
  )

  it.effect.each(others)("accepts null in any one of the other fields, at any depth: %s", ([, one]) =>
    Effect.gen(function* () {
      const others = ownFields(one).filter((place) => !isIdentity(place))
      const data = others.map(({ steps }) => put(one.record, steps, null))
      assert.deepStrictEqual(yield* read(one.query, data), data)
    })
  )

  it.effect.each(replies)("keeps fields nobody has described, at any depth: %s", ([, { query, record }]) =>
    Effect.gen(function* () {
      const data = [withUnknown(record), record]
      assert.deepStrictEqual(yield* read(query, data), data)
    })
  )

  it.effect.each(having(() => true))("knows every field: refuses another type in it, and says where: %s", ([, one]) =>
    refuses(one, distinct(ownFields(one)), wrong)
  )

  // The columns of a time series follow from the query.
  if (endpoint.order === "list") {
    it("describes no field that none of the replies shows", () => {
      const shown = new Set(fixture.replies.flatMap(({ body }) => body.data.flatMap((record) => Object.keys(record))))
      const record = endpoint.record(Fixtures.paramsOf(path, replies[0]?.[1].query))
      const described = "fields" in record ? Object.keys(record.fields as object) : []
      assert.isNotEmpty(described)
      assert.deepStrictEqual(
        described.filter((key) => !shown.has(key)),
        []
      )
    })
  }
})
