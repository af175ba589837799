import { assert, describe, it } from "@effect/vitest"
import { Endpoints } from "@sluice/core"
import * as Table from "@sluice/interface/Table"
import * as Agreements from "../table/Agreements.ts"
import * as Expected from "../table/Expected.ts"

const described: ReadonlyArray<Agreements.Described> = [
  ...Endpoints.all,
  ...Endpoints.singles,
  ...Endpoints.jobs,
  ...Endpoints.live
]

const read = described.map(({ path }) => path)

describe("The table of operations", () => {
  it("names no operation that is missing here or there", () => {
    assert.deepStrictEqual(read.toSorted(), Table.all.map(({ path }) => path).toSorted())
  })

  it("has an operation for every difference that Expected.ts names", () => {
    const used = new Set(Table.all.flatMap((operation) => Expected.named(operation)))
    assert.deepStrictEqual(
      Expected.differences.filter((difference) => !used.has(difference)),
      []
    )
  })
})

describe.each(described.map((endpoint) => [endpoint.path, endpoint] as const))("%s", (path, endpoint) => {
  it.each(Agreements.all)("%s", (_, differences) => {
    assert.deepStrictEqual(differences(Table.find(path), endpoint), [])
  })
})
