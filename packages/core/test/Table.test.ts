import { assert, describe, it } from "@effect/vitest"
import { type Endpoint, Endpoints, type LiveEndpoint, type Parameter } from "@sluice/core"
import * as Compare from "./table/Compare.ts"
import { required } from "@sluice/interface/Least"
import { notYet } from "./table/NotYet.ts"
import * as Expected from "./table/Expected.ts"
import * as Actual from "./table/Actual.ts"
import * as Table from "@sluice/interface/Table"

const described: ReadonlyArray<Endpoint.Info | LiveEndpoint.Info> = [
  ...Endpoints.all,
  ...Endpoints.singles,
  ...Endpoints.jobs,
  ...Endpoints.live
]

const read = described.map(({ path }) => path)

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

describe("The table of operations", () => {
  it("names no operation that is missing here or there", () => {
    const missing = Object.values(notYet).flat()
    assert.deepStrictEqual(
      missing.filter((path) => read.includes(path)),
      [],
      "have their endpoint: take them out of NotYet.ts"
    )
    assert.deepStrictEqual(
      [...read, ...missing].toSorted(),
      Table.all.map(({ path }) => path).toSorted(),
      "the endpoints and NotYet.ts together are the operations of the table"
    )
  })

  it("is changed by every difference that Expected.ts names", () => {
    const used = new Set(
      Table.all.filter(({ path }) => read.includes(path)).flatMap((operation) => Expected.needed(operation))
    )
    assert.deepStrictEqual(
      Expected.differences.filter((difference) => !used.has(difference)),
      []
    )
  })
})

describe.each(described.map((endpoint) => [endpoint.path, endpoint] as const))("%s", (path, endpoint) => {
  const operation = Table.find(path)

  const recordOf = (params: Readonly<Record<string, string>>) =>
    // Type boundary: parameters of endpoints known as data only.
    endpoint.record({ ...required(path), ...params } as never)

  it("takes exactly the parameters of the table, and each what the table says", () => {
    const wanted = Expected.parameters(operation)
    assert.deepStrictEqual([...endpoint.parameters.keys()].toSorted(), Object.keys(wanted).toSorted())
    const found = Object.entries(wanted).flatMap(([name, parameter]) => {
      const shown = Actual.parameterOf(endpoint, name)
      return shown === undefined ? [] : Compare.properties(`parameter ${name}`, Expected.parameter(parameter), shown)
    })
    assert.deepStrictEqual(found, [])
  })

  it("gives each parameter the role its name says, and none without one", () => {
    for (const { name, role } of endpoint.parameters.values()) {
      assert.notStrictEqual(role._tag, "Other", name)
      const wanted = roles.find(([pattern]) => pattern.test(name))?.[1]
      if (wanted !== undefined) assert.deepInclude(role, wanted, name)
      const isPath = operation.parameters[name]?.isPath === true
      assert.strictEqual(role._tag === "Path", isPath, name)
      assert.strictEqual(path.includes(`{${name}}`), isPath, name)
    }
  })

  it.each(Expected.views(operation).map((view) => [view.name, view] as const))(
    "describes exactly the fields of the table: %s",
    (name, { fields, params }) => {
      assert.deepStrictEqual(Compare.fields(name, fields, Actual.fieldsOf(recordOf(params))), [])
    }
  )

  it("tells series apart by keys of the record", () => {
    const [view] = Expected.views(operation)
    for (const { name, role } of endpoint.parameters.values()) {
      if (role._tag !== "Entities" || role.field === undefined) continue
      assert.strictEqual(view?.fields[role.field]?.presence, "key", `${name} names ${role.field}`)
    }
  })

  it("offers the formats of the table, and `format` where there is a choice", () => {
    assert.deepStrictEqual(endpoint.formats, Expected.formats(operation))
    assert.strictEqual(endpoint.parameters.has("format"), endpoint.formats.length > 1)
  })

  it("is one record, a job, or frames, where the table has no envelope", () => {
    const replies: Readonly<Record<string, string>> = { record: "record", job: "job", frame: "frames" }
    assert.strictEqual(endpoint.reply, replies[operation.reply] ?? "list")
  })

  it("is paged where the table has a page size, and asks for the largest", () => {
    assert.strictEqual(endpoint.pageSize, operation.parameters["page_size"]?.maximum)
  })

  it("begins at its start by itself where the service would begin at the end", () => {
    assert.strictEqual(endpoint.order, Expected.order(operation))
  })

  it("knows which fields tell records of one time apart", () => {
    // The table has it for HTTP; a live series is told apart as the same series there.
    const history = Table.all.find((one) => one.path === path.replace("/timeseries-stream/", "/timeseries/"))
    if (endpoint.reply === "frames") assert.deepStrictEqual(endpoint.identity, history?.apart)
    if (path.startsWith("/timeseries/")) assert.deepStrictEqual(endpoint.identity, operation.apart)
    for (const field of operation.apart ?? []) assert.strictEqual(operation.record[field]?.presence, "key", field)
  })

  it("knows whether the community root offers it, which section describes it and what replaces it", () => {
    const { replacement, roots, section } = operation
    const shown = {
      community: endpoint.community,
      section: endpoint.section,
      replaced: endpoint.deprecated?.replacement
    }
    assert.deepStrictEqual(shown, { community: roots.includes("community"), section, replaced: replacement })
  })
})
