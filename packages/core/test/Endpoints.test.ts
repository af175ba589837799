import { assert, describe, it } from "@effect/vitest"
import { Endpoint, Endpoints } from "@sluice/core"
import * as Described from "./Described.ts"

const camelCase = (text: string) => text.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const find = (path: string) => {
  const found = Endpoints.all.find((endpoint) => endpoint.path === path)
  assert(found !== undefined, `no endpoint has the path ${path}`)
  return found
}

describe("Endpoints", () => {
  it("are the 79 paths of the interface, each once", () => {
    assert.strictEqual(Described.all.length, 79)
    assert.deepStrictEqual(
      Endpoints.all.map(({ path }) => path).toSorted(),
      Described.all.map(({ path }) => path).toSorted()
    )
  })

  it.each(Endpoints.entries.map(({ endpoint, name, section }) => [endpoint.path, `${section}.${name}`] as const))(
    "%s is found as %s",
    (path, found) => {
      const [, section = "", ...rest] = path.split("/")
      assert.strictEqual(found, `${upperFirst(camelCase(section))}.${camelCase(rest.join("-"))}`)
    }
  )

  describe.each(Described.all.map((described) => [described.path, described] as const))("%s", (path, described) => {
    const endpoint = find(path)

    it("takes exactly the parameters of the interface", () => {
      assert.deepStrictEqual([...endpoint.parameters.keys()].toSorted(), described.parameters.toSorted())
    })

    it("offers the formats of the interface, and `format` where there is a choice", () => {
      assert.deepStrictEqual(endpoint.formats, described.formats)
      assert.strictEqual(described.parameters.includes("format"), endpoint.formats.includes("json_stream"))
    })

    it("is paged where the interface offers a page size, and asks for the largest", () => {
      assert.strictEqual(endpoint.pageSize, described.paged ? 10_000 : undefined)
      assert.strictEqual(described.parameters.includes("page_size"), described.paged)
    })

    it("begins at its end by itself when it is a time series", () => {
      assert.strictEqual(endpoint.order, path.startsWith("/timeseries/") ? "series" : "list")
    })

    it("knows whether the community root offers it", () => {
      assert.strictEqual(endpoint.community, described.community)
    })

    it("names the section that describes it", () => {
      assert.strictEqual(endpoint.section, described.section)
    })

    it("is data that can be called", () => {
      assert.isTrue(Endpoint.isEndpoint(endpoint))
      assert.isFunction(endpoint)
      assert.isFunction(endpoint.pages)
    })
  })

  it("knows what replaces each deprecated path, and of no other", () => {
    assert.deepStrictEqual(
      Object.fromEntries(Endpoints.replacements),
      Object.fromEntries(
        Described.all.flatMap(({ path, replacement }) => (replacement === undefined ? [] : [[path, replacement]]))
      )
    )
  })

  it("replaces no path by one that is deprecated itself", () => {
    for (const path of [...Endpoints.replacements.values()].flat()) {
      assert.isFalse(Endpoints.replacements.has(path), path)
    }
  })

  it("tells endpoints from other values", () => {
    for (const value of [undefined, null, {}, () => 0, { path: "/x" }, "x"]) assert.isFalse(Endpoint.isEndpoint(value))
  })
})
