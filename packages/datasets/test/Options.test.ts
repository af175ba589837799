// Options as a program gives them that no compiler has checked: each is refused by its name, and nothing is written.
import { assert, describe, it } from "@effect/vitest"
import type { Client } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import { Download, Format } from "@sluice/files"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as DatasetDuckdb from "@sluice/datasets/DatasetDuckdb"
import * as DatasetPostgres from "@sluice/datasets/DatasetPostgres"
import * as SharedDataset from "@sluice/datasets/SharedDataset"
import * as SharedFolder from "@sluice/files/SharedFolder"
import * as SharedTable from "@sluice/datasets/SharedTable"
import * as TableSchema from "@sluice/files/TableSchema"
import * as Stream from "effect/Stream"
import * as Shape from "../../node/src/internal/options/Shape.ts"
import { job as dataset } from "./dataset/Harness.ts"
import { job as download, temporary, world } from "../../files/test/download/Harness.ts"

type Wrong = Readonly<Record<string, unknown>>

type Run = (job: never) => Stream.Stream<unknown, object, Client.Client | FileSystem.FileSystem | Path.Path>

// Type boundary: what the compiler refuses is what is tested.
const unchecked = (job: unknown) => job as never

/** The error of a run, as its tag, option and reason; and that its folder was not made. */
const refusalOf = (run: Run, job: object, wrong: Wrong) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const to = `${yield* temporary}/new`
    const error = yield* Effect.flip(Stream.runDrain(run(unchecked({ ...job, to, ...wrong }))))
    assert.isFalse(yield* fs.exists(to))
    return sentenceOf(error)
  })

const sentenceOf = (error: object) => {
  const { _tag: tag, option, parameter, reason, setting }: Readonly<Record<string, unknown>> = { ...error }
  return [
    tag,
    option ?? setting ?? parameter,
    String(reason).replace(/(is not an option; the options are) .*/, "$1 …")
  ].join(" ")
}

type SharedMake = Effect.Effect<unknown, object, Client.Client | FileSystem.FileSystem | Path.Path | Scope.Scope>

const words = (...all: ReadonlyArray<string>) => `must be ${all.join(", ").replace(/, (?="[^"]*"$)/, " or ")}`

/** What is given in place of a right option, and the error of it. Formats are the same in both. */
const formats: ReadonlyArray<readonly [Wrong, string]> = [
  [
    { format: { as: "csv", compression: "brotli" } },
    `BadFormat compression ${words('"gzip"', '"zstd"')}, got "brotli"`
  ],
  [
    { format: { as: "parquet", numbers: "float" } },
    `BadFormat numbers ${words('"double"', '"decimal"', '"text"')}, got "float"`
  ],
  [{ format: { as: "parquet", decimal: { precision: 20 } } }, "BadFormat decimal.scale is required"],
  [{ format: { as: "csv", statusColumns: "no" } }, 'BadFormat statusColumns must be true or false, got "no"'],
  [{ format: { as: "csv", columns: "time" } }, "BadFormat columns must be a list"],
  [{ format: { as: "csv", columns: ["time", 5] } }, "BadFormat columns.1 must be text, got 5"],
  [{ format: { as: "csv", compresion: "gzip" } }, 'BadFormat compresion is not an option; did you mean "compression"?'],
  [{ format: "csv" }, 'BadFormat format must be an object such as { as: "csv" }']
]

const folder = 'must be the path of a folder, and "." is this one'
const place = 'must be the path of a folder, "." for this one, or a place such as that of DatasetPostgres.make'

const ofDatasets: ReadonlyArray<readonly [Wrong, string]> = [
  ...formats,
  [{ format: { as: "xlsx" } }, `BadFormat as ${words('"ndjson"', '"csv"', '"parquet"')}, got "xlsx"`],
  [{ format: { as: "arrow" } }, `BadFormat as ${words('"ndjson"', '"csv"', '"parquet"')}, got "arrow"`],
  [{ onRemoved: "delete" }, `BadDefinition onRemoved ${words('"keep"', '"remove"')}, got "delete"`],
  [
    { layout: { period: "week" } },
    `BadDefinition layout.period ${words('"day"', '"month"', '"year"', '"none"')}, got "week"`
  ],
  [{ layout: { rows: 0 } }, "BadDefinition layout.rows must be a whole number from 1 up, got 0"],
  [{ layout: { byEntity: 1 } }, "BadDefinition layout.byEntity must be true or false, got 1"],
  [{ layout: { by_entity: true } }, 'BadDefinition layout.by_entity is not an option; did you mean "byEntity"?'],
  [{ lookBack: "a week" }, 'BadDefinition lookBack must be a length of time such as "2 days"'],
  [{ lookback: "2 days" }, 'BadDefinition lookback is not an option; did you mean "lookBack"?'],
  [{ concurrency: 0 }, "BadDefinition concurrency must be a number from 1 up, got 0"],
  [{ concurrency: "3" }, 'BadDefinition concurrency must be a number from 1 up, got "3"'],
  [{ to: "" }, `BadDefinition to ${place}`],
  [{ to: undefined }, "BadDefinition to is required"],
  [{ to: { name: "x" } }, `BadDefinition to ${place}`],
  [{ split: { by: "assets" } }, "BadDefinition split is not an option; the options are …"],
  [
    { endpoint: "asset-metrics" },
    "BadDefinition endpoint must be an endpoint of many records, such as Timeseries.assetMetrics"
  ]
]

