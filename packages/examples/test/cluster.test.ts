import { assert, describe, it } from "@effect/vitest"
import { Deployment } from "kubernetes-models/apps/v1/Deployment"
import { readFileSync } from "node:fs"
import { parse } from "yaml"

const read = (name: string) => readFileSync(new URL(`../cluster/${name}`, import.meta.url), "utf8")

const page = readFileSync(new URL("../../../docs/many-machines.md", import.meta.url), "utf8")

const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce(
    (inner: unknown, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined),
    value
  )

// Type boundary: the validation says whether it is one.
const deployment = (value: unknown) => new Deployment(value as ConstructorParameters<typeof Deployment>[0])

/** Settings that `sluice worker` reads from its environment. */
const settings = ["SLUICE_API_KEY", "SLUICE_CLUSTER", "SLUICE_CLUSTER_SECRET", "SLUICE_QUOTA_STORE"]

describe("the files of a cluster", () => {
  it.each(["compose.yaml", "kubernetes.yaml", "sluice-worker.service"])("%s is linked to from the page", (name) => {
    assert.include(page, `(../packages/examples/cluster/${name})`)
  })

  it("the manifest is what the schemas of Kubernetes ask for, and a wrong one is not", () => {
    const manifest = parse(read("kubernetes.yaml"))
    deployment(manifest).validate()
    assert.throws(() => deployment({ ...(manifest as object), spec: { replicas: "four" } }).validate())
    const variables = at(manifest, "spec", "template", "spec", "containers", 0, "env")
    assert.includeMembers(Array.isArray(variables) ? variables.map((one) => at(one, "name")) : [], settings)
  })

  it("the compose file starts workers behind a PostgreSQL that answers, with one folder", () => {
    const compose = parse(read("compose.yaml"))
    assert.deepStrictEqual(at(compose, "services", "worker", "command"), ["worker", "--listen", "0.0.0.0:9464"])
    assert.deepStrictEqual(at(compose, "services", "worker", "depends_on", "postgres", "condition"), "service_healthy")
    assert.deepStrictEqual(Object.keys(at(compose, "services", "worker", "environment") as object), settings)
    assert.deepStrictEqual(at(compose, "services", "worker", "volumes"), ["data:/data"])
  })

  it("the unit of systemd has sections and settings alone, and starts a worker", () => {
    const lines = read("sluice-worker.service").split("\n")
    const odd = lines.filter((line) => !/^(?:#.*|\[(?:Unit|Service|Install)\]|[A-Z][A-Za-z]+=.+|)$/.test(line))
    assert.deepStrictEqual(odd, [])
    assert.include(lines, "ExecStart=/usr/bin/sluice worker")
    assert.include(lines, "Restart=always")
  })
})
