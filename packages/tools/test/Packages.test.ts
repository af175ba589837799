import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Imports from "../../core/test/Imports.ts"

const packages = path.join(import.meta.dirname, "../..")

interface Manifest {
  readonly version: string
  readonly description?: string
  readonly keywords?: ReadonlyArray<string>
  readonly license?: string
  readonly engines?: Readonly<Record<string, string>>
  readonly files?: ReadonlyArray<string>
  readonly sideEffects?: boolean | ReadonlyArray<string>
  readonly exports: Readonly<Record<string, string>>
  readonly publishConfig?: { readonly exports?: Readonly<Record<string, { types: string; default: string }>> }
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

// Type boundary: package.json files of this repository.
const manifest = (name: string) =>
  JSON.parse(fs.readFileSync(path.join(packages, name, "package.json"), "utf8")) as Manifest

const page = (file: string) => fs.readFileSync(path.join(packages, "..", file), "utf8")

/** Modules that the sources of a package import from elsewhere; `node:` and what it brings along itself (`#`) apart. */
const importsOf = (name: string): ReadonlySet<string> => {
  const found = Imports.below(path.join(packages, name, "src")).flatMap(({ modules }) => modules)
  return new Set(found.filter((module) => !/^(?:node:|#)/.test(module)))
}

const packageOf = (module: string) => /^(?:@[^/]+\/)?[^/]+/.exec(module)?.[0] ?? module

/** What each package stands on; `docs/architecture.md` says why. */
const standsOn: Readonly<Record<string, ReadonlyArray<string>>> = {
  core: ["effect"],
  sandbox: ["@effect/platform-node", "effect"],
  node: ["@effect/platform-node", "@sluice/core", "effect"],
  files: [
    "@effect/platform-node",
    "@sluice/core",
    "@sluice/node",
    "@uwdata/flechette",
    "aws4fetch",
    "effect",
    "hyparquet",
    "hyparquet-writer"
  ],
  datasets: ["@duckdb/node-api", "@effect/sql-pg", "@sluice/core", "@sluice/files", "@sluice/node", "effect"],
  promise: ["@effect/platform-node", "@sluice/core", "@sluice/files", "@sluice/node", "effect"],
  cluster: [
    "@effect/platform-node",
    "@effect/sql-pg",
    "@sluice/core",
    "@sluice/datasets",
    "@sluice/files",
    "@sluice/node",
    "effect"
  ],
  cli: [
    "@effect/platform-node",
    "@sluice/cluster",
    "@sluice/core",
    "@sluice/datasets",
    "@sluice/files",
    "@sluice/node",
    "@sluice/sandbox",
    "effect"
  ]
}

/** The inner modules of a package, for our packages of the same version alone. */
/** The modules that packages of ours alone import, of those that have some. */
const ours: Readonly<Record<string, string>> = {
  core: "./internal/columns/*",
  node: "./internal/*",
  files: "./internal/*"
}

describe("the packages", () => {
  it.each(Object.entries(standsOn))("%s imports what it names, and nothing above it", (name, expected) => {
    const imported = [...new Set([...importsOf(name)].map(packageOf))].toSorted()
    assert.deepStrictEqual(imported, [...expected])
    const { dependencies, devDependencies, peerDependencies } = manifest(name)
    // The command is published with all that it needs but DuckDB.
    const needed = name === "cli" ? devDependencies : { ...dependencies, ...peerDependencies }
    const expectedOf = name === "cli" ? ["@duckdb/node-api", ...expected] : expected
    assert.deepStrictEqual(Object.keys({ ...needed }).toSorted(), [...expectedOf])
    if (name === "cli") assert.deepStrictEqual({ ...dependencies, ...peerDependencies }, { "@duckdb/node-api": "*" })
  })

  it("leave the interface to itself: what it knows of the service comes from no code that reads it", () => {
    assert.deepStrictEqual([...importsOf("interface")], [])
  })

  it.each(Object.keys(standsOn))("%s says in the registry what it is, under the version of the changelog", (name) => {
    const { description, engines, files, keywords, license, sideEffects, version } = manifest(name)
    assert.strictEqual(version, /^## (\S+)/m.exec(page("CHANGELOG.md"))?.[1])
    assert.isAbove(description?.length ?? 0, 30)
    assert.isAbove(keywords?.length ?? 0, 5)
    assert.deepStrictEqual(
      [license, engines, files],
      ["MIT", { node: ">=22.19" }, name === "cli" ? ["command"] : ["dist", "src"]]
    )
    assert.isDefined(sideEffects)
  })

  it("are named in the steps of a release and among the dependencies that a user takes on, all of them", () => {
    const released = page("CONTRIBUTING.md")
      .match(/--filter '\.\/packages\/\{(.+?)\}' publish/)?.[1]
      ?.split(",")
    assert.deepStrictEqual(released?.toSorted(), Object.keys(standsOn).toSorted())
    const dependencies = /\*\*Dependencies\.\*\*([^]+?)All others/.exec(page("SECURITY.md"))?.[1] ?? ""
    const named = [...dependencies.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)
    const foreign = [...new Set(Object.values(standsOn).flat())].filter((name) => !name.startsWith("@sluice/"))
    assert.deepStrictEqual(named.filter((name) => !name.startsWith("@sluice/")).toSorted(), foreign.toSorted())
  })

  it("leave Effect's command line to the commands", () => {
    for (const name of ["core", "node", "files", "datasets", "promise", "cluster"]) {
      const modules = [...importsOf(name)].filter((module) => module.startsWith("effect/cli"))
      assert.deepStrictEqual(modules, [], name)
    }
  })

  it.each(["core", "node", "files", "datasets", "promise", "sandbox", "cluster"])(
    "%s lists every module that a program may import, and no pattern but what other packages of ours import",
    (name) => {
      const { exports, publishConfig } = manifest(name)
      for (const [subpath, file] of Object.entries(exports)) {
        assert.strictEqual(file, subpath === "." ? "./src/index.ts" : `./src/${subpath.slice(2)}.ts`)
        if (subpath !== ours[name]) assert.isTrue(fs.existsSync(path.join(packages, name, file)), file)
        const built = file.replace("/src/", "/dist/").replace(/\.ts$/, "")
        assert.deepStrictEqual(publishConfig?.exports?.[subpath], { types: `${built}.d.ts`, default: `${built}.js` })
      }
      assert.deepStrictEqual(Object.keys(publishConfig?.exports ?? {}), Object.keys(exports))
    }
  )

  it("import the inner modules of others only in the very version these have", () => {
    for (const name of Object.keys(standsOn)) {
      const inner = [...importsOf(name)].filter((module) => module.includes("/internal/")).map(packageOf)
      for (const other of new Set(inner)) {
        const { dependencies, devDependencies } = manifest(name)
        const named = name === "cli" ? devDependencies : dependencies
        assert.strictEqual(named?.[other], "workspace:*", `${name} on ${other}`)
      }
    }
  })

  it.each(["core", "node", "files", "datasets", "promise", "sandbox", "cluster"])(
    "%s has the same modules in its index as in its exports",
    (name) => {
      const index = fs.readFileSync(path.join(packages, name, "src/index.ts"), "utf8")
      const listed = [...index.matchAll(/^export \* as \w+ from "(.+)\.ts"$/gm)].map(([, module = ""]) => module)
      // Commands are run, or loaded when they are: they are no part of the library.
      const commands = ["./Program", "./main"]
      const others = [".", ours[name]]
      // Each loads a package that not every program has.
      const optional = ["./DatasetDuckdb", "./DatasetPostgres", "./SharedTable"]
      const modules = Object.keys(manifest(name).exports).filter(
        (one) => ![...others, ...commands, ...optional].includes(one)
      )
      assert.deepStrictEqual(listed.toSorted(), modules.toSorted())
    }
  )

  it.each(["core", "node", "files", "datasets", "promise", "cluster"])(
    "%s has nothing right under src that is not exported",
    (name) => {
      const files = fs.readdirSync(path.join(packages, name, "src")).filter((file) => file.endsWith(".ts"))
      const exported = Object.values(manifest(name).exports)
      assert.deepStrictEqual(
        files.filter((file) => !exported.includes(`./src/${file}`)),
        []
      )
    }
  )
})
