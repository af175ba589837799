import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Endpoints } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { required } from "@sluice/interface/Least"
import * as FakeApi from "../FakeApi.ts"
import * as Observed from "../Observed.ts"

const folder = new URL("../../src/endpoints/", import.meta.url)

const files = fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"))

const sources = files.map((name) => fs.readFileSync(new URL(name, folder), "utf8"))

const modules = await Promise.all(files.map((name) => import(new URL(name, folder).href)))

/** A doc comment, then the name of the value it belongs to. */
const documented = /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*export const (\w+)/g

/** The text of the doc comment of every endpoint, by its path. */
const comments = new Map(
  sources.flatMap((source, index) =>
    [...source.matchAll(documented)].flatMap(([, comment = "", name = ""]) => {
      const { path } = modules[index][name]
      return path === undefined ? [] : [[path, comment.replaceAll(/\s*\n\s*\*\s?/g, " ").trim()]]
    })
  )
)

const paths = (text: string) => [...text.matchAll(/`(\/[\w-]+\/[\w-]+)`/g)].map(([, path]) => path)

describe("Deprecated endpoints", () => {
  it("are the catalogs and the full catalogs", () => {
    assert.isNotEmpty(Endpoints.replacements)
    for (const path of Endpoints.replacements.keys()) assert.match(path, /^\/catalog(?:-all)?\//)
  })

  it("are looked for in the comments of all endpoints", () => {
    const all = [...Endpoints.all, ...Endpoints.singles, ...Endpoints.jobs, ...Endpoints.live]
    assert.deepStrictEqual([...comments.keys()].sort(), all.map(({ path }) => path).sort())
  })

  describe.each(Endpoints.all.map((endpoint) => [endpoint.path, endpoint] as const))("%s", (path, endpoint) => {
    const [said = "", deprecated] = (comments.get(path) ?? "").split("@deprecated")

    it("is marked as deprecated exactly when the value says so, and the comment names the same replacements", () => {
      assert.strictEqual(deprecated !== undefined, endpoint.deprecated !== undefined)
      assert.deepStrictEqual(paths(deprecated ?? ""), [...(endpoint.deprecated?.replacement ?? [])])
    })

    it("says in its comment when the community root does not offer it", () => {
      assert.strictEqual(said.includes("Not offered at the community root"), !endpoint.community)
    })

    it("says in its comment which section describes it", () => {
      assert.include(said, `docs/interface.md ${endpoint.section}`)
    })

    it.effect("warns when it is read exactly when the value says so, and names all that replaces it", () =>
      Effect.gen(function* () {
        const { run, said } = Observed.make([FakeApi.page([])])
        yield* run(Stream.runDrain(endpoint(required(path) as never)))
        const expected = `Warn ${path} is deprecated; use ${endpoint.deprecated?.replacement.join(", ")} instead`
        assert.deepStrictEqual(said, endpoint.deprecated === undefined ? [] : [expected])
      })
    )
  })
})

describe("Obsolete fields", () => {
  const fields = sources.flatMap((source) => [
    ...source.matchAll(/(\/\*\*(?:(?!\*\/)[^])*\*\/)?\s*(taxonomy_version|updated_at_taxonomy_version): /g)
  ])

  it.each([
    ["taxonomy_version", 2],
    ["updated_at_taxonomy_version", 1]
  ] as const)("%s is found where records have it", (name, times) => {
    assert.strictEqual(fields.filter(([, , field]) => field === name).length, times)
  })

  it("are marked as deprecated for editors, and their replacements are not", () => {
    for (const [, comment = "", field] of fields) {
      assert.strictEqual(comment.includes("@deprecated"), field === "taxonomy_version")
    }
  })
})
