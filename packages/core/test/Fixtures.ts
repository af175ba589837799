import * as fs from "node:fs"
import { Endpoints, type Endpoint } from "@sluice/core"

/** A reply that must be accepted whole. */
export interface Accepted {
  readonly name: string
  readonly query?: string
  readonly body: { readonly data: ReadonlyArray<object>; readonly next_page_token?: string | null }
}

/** A reply with one defect. */
export interface Broken {
  readonly name: string
  readonly body: { readonly data?: unknown }
  readonly at: string
}

/** The fixture of one path. */
export interface Fixture {
  readonly source: string
  readonly path: string
  readonly replies: ReadonlyArray<Accepted>
  readonly broken: ReadonlyArray<Broken>
}

const folder = new URL("fixtures/", import.meta.url)

/** Reads a fixture file; what it holds is what the test says it holds. */
export const read = <A>(name: string): A => JSON.parse(fs.readFileSync(new URL(name, folder), "utf8")) as A

/** The fixture of every path. */
export const all: ReadonlyArray<Fixture> = fs
  .readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.includes("/") && name.endsWith(".json"))
  .sort()
  .map((name) => read<Fixture>(name))

/** The endpoint of a fixture. */
export const endpointOf = (fixture: Fixture): Endpoint.Any => {
  const found = Endpoints.all.find(({ path }) => path === fixture.path)
  if (found === undefined) throw new Error(`no endpoint has the path ${fixture.path}`)
  return found
}

/** The query of a fixture as the parameters of a call; without parameters, what the endpoint requires. */
export const paramsOf = (path: string, query = "") => {
  const required = path === "/timeseries/asset-metrics" ? { assets: "btc", metrics: "PriceUSD" } : {}
  const given = Object.fromEntries(
    [...new URLSearchParams(query)].map(([name, value]) => {
      if (value === "true" || value === "false") return [name, value === "true"]
      return [name, name === "page_size" || name.startsWith("limit_per") ? Number(value) : value]
    })
  )
  // Type boundary: parameters of endpoints known as data only are checked when the stream runs.
  return { ...required, ...given } as never
}
