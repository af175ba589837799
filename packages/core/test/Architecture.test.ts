import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Imports from "./Imports.ts"

const packages = path.join(import.meta.dirname, "../..")

const source = path.join(packages, "core/src")

const files = Imports.below(source)

const names = files.map(({ name }) => name)

const isSection = (name: string) => name.startsWith("endpoints/")

const own = ({ imports }: Imports.File) => imports.filter((name) => names.includes(name))

/** Names of the files that import a module. */
const importers = (module: (name: string) => boolean) =>
  files.filter(({ imports }) => imports.some(module)).map(({ name }) => name)

/** Modules a file may import from the engine, whoever is not named here may import any. */
const allowed: Readonly<Record<string, ReadonlyArray<string>>> = {
  ApiError: ["Timestamp"],
  Identifier: [],
  Field: [],
  Decimal: ["Field"],
  Timestamp: ["Field"],
  Root: ["ApiError", "PlainText"],
  Retry: ["ApiError", "Defaults"],
  Parameter: [],
  "internal/call/Call": ["Parameter", "Params", "Timestamp"],
  Params: ["ApiError", "Identifier", "Parameter", "PlainText", "Timestamp"],
  PlainText: [],
  Paging: [],
  Quota: [],
  MemoryQuota: [
    "ApiError",
    "Defaults",
    "Environment",
    "Quota",
    "internal/account/Settings",
    "internal/retry/Monotonic",
    "internal/observe/Wait",
    "internal/quota/Followers",
    "internal/quota/Pace",
    "internal/quota/Permits",
    "internal/quota/WaitNotice",
    "internal/quota/Window"
  ],
  Account: ["ApiError", "Defaults", "Environment", "PlainText", "Root", "internal/account/KeyScrubber"],
  "internal/pages/PageStream": [
    "ApiError",
    "Paging",
    "Retry",
    "internal/http/Engine",
    "internal/observe/CallSpan",
    "internal/pages/PageGuard",
    "internal/pages/PageHead",
    "internal/pages/PageRecords",
    "internal/wire/Envelope",
    "internal/wire/RecordDecoder",
    "internal/pages/SeenTokens",
    "internal/pages/Warnings"
  ],
  "internal/wire/RecordDecoder": [
    "PlainText",
    "internal/wire/Reader",
    "internal/wire/RecordReader",
    "internal/wire/Utf8"
  ]
}

/** Sections whose records and parameters the interface gives to another as well. */
const shared: Readonly<Record<string, ReadonlyArray<string>>> = {
  blockchainjobs: ["jobs"],
  securitymaster: ["referencedata"],
  catalog: ["referencedata"],
  catalogall: ["catalog"],
  catalogv2: ["catalog"],
  catalogallv2: ["catalogv2", "catalog"],
  live: ["timeseries", "catalogv2", "catalog"]
}

/** Public modules and the rooms of `internal`, the lowest first: each imports only what stands before it. */
const order = [
  "Defaults",
  "Field",
  "Gzip",
  "Identifier",
  "Metrics",
  "Paging",
  "Parameter",
  "PlainText",
  "Quota",
  "internal/memory",
  "Decimal",
  "Timestamp",
  "internal/wire",
  "FastReader",
  "ApiError",
  "JobError",
  "LiveError",
  "LiveMessage",
  "Environment",
  "Params",
  "Retry",
  "Root",
  "internal/call",
  "internal/series",
  "internal/observe",
  "internal/retry",
  "internal/account",
  "internal/quota",
  "MemoryQuota",
  "internal/shared",
  "QuotaStore",
  "internal/store",
  "RedisQuotaStore",
  "SharedQuota",
  "Account",
  "internal/http",
  "SystemErrors",
  "internal/live",
  "Client",
  "LiveClient",
  "internal/pages",
  "internal/resume",
  "internal/read",
  "Batch",
  "internal/job",
  "internal/bulk",
  "Endpoint",
  "internal/columns",
  "Columns",
  "LiveEndpoint",
  "LiveStream",
  "Job",
  "endpoints",
  "Endpoints",
  "Nearest",
  "Discover",
  "Suggestions",
  "internal/plan",
  "Bulk",
  "internal/book",
  "OrderBook",
  "index"
]

/** The room or section folder that a file is in; a public module stands for itself. */
const placeOf = (name: string) => /^(?:internal\/[^/]+|endpoints)(?=\/)/.exec(name)?.[0] ?? name

const floorOf = (name: string) => order.indexOf(placeOf(name))

const sectionMay = [
  "Endpoint",
  "Job",
  "LiveEndpoint",
  "Parameter",
  "Params",
  "Decimal",
  "Timestamp",
  "internal/wire/fields"
]

/** What a program of Effect has services for, or types. */
const notUsed = [
  /\bprocess\.env\b/,
  /\bconsole\./,
  /\bnew Date\b/,
  /\bDate\.now\b/,
  /\bperformance\b/,
  /\bset(?:Timeout|Interval|Immediate)\b/,
  /\bMath\.random\b/,
  /\bnew Promise\b/,
  /\basync\b/,
  /\bany\b(?=[;,)>\]])/
]