const ofDownloads: ReadonlyArray<readonly [Wrong, string]> = [
  ...formats,
  [
    { format: { as: "xlsx" } },
    `BadFormat as ${words('"ndjson"', '"csv"', '"parquet"', '"arrow"', '"arrows"')}, got "xlsx"`
  ],
  [{ format: undefined }, "BadFormat format is required"],
  [{ concurrency: 0 }, "Misconfigured concurrency must be a number from 1 up, got 0"],
  [{ concurrency: -3 }, "Misconfigured concurrency must be a number from 1 up, got -3"],
  [{ concurrency: Number.NaN }, "Misconfigured concurrency must be a number from 1 up, got NaN"],
  [{ concurency: 3 }, 'Misconfigured concurency is not an option; did you mean "concurrency"?'],
  [{ resume: "yes" }, `Misconfigured resume ${words('"allowed"', '"required"', '"never"')}, got "yes"`],
  [{ onFailure: "keep-going" }, `Misconfigured onFailure ${words('"stop"', '"continue"')}, got "keep-going"`],
  [{ verify: "yes" }, 'Misconfigured verify must be true or false, got "yes"'],
  [{ to: "" }, `Misconfigured to ${folder}`],
  [{ to: "  " }, `Misconfigured to ${folder}`],
  [{ to: undefined }, "Misconfigured to is required"],
  [{ endpoint: undefined }, "Misconfigured endpoint is required"],
  [{ params: "assets=btc" }, "Misconfigured params must be an object"],
  [{ split: "assets" }, "Misconfigured split must be an object"],
  [{ split: { by: "assets", evry: "1 month" } }, "BadSplit evry is no way to split; there are by, size and every"]
]

const throws = () => {
  throw new Error("mine")
}

