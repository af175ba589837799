/**
 * What must hold between an operation of the table and the endpoint that reads it: by the promise, the places where it does not.
 */
import type { Endpoint, LiveEndpoint, Parameter } from "@sluice/core"
import { requiredBy } from "@sluice/interface/Least"
import type { Operation } from "@sluice/interface/Operation"
import * as Table from "@sluice/interface/Table"
import * as Actual from "./Actual.ts"
import * as Compare from "./Compare.ts"
import * as Expected from "./Expected.ts"

export type Described = Endpoint.Info | LiveEndpoint.Info

type Agreement = (operation: Operation, endpoint: Described) => ReadonlyArray<string>

/** Parameters whose name says what they do, wherever they are. */
const roles: ReadonlyArray<readonly [name: RegExp, role: Partial<Parameter.Role>]> = [
  [/(?:^|_)start_time$/, { _tag: "Start", unit: "time" }],
  [/(?:^|_)end_time$/, { _tag: "End", unit: "time" }],
  [/^start_height$/, { _tag: "Start", unit: "height" }],
  [/^end_height$/, { _tag: "End", unit: "height" }],
  [/^start_hash$/, { _tag: "Start", unit: "hash" }],
  [/^end_hash$/, { _tag: "End", unit: "hash" }],
  [/^start_inclusive$/, { _tag: "StartInclusive" }],
  [/^end_inclusive$/, { _tag: "EndInclusive" }],
  [/^timezone$/, { _tag: "TimeZone" }],
  [/^frequency$/, { _tag: "Frequency" }],
  [/^sort$/, { _tag: "Sort" }],
  [/^page_size$/, { _tag: "PageSize" }],
  [/^paging_from$/, { _tag: "PageFrom" }],
  [/^next_page_token$/, { _tag: "PageToken" }],
  [/^limit$/, { _tag: "Limit" }],
  [/^limit_per_/, { _tag: "LimitPer" }],
  [/^start_with_/, { _tag: "Opening" }],
  [/^format$/, { _tag: "Format" }],
  [/^include$/, { _tag: "Include" }],
  [/^exclude$/, { _tag: "Exclude" }],
  [/^pretty$/, { _tag: "Layout" }]
]

const names = (table: object, endpoint: Iterable<string>) =>
  Compare.properties("parameters", { names: Object.keys(table).toSorted() }, { names: [...endpoint].toSorted() })

const isKey = ({ record }: Operation, field: string) => record[field]?.isKey === true

const parameters: Agreement = (operation, endpoint) => {
  const wanted = Expected.parameters(operation)
  const each = Object.entries(wanted).flatMap(([name, parameter]) => {
    const shown = Actual.parameterOf(endpoint, name)
    return shown === undefined ? [] : Compare.properties(`parameter ${name}`, Expected.parameter(parameter), shown)
  })
  return [...names(wanted, endpoint.parameters.keys()), ...each]
}

const rolesOf: Agreement = (operation, endpoint) =>
  [...endpoint.parameters.values()].flatMap(({ name, role }) => {
    const wanted = roles.find(([pattern]) => pattern.test(name))?.[1] ?? {}
    const isPath = operation.parameters[name]?.isPath === true
    return [
      ...(role._tag === "Other" ? [`parameter ${name} has no role`] : []),
      ...Compare.properties(`parameter ${name}`, wanted, role),
      ...Compare.properties(
        `parameter ${name}`,
        { isInRole: isPath, isInBraces: isPath },
        { isInRole: role._tag === "Path", isInBraces: endpoint.path.includes(`{${name}}`) }
      )
    ]
  })

const records: Agreement = (operation, endpoint) =>
  Expected.views(operation).flatMap(({ fields, name, params }) => {
    // Type boundary: parameters of endpoints known as data only.
    const record = endpoint.record({ ...requiredBy(operation), ...params } as never)
    return Compare.fields(name, fields, Actual.fieldsOf(record))
  })

const series: Agreement = (operation, endpoint) =>
  [...endpoint.parameters.values()].flatMap(({ name, role }) =>
    role._tag !== "Entities" || role.field === undefined || isKey(operation, role.field)
      ? []
      : [`${name} names ${role.field}, which is no key of the record`]
  )

const formats: Agreement = (operation, endpoint) =>
  Compare.properties(
    "formats",
    { formats: Expected.formats(operation), hasChoice: endpoint.formats.length > 1 },
    { formats: endpoint.formats, hasChoice: endpoint.parameters.has("format") }
  )

const replies: Readonly<Record<string, string>> = { record: "record", job: "job", frame: "frames" }

/** The table has it for HTTP; a live series is told apart as the same series there. */
const apart: Agreement = (operation, endpoint) => {
  const { path } = operation
  const history = Table.all.find((one) => one.path === path.replace("/timeseries-stream/", "/timeseries/"))
  const isSeries = path.startsWith("/timeseries/")
  const wanted = isSeries ? operation.apart : history?.apart
  return [
    ...(isSeries || operation.reply === "frame"
      ? Compare.properties("identity", { apart: wanted }, { apart: endpoint.identity })
      : []),
    ...(operation.apart ?? []).flatMap((field) => (isKey(operation, field) ? [] : [`${field} is no key of the record`]))
  ]
}

export const all: ReadonlyArray<readonly [promise: string, Agreement]> = [
  ["takes exactly the parameters of the table, and each what the table says", parameters],
  ["gives each parameter the role its name says, and none without one", rolesOf],
  ["describes exactly the fields of the table in every kind of call", records],
  [
    "differs where Expected.ts says so",
    (operation) => {
      const needed = Expected.needed(operation)
      return Expected.named(operation).flatMap((one) => (needed.includes(one) ? [] : [`${one.at} is not so there`]))
    }
  ],
  ["tells series apart by keys of the record", series],
  ["offers the formats of the table, and `format` where there is a choice", formats],
  [
    "is one record, a job, or frames, where the table has no envelope",
    (operation, { reply }) => Compare.properties("endpoint", { reply: replies[operation.reply] ?? "list" }, { reply })
  ],
  [
    "is paged where the table has a page size, and asks for the largest",
    (operation, { pageSize }) =>
      Compare.properties("endpoint", { pageSize: operation.parameters["page_size"]?.maximum }, { pageSize })
  ],
  [
    "begins at its start by itself where the service would begin at the end",
    (operation, { order }) => Compare.properties("endpoint", { order: Expected.order(operation) }, { order })
  ],
  ["knows which fields tell records of one time apart", apart],
  [
    "knows whether the community root offers it, which section describes it and what replaces it",
    ({ replacement, roots, section }, { community, deprecated, section: ours }) =>
      Compare.properties(
        "endpoint",
        { community: roots.includes("community"), section, replacement },
        { community, section: ours, replacement: deprecated?.replacement }
      )
  ]
]
