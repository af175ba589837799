import * as fs from "node:fs"
import { Endpoints, type Endpoint } from "@sluice/core"
import * as Predicate from "effect/Predicate"

/** A record as JSON has it. */
export type Json = Readonly<Record<string, unknown>>

/** A reply that must be accepted whole. */
export interface Accepted {
  readonly name: string
  readonly query?: string
  readonly body: {
    readonly data: ReadonlyArray<Json>
    readonly next_page_token?: string | null
    /** In any of the forms of docs/interface.md 2.8. */
    readonly warning?: unknown
    readonly warnings?: unknown
  }
}

/** A reply with one defect. */
export interface Broken {
  readonly name: string
  readonly body: { readonly data?: unknown }
  readonly at: string
}

/** A fixture as its file has it. */
interface File {
  readonly source: string
  readonly path: string
  /** Top-level keys without which a record must be refused. */
  readonly identity?: ReadonlyArray<string>
  /** The file whose identity, replies and defects this one has as well. */
  readonly like?: string
  readonly replies?: ReadonlyArray<Accepted>
  readonly broken?: ReadonlyArray<Broken>
}

/** The fixture of one path. */
export interface Fixture extends Required<Omit<File, "like">> {
  /** Name of its file, below the folder. */
  readonly file: string
}

const folder = new URL("fixtures/", import.meta.url)

/** Reads a fixture file; what it holds is what the test says it holds. */
export const read = <A>(name: string): A => JSON.parse(fs.readFileSync(new URL(name, folder), "utf8")) as A

const load = (file: string): Fixture => {
  const { broken = [], identity, like, replies = [], ...rest } = read<File>(file)
  if ((identity === undefined) === (like === undefined)) throw new Error(`${file}: expected identity, or like`)
  const model = like === undefined ? undefined : load(like)
  return {
    ...rest,
    file,
    identity: identity ?? model?.identity ?? [],
    replies: [...replies, ...(model?.replies ?? [])],
    broken: [...broken, ...(model?.broken ?? [])]
  }
}

/** The fixture of every path. */
export const all: ReadonlyArray<Fixture> = fs
  .readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.includes("/") && name.endsWith(".json"))
  .sort()
  .map(load)

/** The endpoint of a fixture. */
export const endpointOf = (fixture: Fixture): Endpoint.Any => {
  const found = Endpoints.all.find(({ path }) => path === fixture.path)
  if (found === undefined) throw new Error(`no endpoint has the path ${fixture.path}`)
  return found
}

const isNumeric = /^(?:page_size|limit|limit_per_\w+|\w+_height|min_confirmations)$/

const isWords = /^(?:include|exclude)$/

const parameter = (name: string, value: string) => {
  if (value === "true" || value === "false") return value === "true"
  if (isNumeric.test(name) && value !== "none") return Number(value)
  return isWords.test(name) ? value.split(",") : value
}

/** The query of a fixture as the wire has it; without parameters, what the endpoint requires. */
export const queryOf = (path: string, query = ""): Readonly<Record<string, string>> => ({
  ...(path === "/timeseries/asset-metrics" ? { assets: "btc", metrics: "PriceUSD" } : {}),
  ...Object.fromEntries(new URLSearchParams(query))
})

/** The query of a fixture as the parameters of a call. */
export const paramsOf = (path: string, query?: string, more: object = {}) => {
  const given = Object.entries(queryOf(path, query)).map(([name, value]) => [name, parameter(name, value)])
  // Type boundary: parameters of endpoints known as data only are checked when the stream runs.
  return { ...Object.fromEntries(given), ...more } as never
}

/** The replies of a fixture that together show all fields of the endpoint, in the order of the page. */
export const fullest = ({ replies }: Fixture): ReadonlyArray<Accepted> => {
  const named = replies.filter(({ name }) => name.startsWith("every field"))
  // Columns of a time series follow from the query, so none of its replies has them all.
  const rest = replies.filter(
    ({ name, query = "" }) => !name.startsWith("unknown") && !query.includes("paging_from=end")
  )
  return named.length > 0 ? named : rest
}

/** The provider's array is described only where it was asked for. */
export const including = ({ data }: Broken["body"]) =>
  Array.isArray(data) && data.some((record) => Predicate.hasProperty(record, "talos")) ? "include=talos" : ""
