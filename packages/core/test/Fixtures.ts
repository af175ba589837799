import * as fs from "node:fs"
import { required } from "@sluice/interface/Least"
import type { Operation } from "@sluice/interface/Operation"
import * as P from "@sluice/interface/Parameter"
import * as Replies from "@sluice/interface/Replies"
import * as Sample from "@sluice/interface/Sample"
import * as Expected from "./table/Expected.ts"
import * as Places from "./table/Places.ts"
import * as Read from "./table/Read.ts"
import * as Table from "@sluice/interface/Table"

/** A reply that must be accepted whole. */
export interface Accepted {
  readonly name: string
  readonly query?: string
  readonly body: {
    readonly data: ReadonlyArray<Sample.Json>
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

/** The replies of one path. */
export interface Fixture {
  readonly path: string
  readonly replies: ReadonlyArray<Accepted>
  readonly broken: ReadonlyArray<Broken>
}

const folder = new URL("fixtures/", import.meta.url)

/** Reads a fixture file; what it holds is what the test says it holds. */
export const read = <A>(name: string): A => JSON.parse(fs.readFileSync(new URL(name, folder), "utf8")) as A

/** The replies that are written by hand, by their path. */
const written = new Map(
  fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => (name.includes("/") || name === "jobs.json") && name.endsWith(".json"))
    .map((name) => [`/${name.replace(/\.json$/, "")}`, read<Pick<Fixture, "path" | "replies">>(name)])
)

/** The paths that have something written by hand. */
export const byHand: ReadonlyArray<readonly [file: string, path: string]> = [...written].map(([file, { path }]) => [
  file,
  path
])

/** The body of a reply: a record alone has no envelope. */
const bodyOf = ({ reply }: Operation, records: ReadonlyArray<unknown>) =>
  // Type boundary: what these tests call the body of a record, is the record.
  (reply === "record" ? records[0] : { data: records }) as Accepted["body"]

const accepted = (operation: Operation): ReadonlyArray<Accepted> =>
  Replies.of(operation).flatMap(({ name, query, records }) =>
    operation.reply === "record"
      ? records.map((record, nth) => ({ name: `${name}, ${nth}`, query, body: bodyOf(operation, [record]) }))
      : [{ name, query, body: bodyOf(operation, records) }]
  )

/** Defects of a page, and one of a record; all those are tried by `RecordFields.test.ts`, of other replies they are here. */
const broken = (operation: Operation): ReadonlyArray<Broken> => {
  const [{ fields } = { fields: {} }] = Expected.views(operation)
  const [record = {}] = Sample.rows(fields)
  const places = Places.of(fields, record)
  if (operation.reply === "page" || operation.reply === "data") {
    const [{ steps }] = places.toSorted((one, other) => other.steps.length - one.steps.length) as [Places.Place]
    const at = Places.written(steps)
    return [
      { name: "data is one record, not a list", body: { data: record }, at: "data" },
      { name: "the second record is a text, not an object", body: { data: [record, "text"] }, at: "data[1]" },
      { name: `${at} is an object`, body: { data: [record, Places.put(record, steps, {})] }, at: `data[1]${at}` }
    ]
  }
  const absent = places.filter(Places.isKey(fields))
  return [
    ...absent.map((place) => [place, undefined] as const),
    ...places.map((place) => [place, Places.wrong(place.type)[0]] as const)
  ].map(([{ steps }, wrong]) => {
    const at = Places.written(steps)
    const body = bodyOf(operation, [Places.put(record, steps, wrong)])
    return { name: `${at} is ${JSON.stringify(wrong)}`, body, at }
  })
}

const of = (reply: (reply: Operation["reply"]) => boolean): ReadonlyArray<Fixture> =>
  Table.all
    .filter((operation) => reply(operation.reply))
    .map((operation) => {
      const hand = written.get(operation.path)
      return {
        path: operation.path,
        replies: [...accepted(operation), ...(hand?.replies ?? [])],
        broken: broken(operation)
      }
    })

/** The replies of every path that replies with a list. */
export const all = of((reply) => reply === "page" || reply === "data")

/** The replies of every path that replies with one record, which is the body. */
export const singles = of((reply) => reply === "record")

/** The replies of every live operation: `data` holds the frames of a connection. */
export const live = of((reply) => reply === "frame")

/** The replies of every path that starts jobs; `data` are the records of the results. */
export const jobs = of((reply) => reply === "job")

const valueOf = (path: string, name: string, value: string) => {
  const { isClosed, isList, kind, words } = Table.find(path).parameters[name] ?? P.text
  if (kind === "boolean") return value === "true"
  if (kind === "integer" && !words.includes(value)) return Number(value)
  return isList && isClosed ? value.split(",") : value
}

/** The query of a fixture as the wire has it; without parameters, what the endpoint requires. */
export const queryOf = (path: string, query = ""): Readonly<Record<string, string>> => {
  const given = Object.fromEntries(new URLSearchParams(query))
  return { ...required(path, given), ...given }
}

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

/** Pairs of a name and what has it, for a table of tests. */
export const byName = <A extends { readonly name: string }>(all: ReadonlyArray<A>) =>
  all.map((one) => [one.name, one] as const)

/** The paths by the very object that describes their records: one decoder reads all that share it. */
const readers = (() => {
  const first = new Map<object, string>()
  for (const operation of Read.all) {
    for (const { params } of Expected.views(operation)) {
      const { ast } = operation.endpoint.record({ ...required(operation.path), ...params } as never)
      if (!first.has(ast)) first.set(ast, operation.path)
    }
  }
  return first
})()

/** Whether no path before this one has its records read by the same decoder, which then need not be tried again. */
export const isFirstReader = (path: string, query?: string): boolean => {
  const { ast } = Read.endpointOf(path).record(paramsOf(path, query))
  return (readers.get(ast) ?? path) === path
}