/** Files that use some of it all the same, and why. */
const exceptions: Readonly<Record<string, string>> = {
  "core/Timestamp": "makes a date of what a text says, not of now: half of the time that Effect's DateTime takes",
  "cli/program/Signals": "ends the process also where no fiber goes on, so it cannot wait for one",
  "sandbox/internal/simulation/Run":
    "takes the place of Effect's scheduler and clock, so it needs the turns of the process",
  "sandbox/internal/simulation/Turns": "says of a scheduler that it is `async`, which is Effect's own word"
}

describe("Architecture", () => {
  it("sees the imports it judges", () => {
    assert.isAbove(files.length, 20)
    assert.includeMembers(
      [...(files.find(({ name }) => name === "Endpoint")?.imports ?? [])],
      ["Client", "effect/Stream"]
    )
    assert.includeMembers([...(files.find(({ name }) => name === "index")?.imports ?? [])], ["endpoints/Timeseries"])
  })

  it.each(files.map((file) => [file.name, file] as const))("%s imports only what it may know", (name, file) => {
    const may = allowed[name]
    if (may !== undefined) assert.includeMembers([...may], own(file))
    if (isSection(name)) {
      const foreign = own(file).filter((module) => !isSection(module) && !sectionMay.includes(module))
      assert.deepStrictEqual(foreign, [])
    } else if (!["index", "Endpoints", "Discover", "OrderBook"].includes(name)) {
      assert.deepStrictEqual(
        own(file).filter(isSection),
        [],
        "only index, Endpoints, Discover and OrderBook know a section by name"
      )
    }
  })

  it("knows no section from another, but families of one and those whose records the interface shares", () => {
    for (const file of files.filter(({ name }) => isSection(name))) {
      const family = file.name.split("/")[1]?.toLowerCase() ?? ""
      for (const module of own(file).filter(isSection)) {
        assert.oneOf(module.split("/")[1]?.toLowerCase(), [family, ...(shared[family] ?? [])], file.name)
      }
    }
  })

  it("has a place for every module, which imports only what is in the same place or below", () => {
    assert.sameMembers([...new Set(names.map(placeOf))], order)
    for (const file of files) {
      const above = own(file).filter(
        (module) => placeOf(module) !== placeOf(file.name) && floorOf(module) > floorOf(file.name)
      )
      assert.deepStrictEqual(above, [], file.name)
    }
  })

  it("limits the imports of files that there are, to files that there are", () => {
    assert.includeMembers([...names], [...Object.keys(allowed), ...Object.values(allowed).flat()])
  })

  it("is closed: every relative import is a file of core", () => {
    for (const { imports, name } of files) {
      const outside = imports.filter((module) => !module.startsWith("effect/") && !names.includes(module))
      assert.deepStrictEqual(outside, [], name)
    }
  })

  it("runs anywhere: no node: module, no platform, nothing but effect", () => {
    for (const { imports, name } of files) {
      assert.deepStrictEqual(
        imports.filter((module) => module.startsWith("node:") || module.startsWith("@")),
        [],
        name
      )
    }
  })

  it("imports each module of effect by its path, so that a program loads what it uses", () => {
    assert.deepStrictEqual(
      importers((module) => module === "effect"),
      []
    )
  })

  it("imports modules marked unstable in few files", () => {
    assert.deepStrictEqual(
      importers((module) => module.startsWith("effect/http")).toSorted(),
      [
        "Client",
        "internal/http/DeprecationHeaders",
        "internal/http/Engine",
        "internal/http/Exchange",
        "internal/job/ResultFile",
        "internal/job/Start",
        "internal/quota/RateLimitHeaders"
      ].toSorted()
    )
    assert.deepStrictEqual(
      importers((module) => module.startsWith("effect/schema/")),
      ["internal/wire/RecordDecoder"]
    )
    const unstable =
      /^effect\/(?:persistence|encoding|socket|cli|workflow|cluster|observability|sql|testing|unstable)\b/
    assert.deepStrictEqual(
      importers((module) => unstable.test(module)).toSorted(),
      ["LiveClient", "RedisQuotaStore", "internal/live/socket/Connection", "internal/live/socket/WebSocket"].toSorted()
    )
  })

  it("leaves clock, chance, environment, promises and console to Effect, in every package that is published", () => {
    const excused = new Set<string>()
    for (const name of ["core", "node", "files", "datasets", "promise", "cluster", "cli", "sandbox"]) {
      const found = Imports.below(path.join(packages, name, "src"))
      assert.isNotEmpty(found)
      for (const file of found) {
        const code = file.text.replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, "")
        const used = notUsed.filter((word) => word.test(code))
        const module = `${name}/${file.name}`
        if (used.length > 0 && module in exceptions) excused.add(module)
        else assert.deepStrictEqual(used, [], module)
      }
    }
    assert.deepStrictEqual([...excused], Object.keys(exceptions))
  })

  it("keeps a file to one noun: at most 400 lines, in every package", () => {
    const sources = fs.readdirSync(packages).flatMap((name) => {
      const folder = path.join(packages, name, "src")
      return fs
        .readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts"))
        .map((file) => path.join(folder, file))
    })
    assert.isAbove(sources.length, files.length)
    for (const file of sources) {
      const lines = fs.readFileSync(file, "utf8").trimEnd().split("\n").length
      assert.isAtMost(lines, 400, path.relative(packages, file))
    }
  })
})
