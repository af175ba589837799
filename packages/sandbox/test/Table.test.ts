import { assert, describe, it } from "@effect/vitest"
import type { Fields, Type } from "@sluice/interface/Field"
import * as View from "@sluice/interface/View"
import * as Effect from "effect/Effect"
import * as TestMode from "../../core/test/TestMode.ts"
import * as Caller from "../src/internal/request/Caller.ts"
import * as Offered from "../src/internal/request/Offered.ts"
import * as Route from "../src/internal/server/Route.ts"

/** What a value is not that its kind says. */
const wrong = (type: Type, value: unknown, path: string): ReadonlyArray<string> => {
  if (value === null) return []
  const is = (isRight: boolean) => (isRight ? [] : [`${path}: ${JSON.stringify(value)} is no ${type._tag}`])
  switch (type._tag) {
    case "text":
    case "word":
      return is(typeof value === "string")
    case "decimal":
      return is(/^-?\d+(?:\.\d+)?$|^N\/A$/.test(String(value)))
    case "int64":
      return is(/^-?\d+$|^N\/A$/.test(String(value)))
    case "time":
      return is(/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{9})?Z)?$|^N\/A$/.test(String(value)))
    case "bool":
    case "number":
      return is(typeof value === (type._tag === "bool" ? "boolean" : "number"))
    case "object":
      return typeof value === "object" && value !== null ? wrongIn(type.fields, value, path) : is(false)
    case "either":
    case "list": {
      const of: Type = type._tag === "list" ? type.of : { _tag: "object", fields: type.fields }
      return Array.isArray(value) ? value.flatMap((item) => wrong(of, item, `${path}[]`)) : is(false)
    }
  }
}

const wrongIn = (fields: Fields, record: object, path = ""): ReadonlyArray<string> => [
  ...Object.entries(fields).flatMap(([name, { isKey }]) =>
    isKey && !Object.hasOwn(record, name) ? [`no ${name}`] : []
  ),
  ...Object.entries(record).flatMap(([name, value]) => {
    const field = fields[name]
    return field === undefined ? [`${path}.${name} is not in the table`] : wrong(field.type, value, `${path}.${name}`)
  }),
  ...("min_time" in record && "max_time" in record && String(record.min_time) > String(record.max_time)
    ? [`${path} ends before it begins`]
    : [])
]

/** What an endpoint is asked for beside the least: something small where a list is long. */
const more: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "/constituent-snapshots/asset-metrics": { metric: "ReferenceRateUSD" },
  "/constituent-timeframes/asset-metrics": { metric: "ReferenceRateUSD" }
}

const range = { start_time: "2024-03-01", end_time: "2024-03-01T01:00:00" }

describe("The records of the stand-in", () => {
  for (const endpoint of Route.endpoints.values()) {
    const { list, operation, path } = endpoint
    if (operation.reply === "record" || path === "/jobs" || path.startsWith("/timeseries/")) continue

    it.effect(`have the fields of the table, and values of their kinds: ${path}`, () =>
      Effect.gen(function* () {
        const isRanged = path.includes("{") && "start_time" in operation.parameters
        const given = new Map(Object.entries({ ...more[path], ...(isRanged ? range : {}) }))
        const parts = new Map([
          ["asset", "eth"],
          ["account", "treasury-eth"]
        ])
        for (const { fields, params } of View.of(operation)) {
          const query = new Map([...Object.entries(params), ...given])
          const { length, rows } = yield* list(yield* Offered.read(operation, query), Caller.unlimited, parts)
          assert.isAbove(length, 0)
          // Some of the whole list.
          const step = Math.ceil(length / TestMode.times(40, 1000))
          for (let n = 0; n < length; n += step) {
            const [row = ""] = rows(n, n + 1)
            assert.deepStrictEqual(wrongIn(fields, JSON.parse(row)), [], row)
          }
        }
      })
    )
  }
})
