import * as fs from "node:fs"
import type { Endpoint } from "@sluice/core"
import * as Predicate from "effect/Predicate"
import { required } from "@sluice/interface/Least"
import * as P from "@sluice/interface/Parameter"
import * as Read from "./table/Read.ts"
import * as Table from "@sluice/interface/Table"

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
  /** The file whose replies and defects this one has as well. */
  readonly like?: string
  readonly replies?: ReadonlyArray<Accepted>
  readonly broken?: ReadonlyArray<Broken>
}

/** The fixture of one path. */
export interface Fixture extends Required<Omit<File, "like">> {
  /** Name of its file, below the folder. */
  readonly file: string
  /** The fixture whose replies and defects this one has as well. */
  readonly model: Fixture | undefined
  /** Top-level keys without which a record must be refused: those of the table. */
  readonly identity: ReadonlyArray<string>
}

const folder = new URL("fixtures/", import.meta.url)

/** Reads a fixture file; what it holds is what the test says it holds. */
export const read = <A>(name: string): A => JSON.parse(fs.readFileSync(new URL(name, folder), "utf8")) as A

const load = (file: string): Fixture => {
  const { broken = [], like, replies = [], ...rest } = read<File>(file)
  const model = like === undefined ? undefined : load(like)
  return {
    ...rest,
    file,
    model,
    identity: Read.keysOf(rest.path),
    replies: [...replies, ...(model?.replies ?? [])],
    broken: [...broken, ...(model?.broken ?? [])]
  }
}

const files: ReadonlyArray<Fixture> = fs
  .readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => (name.includes("/") || name === "jobs.json") && name.endsWith(".json"))
  .sort()
  .map(load)

/** The fixture of every path that replies with a list. */
export const all: ReadonlyArray<Fixture> = files.filter(
  ({ path }) => !["record", "job", "frame"].includes(Table.find(path).reply)
)

/** The fixture of every path that replies with one record, which is the body. */
export const singles: ReadonlyArray<Fixture> = files.filter(({ path }) => Table.find(path).reply === "record")

/** The fixture of every live operation: `data` holds the frames of a connection. */
export const live: ReadonlyArray<Fixture> = files.filter(({ path }) => Table.find(path).reply === "frame")

/** The fixture of every path that starts jobs; `data` are the records of the results. */
export const jobs: ReadonlyArray<Fixture> = files.filter(({ path }) => Table.find(path).reply === "job")

/** The endpoint of a fixture. */
export const endpointOf = (fixture: Fixture): Endpoint.Any => Read.endpointOf(fixture.path)

/** The description of the records that a reply has. */
const described = (fixture: Fixture, { query }: Accepted) =>
  endpointOf(fixture).record(paramsOf(fixture.path, query)).ast

/**
 * Whether the records of every reply are described by the very object that describes those of the model: then one and the
 * same decoder reads both, and what it accepts and refuses is tried with the model.
 */
export const isReadAsModel = (fixture: Fixture): boolean => {
  const { model, replies } = fixture
  return model !== undefined && replies.every((reply) => described(fixture, reply) === described(model, reply))
}

const valueOf = (path: string, name: string, value: string) => {
  const { isClosed, isList, kind, words } = Table.find(path).parameters[name] ?? P.text
  if (kind === "boolean") return value === "true"
  if (kind === "integer" && !words.includes(value)) return Number(value)
  return isList && isClosed ? value.split(",") : value
}

/** The query of a fixture as the wire has it; without parameters, what the endpoint requires. */
export const queryOf = (path: string, query = ""): Readonly<Record<string, string>> => ({
  ...required(path),
  ...Object.fromEntries(new URLSearchParams(query))
})

/** The query of a fixture as it is sent: without what stands in the path. */
export const sentOf = (path: string, query?: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(queryOf(path, query)).filter(([name]) => Table.find(path).parameters[name]?.isPath !== true)
  )

/** The query of a fixture as the parameters of a call. */
export const paramsOf = (path: string, query?: string, more: object = {}) => {
  const given = Object.entries(queryOf(path, query)).map(([name, value]) => [name, valueOf(path, name, value)])
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
