import { assert, describe, it } from "@effect/vitest"
import * as cluster from "@sluice/cluster"
import * as core from "@sluice/core"
import * as datasets from "@sluice/datasets"
import * as files from "@sluice/files"
import * as node from "@sluice/node"
import * as promise from "@sluice/promise"
import { Sandbox } from "@sluice/sandbox"
import { readFileSync } from "node:fs"

const page = readFileSync(new URL("../../../docs/errors.md", import.meta.url), "utf8")

/** Names of the error classes that a module exports, those of its modules too. */
const errorsOf = (module: object): ReadonlyArray<string> =>
  Object.entries(module).flatMap(([name, value]) => {
    if (typeof value === "function") return value.prototype instanceof Error ? [name] : []
    const isModule = typeof value === "object" && value !== null && value[Symbol.toStringTag] === "Module"
    return isModule ? errorsOf(value) : []
  })

const exported = [...new Set([core, node, files, datasets, promise, cluster, { Sandbox }].flatMap(errorsOf))].toSorted()

describe("docs/errors.md", () => {
  it("has a row for every error of the packages, and for no other", () => {
    const rows = [...page.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)].flatMap(([, cell = ""]) => cell.match(/\w+/g) ?? [])
    assert.isAbove(exported.length, 35)
    assert.deepStrictEqual(rows.toSorted(), exported)
  })

  it("names what each error of a call carries", () => {
    for (const error of core.ApiError.ApiError.members) {
      const name = error.identifier
      const row = page.split("\n").find((line) => line.startsWith(`| \`${name}\` |`)) ?? ""
      const fields = Object.keys(error.fields).filter((field) => !["_tag", "endpoint", "trace"].includes(field))
      assert.deepStrictEqual(
        fields.filter((field) => !row.includes(`\`${field}\``)),
        [],
        name
      )
    }
  })
})