describe("an option that no compiler has checked", () => {
  const cases: ReadonlyArray<readonly [string, Run, object, ReadonlyArray<readonly [Wrong, string]>]> = [
    ["Dataset.sync", Dataset.sync, dataset, ofDatasets],
    ["Download.run", Download.run, download, ofDownloads]
  ]
  for (const [name, run, job, table] of cases) {
    for (const [wrong, expected] of table) {
      it.effect(`is refused by ${name}: ${JSON.stringify(wrong)}`, () =>
        Effect.gen(function* () {
          assert.strictEqual(yield* refusalOf(run, job, wrong), expected)
        }).pipe(Effect.provide(world))
      )
    }
  }

  it.effect("is refused by every function of datasets that takes a place or a job", () =>
    Effect.gen(function* () {
      const nowhere = unchecked("")
      const runs: ReadonlyArray<Effect.Effect<unknown, unknown, unknown>> = [
        Dataset.defined(nowhere),
        Dataset.status(nowhere),
        Dataset.compare(nowhere),
        Stream.runDrain(Dataset.verify(nowhere)),
        Dataset.check(unchecked({ ...dataset, to: "" })),
        Dataset.check(unchecked(undefined)),
        Stream.runDrain(Dataset.watch(unchecked({ ...dataset, to: "out", every: "0 seconds" }))),
        Stream.runDrain(Dataset.watch(unchecked({ ...dataset, to: "out", evry: "1 minute" })))
      ]
      const settings = ["to", "to", "to", "to", "to", "job", "every", "evry"]
      for (const [at, run] of runs.entries()) {
        const error = yield* Effect.flip(run) as Effect.Effect<unknown>
        assert.deepInclude(error, { _tag: "BadDefinition", setting: settings[at] })
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("is refused by the tables of a database, before a connection or a file is opened", () =>
    Effect.gen(function* () {
      const url = Redacted.make("postgres://localhost:1/none")
      const file = `${yield* temporary}/new/x.duckdb`
      const cases: ReadonlyArray<readonly [Dataset.Store, string, string]> = [
        [DatasetPostgres.make(unchecked({ url: "postgres://me:zebra@db/x", table: "t" })), "url", "must be a Redacted"],
        [DatasetPostgres.make(unchecked({ url, table: "t", numbers: "float" })), "numbers", 'got "float"'],
        [DatasetPostgres.make({ url, table: "nosuch.t" }), "table", 'give the schema as "schema"'],
        [DatasetPostgres.make(unchecked({ url, table: "t", conections: 2 })), "conections", '"connections"'],
        [DatasetDuckdb.make(unchecked({ file, table: "t", numbers: "float" })), "numbers", 'got "float"'],
        [DatasetDuckdb.make({ file, table: "nosuch.t" }), "table", 'give the schema as "schema"'],
        [DatasetDuckdb.make({ file: "", table: "t" }), "file", "must be the path of a file"]
      ]
      for (const [to, setting, reason] of cases) {
        const { endpoint, params } = dataset
        for (const run of [Stream.runDrain(Dataset.sync({ endpoint, params, to })), Dataset.status(to)]) {
          const error = yield* Effect.flip(run) as Effect.Effect<Dataset.DatasetError>
          assert.deepInclude(error, { _tag: "BadDefinition", setting })
          assert.include(error.message, reason)
          assert.notInclude(error.message, "zebra")
        }
      }
      assert.isFalse(yield* (yield* FileSystem.FileSystem).exists(file))
      const { endpoint } = dataset
      const params = { ...dataset.params, start_time: "2026-01-01" }
      yield* Stream.runDrain(Dataset.sync({ endpoint, params, to: DatasetDuckdb.make({ file, table: "t" }) }))
      assert.isTrue(yield* (yield* FileSystem.FileSystem).exists(file))
    }).pipe(Effect.provide(world))
  )

  const { endpoint, params } = download
  const url = Redacted.make("postgres://me:zebra@localhost:1/none")
  const shared: ReadonlyArray<
    readonly [string, (job: never) => SharedMake, object, ReadonlyArray<readonly [Wrong, string]>]
  > = [
    [
      "SharedFolder.make",
      (job) => SharedFolder.make(job, "group"),
      { endpoint, params, to: "out", format: { as: "csv" } },
      [
        [{ to: "" }, `Misconfigured to ${folder}`],
        [{ to: undefined }, "Misconfigured to is required"],
        [{ concurrency: 3 }, "Misconfigured concurrency is not an option; the options are …"],
        [{ spilt: { by: "assets" } }, 'Misconfigured spilt is not an option; did you mean "split"?'],
        [
          { format: { as: "xlsx" } },
          `BadFormat as ${words('"ndjson"', '"csv"', '"parquet"', '"arrow"', '"arrows"')}, got "xlsx"`
        ]
      ]
    ],
    [
      "SharedDataset.make",
      (job) => SharedDataset.make(job, "group"),
      { endpoint, params, into: { folder: "out" } },
      [
        [{ into: undefined }, "BadDefinition into is required"],
        [{ into: { folder: "" } }, `BadDefinition folder ${folder}`],
        [
          { into: { folder: "out", lookback: "2 days" } },
          'BadDefinition lookback is not an option; did you mean "lookBack"?'
        ],
        [
          { into: { folder: "out", layout: { rows: 0 } } },
          "BadDefinition layout.rows must be a whole number from 1 up, got 0"
        ],
        [
          { into: { folder: "out", format: { as: "xlsx" } } },
          `BadFormat as ${words('"ndjson"', '"csv"', '"parquet"')}, got "xlsx"`
        ],
        [{ to: "out" }, 'BadDefinition to is not an option; did you mean "into"?'],
        [
          { split: { by: "assets" } },
          "BadDefinition split is of a download; the parts of a dataset follow from its layout"
        ]
      ]
    ],
    [
      "SharedTable.make",
      (job) => SharedTable.make(job, "group"),
      { endpoint, params, into: { url, table: "prices" } },
      [
        [
          { into: { url: "postgres://me:zebra@db/x", table: "t" } },
          "BadDefinition url must be a Redacted: Redacted.make(text)"
        ],
        [
          { into: { url, table: "t", numbers: "float" } },
          `BadDefinition numbers ${words('"double"', '"decimal"', '"text"')}, got "float"`
        ],
        [
          { into: { url, table: "t", conections: 2 } },
          'BadDefinition conections is not an option; did you mean "connections"?'
        ],
        [
          { into: { url, table: "public.t" } },
          'BadDefinition table has a point and would be one name: give the schema as "schema", which also allows a point in the name'
        ],
        [{ format: { as: "csv" } }, "BadFormat format is not an option; the options are …"]
      ]
    ]
  ]
  for (const [name, make, job, table] of shared) {
    it.effect(`is refused by ${name}`, () =>
      Effect.gen(function* () {
        for (const [wrong, expected] of table) {
          const error = yield* Effect.flip(make(unchecked({ ...job, ...wrong })))
          assert.strictEqual(sentenceOf(error), expected)
          assert.notInclude(JSON.stringify(error), "zebra")
        }
      }).pipe(Effect.scoped, Effect.provide(world))
    )
  }

  it.effect("is refused by the schema of a table", () =>
    Effect.gen(function* () {
      const wrong: ReadonlyArray<readonly [Wrong, string, string]> = [
        [{ columns: "time" }, "columns", "must be a list"],
        [{ as: "xlsx" }, "as", `${words('"ndjson"', '"csv"', '"parquet"', '"arrow"', '"arrows"')}, got "xlsx"`],
        [{ statusColums: true }, "statusColums", 'is not an option; did you mean "statusColumns"?'],
        [{ descriptions: { time: 5 } }, "descriptions.time", "must be text, got 5"]
      ]
      for (const [options, option, reason] of wrong) {
        const error = yield* Effect.flip(TableSchema.make(endpoint, params, unchecked(options)))
        assert.deepInclude(error, { _tag: "BadFormat", option, reason })
      }
    })
  )

  it.effect("is none of those of a file, which the schema of a table takes as they are", () =>
    Effect.gen(function* () {
      const columns = { columns: ["asset", "time", "PriceUSD"], numbers: "text" } as const
      const expected = yield* TableSchema.make(endpoint, params, columns)
      for (const as of ["parquet", "csv", "ndjson"] as const) {
        const format: Format.Options = { as, compression: "gzip", ...columns }
        assert.deepStrictEqual(yield* TableSchema.make(endpoint, params, format), expected)
        const plain = yield* TableSchema.make(endpoint, params, { as })
        assert.deepStrictEqual(plain, yield* TableSchema.make(endpoint, params))
      }
    })
  )

  it.effect("is refused by an encoder", () =>
    Effect.gen(function* () {
      const { endpoint, params } = download
      const error = yield* Effect.flip(Format.encode(endpoint, params, unchecked({ as: "xlsx" })))
      assert.deepInclude(error, { _tag: "BadFormat", option: "as" })
    })
  )

  it("is refused where reading it throws", () => {
    const faultOf = Shape.faultOf(Shape.of<{ readonly as: string }>()({ as: Schema.String }))
    const unreadable = [
      Object.defineProperty({}, "as", { get: throws }),
      new Proxy({}, { ownKeys: throws, get: throws })
    ]
    for (const given of unreadable) {
      assert.deepStrictEqual(faultOf(given), {
        option: "",
        reason: "cannot be read: one of its members throws an error"
      })
    }
  })

  it("is not quoted where it may be a secret", () => {
    const faultOf = Shape.faultOf(
      Schema.Struct({ name: Schema.Struct({ a: Schema.String }), other: Schema.optional(Schema.Finite) })
    )
    const secret = "postgres://user:password@host/db"
    for (const given of [{ name: secret }, secret, { name: { a: "" }, oter: secret }]) {
      const { reason } = faultOf(given) ?? {}
      assert.isDefined(reason)
      assert.notInclude(reason, "password")
    }
  })

  it("has a schema that agrees with its type, or the schema does not compile", () => {
    interface Options {
      readonly a: string
      readonly b?: "x" | "y" | undefined
    }
    const a = Schema.String
    const b = Schema.optional(Schema.Literals(["x", "y"]))
    assert.isUndefined(Shape.faultOf(Shape.of<Options>()({ a, b }))({ a: "" }))
    // @ts-expect-error An optional member is missing.
    Shape.of<Options>()({ a })
    // @ts-expect-error A member has fewer values than its type.
    Shape.of<Options>()({ a, b: Schema.optional(Schema.Literals(["x"])) })
    // @ts-expect-error A member has more values than its type.
    Shape.of<Options>()({ a, b: Schema.optional(Schema.Literals(["x", "y", "z"])) })
    // @ts-expect-error A member is required that may be absent.
    Shape.of<Options>()({ a, b: Schema.Literals(["x", "y"]) })
    // @ts-expect-error There is no such member.
    Shape.of<Options>()({ a, b, c: a })
  })
})
