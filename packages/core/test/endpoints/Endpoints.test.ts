import { assert, describe, it } from "@effect/vitest"
import { Endpoint, Endpoints, LiveEndpoint } from "@sluice/core"

const camelCase = (text: string) => text.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

/** The name of a path: `blocks/{block_hash}` is one `block`. */
const nameOf = (path: string) =>
  camelCase(
    path
      .replace(/^\{\w+\}\//, "")
      .replaceAll(/s\/\{\w+\}/g, "")
      .replaceAll("/", "-")
  )

/** Whose sections are named in the plural, and what stands for a path of one part. */
const names: Readonly<Record<string, string>> = { BlockchainJob: "BlockchainJobs", "": "list" }

const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Streams of which HTTP has a sample under other ids (docs/interface.md 6.4). */
const sampled = new Set(["marketQuotes", "marketContractPrices", "marketOrderbooks"])

describe("Endpoints", () => {
  it.each(
    [...Endpoints.entries, ...Endpoints.singleEntries, ...Endpoints.jobEntries].map(
      ({ endpoint, name, section }) => [endpoint.path, `${section}.${name}`] as const
    )
  )("%s is found as %s", (path, found) => {
    const [, section = "", ...rest] = path.split("/")
    const named = [upperFirst(camelCase(section)), nameOf(rest.join("/"))].map((name) => names[name] ?? name)
    assert.strictEqual(found, named.join("."))
  })

  it.each(Endpoints.all.map((endpoint) => [endpoint.path, endpoint] as const))(
    "%s is data that can be called",
    (_, endpoint) => {
      assert.isTrue(Endpoint.isEndpoint(endpoint))
      assert.isFunction(endpoint)
      assert.isFunction(endpoint.pages)
    }
  )

  it.each(Endpoints.singles.map((single) => [single.path, single] as const))("%s is one record", (_, single) => {
    assert.isTrue(Endpoint.isSingle(single))
    assert.isFalse(Endpoint.isEndpoint(single))
    assert.isFunction(single)
    assert.isTrue(Endpoint.isEndpoint(Endpoint.fromSingle(single)))
  })

  it.each(Endpoints.liveEntries.map((entry) => [entry.endpoint.path, entry] as const))("%s is live", (path, entry) => {
    assert.strictEqual(`${entry.section}.${entry.name}`, `Live.${nameOf(path.split("/").slice(2).join("/"))}`)
    assert.isTrue(LiveEndpoint.isLiveEndpoint(entry.endpoint))
    assert.isFalse(Endpoint.isEndpoint(entry.endpoint))
    assert.isFunction(entry.endpoint)
    const { history, overHttp } = entry.endpoint
    assert.strictEqual(
      history,
      Endpoints.all.map((one) => one.path).find((one) => one === path.replace("timeseries-stream", "timeseries"))
    )
    assert.strictEqual(overHttp, history === undefined ? "none" : sampled.has(entry.name) ? "other" : "same")
  })

  it("knows what replaces each deprecated path, and of no other", () => {
    const deprecated = Endpoints.all.filter((endpoint) => endpoint.deprecated !== undefined)
    assert.deepStrictEqual(
      [...Endpoints.replacements.keys()],
      deprecated.map(({ path }) => path)
    )
    for (const { deprecated: replaced, path } of deprecated) {
      assert.deepStrictEqual(Endpoints.replacements.get(path), replaced?.replacement)
    }
  })

  it("replaces no path by one that is deprecated itself", () => {
    for (const path of [...Endpoints.replacements.values()].flat()) {
      assert.isFalse(Endpoints.replacements.has(path), path)
    }
  })

  it("has an endpoint for every replacement but those that the service names and describes nowhere", () => {
    const paths = Endpoints.all.map(({ path }) => path)
    const missing = [...Endpoints.replacements.values()].flat().filter((path) => !paths.includes(path))
    // docs/interface.md 9.3.
    assert.deepStrictEqual([...new Set(missing)], ["/reference-data/asset-alerts"])
  })

  it("tells endpoints from other values", () => {
    for (const value of [undefined, null, {}, () => 0, { path: "/x" }, "x"]) {
      assert.isFalse(Endpoint.isEndpoint(value))
      assert.isFalse(Endpoint.isSingle(value))
    }
  })
})
