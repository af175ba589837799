import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { json, serve } from "../../node/test/Server.ts"
import { folder, services, sluice } from "./Process.ts"

const key = "s3cr3tkey99"

/** A service that has the key among its names. */
const service = Effect.map(
  serve((request, response) => {
    if (request.url?.includes("/timeseries/")) {
      const message = "Bad parameter 'assets'. Value 'bitcoin' is not supported."
      response.writeHead(400, { "content-type": "application/json" })
      return response.end(JSON.stringify({ error: { type: "bad_parameter", message } }))
    }
    const [min_time, max_time] = ["2020-01-01T00:00:00.000000000Z", "2021-01-01T00:00:00.000000000Z"]
    const metrics = [`m${key}`, "PriceUSD"].map((metric) => ({
      metric,
      frequencies: [{ frequency: "1d", min_time, max_time }]
    }))
    const data = ["ltc", `x${key}`].map((asset) => ({ asset, full_name: `bitcoin ${key}`, metric: asset, metrics }))
    return json(response, { data: [...data, { asset: "eth", metric: "PriceUSD", full_name: `Price ${key}`, metrics }] })
  }),
  ({ url }) => url
)

layer(services, { excludeTestServices: true })("a service that has the key among its names", (it) => {
  it.effect("does not bring it into a suggestion", () =>
    Effect.gen(function* () {
      const root = yield* service
      const get = ["get", "timeseries/asset-metrics", "--assets", "bitcoin", "--metrics", "PriceUSD"]
      const suggest = (apiKey: string) => sluice(get, { SLUICE_BASE_URL: root, SLUICE_API_KEY: apiKey })
      assert.include((yield* suggest("another")).stderr, `did you mean`)
      const { stderr } = yield* suggest(key)
      assert.notInclude(stderr, key)
    })
  )

  it.effect("does not bring it into the types that are kept with a program", () =>
    Effect.gen(function* () {
      const root = yield* service
      const write = (apiKey: string) => sluice(["types"], { SLUICE_BASE_URL: root, SLUICE_API_KEY: apiKey })
      const other = (yield* write("another")).stdout
      for (const text of [`"x${key}"`, `"m${key}"`, `/** Price ${key} */`]) assert.include(other, text)
      const { code, stdout } = yield* write(key)
      assert.strictEqual(code, 0)
      assert.notInclude(stdout, key)
      for (const text of ['| "ltc"', '"PriceUSD": "1d"', "/** Price <redacted> */"]) assert.include(stdout, text)
    })
  )

  it.effect("a file that is written again stays as private as it was", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = `${yield* folder}/types.d.ts`
      yield* fs.writeFileString(file, "before", { mode: 0o600 })
      const root = yield* service
      yield* sluice(["types", "--output", file], { SLUICE_BASE_URL: root, SLUICE_API_KEY: key })
      assert.notStrictEqual(yield* fs.readFileString(file), "before")
      assert.strictEqual((yield* fs.stat(file)).mode & 0o777, 0o600)
    })
  )
})
