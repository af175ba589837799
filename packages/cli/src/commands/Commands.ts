/**
 * The commands with their flags, help and examples. The code of a command is loaded when it runs.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Examples from "../endpoints/Examples.ts"
import type { OutputFailed, Screen } from "../terminal/Screen.ts"
import type { JobEntry, LiveEntry } from "@sluice/core/Endpoints"
import {
  type About,
  downloadFlags,
  getFlags,
  type Named,
  outputFlags,
  schemaFlags,
  tailFlags,
  typesFlags,
  whole
} from "./Flags.ts"
import { backfill, worker } from "./BackfillCommands.ts"
import * as GlobalFlags from "../settings/GlobalFlags.ts"
import { sync, verify } from "./DatasetCommands.ts"
import { descriptionOf, endpoint, load } from "./Parts.ts"

const operation = Argument.String("operation").pipe(
  Argument.withDescription("Path, such as timeseries-stream/market-trades, or name, such as Live.marketTrades")
)

const endpoints = Command.make(
  "endpoints",
  { filter: Argument.String("filter").pipe(Argument.withDescription("Words to search for"), Argument.variadic()) },
  ({ filter }) =>
    Effect.flatMap(
      load(() => import("./Endpoints.ts")),
      ({ run }) => run(filter)
    )
).pipe(
  Command.withDescription("Lists the endpoints; with words, those whose path, name or summary has all of them."),
  Command.withShortDescription("List the endpoints"),
  Command.withExamples([
    { command: "sluice endpoints" },
    { command: "sluice endpoints catalog market", description: "endpoints with both words" },
    { command: "sluice endpoints --json | jq -r '.[].path'" }
  ])
)

const describe = Command.make(
  "describe",
  {
    endpoint,
    names: Argument.String("name").pipe(
      Argument.withDescription("Assets, markets or others that the endpoint has data of: lists what there is of them"),
      Argument.variadic()
    )
  },
  ({ endpoint, names }) =>
    Effect.flatMap(
      load(() => import("./Describe.ts")),
      ({ run }) => run(endpoint, names)
    )
).pipe(
  Command.withDescription(
    "Describes an endpoint: its parameters and the fields of its records. With names, such as assets or markets, asks the service " +
      "what it has of them: metrics, frequencies and times."
  ),
  Command.withShortDescription("Describe an endpoint, its parameters and its records"),
  Command.withExamples([
    { command: "sluice describe timeseries/asset-metrics" },
    { command: "sluice describe timeseries/asset-metrics btc", description: "with the metrics of btc" },
    { command: "sluice describe ReferenceData.markets --json" }
  ])
)

const get = (about: About | undefined) =>
  Command.make("get", { endpoint, ...getFlags, parameters: about?.flags ?? {} }, (input) =>
    Effect.flatMap(
      load(() => import("./Get.ts")),
      ({ run }) => run(input, about)
    )
  ).pipe(
    Command.withDescription(
      descriptionOf(
        about,
        about === undefined
          ? "Reads records to standard output, or to a file. `sluice get <endpoint> --help` lists the parameters of an endpoint."
          : "Writes to standard output, only as many records as the reader takes, or to a file."
      )
    ),
    Command.withShortDescription("Read records to standard output or a file"),
    Command.withExamples(Examples.get(about?.entry, about?.parameters))
  )

const download = (about: About | undefined) =>
  Command.make("download", { endpoint, ...downloadFlags, parameters: about?.flags ?? {} }, (input) =>
    Effect.flatMap(
      load(() => import("./Download.ts")),
      ({ run }) => run(input, about)
    )
  ).pipe(
    Command.withDescription(
      descriptionOf(
        about,
        "Writes files into a folder, several at a time. After a stop at any moment, --resume continues."
      )
    ),
    Command.withShortDescription("Download into files; can be stopped and resumed"),
    Command.withExamples(Examples.download(about?.entry, about?.parameters))
  )

const schema = (about: About | undefined) =>
  Command.make("schema", { endpoint, ...schemaFlags, parameters: about?.flags ?? {} }, (input) =>
    Effect.flatMap(
      load(() => import("./Schema.ts")),
      ({ run }) => run(input, about)
    )
  ).pipe(
    Command.withDescription(
      "Prints the schema of an endpoint's records: as JSON Schema, or as the statements that create a table. Asks the service nothing."
    ),
    Command.withShortDescription("Print the schema of records, as JSON Schema or SQL"),
    Command.withExamples(Examples.schema)
  )

const tail = (about: About<LiveEntry> | undefined) =>
  Command.make("tail", { endpoint: operation, ...tailFlags, parameters: about?.flags ?? {} }, (input) =>
    Effect.flatMap(
      load(() => import("./Tail.ts")),
      ({ run }) => run(input, about)
    )
  ).pipe(
    Command.withDescription(
      descriptionOf(
        about,
        about === undefined
          ? "Follows live data to standard output until it is stopped. `sluice tail <operation> --help` lists the parameters."
          : "Writes to standard output until it is stopped; connects again after a break, and fills the hole."
      )
    ),
    Command.withShortDescription("Follow live data; with --since, history first"),
    Command.withExamples(Examples.tail(about?.entry, about?.parameters))
  )

const mostRows = whole("limit").pipe(Flag.withDescription("Lists at most this many"), Flag.optional)

const metrics = Command.make(
  "metrics",
  {
    asset: Argument.String("asset").pipe(Argument.withDescription("Ticker, such as btc")),
    filter: Argument.String("filter").pipe(Argument.withDescription("Words to search for"), Argument.variadic()),
    limit: mostRows
  },
  ({ asset, filter, limit }) =>
    Effect.flatMap(
      load(() => import("./Available.ts")),
      ({ metrics }) => metrics(asset, filter, limit)
    )
).pipe(
  Command.withDescription(
    "Lists the metrics of an asset that the key may read, at each frequency, with the times covered; with words, those " +
      "whose name or frequency has all of them."
  ),
  Command.withShortDescription("List the metrics of an asset, with the times covered"),
  Command.withExamples([
    { command: "sluice metrics btc" },
    { command: "sluice metrics eth price 1h", description: "metrics with both words" },
    { command: "sluice metrics btc --json | jq -r .metric | sort -u" }
  ])
)

const marketFlag = (name: string, what: string) =>
  Flag.String(name).pipe(Flag.withDescription(what), Flag.withMetavar("<text>"), Flag.optional)

const markets = Command.make(
  "markets",
  {
    exchange: marketFlag("exchange", "Exchange, such as coinbase"),
    type: marketFlag("type", "spot, future, option or bond"),
    base: marketFlag("base", "Base asset, such as btc"),
    quote: marketFlag("quote", "Quote asset, such as usd"),
    asset: marketFlag("asset", "Base or quote asset"),
    symbol: marketFlag("symbol", "The exchange's own name of a derivative"),
    limit: mostRows
  },
  ({ limit, ...filter }) =>
    Effect.flatMap(
      load(() => import("./Available.ts")),
      ({ markets }) => markets(filter, limit)
    )
).pipe(
  Command.withDescription("Lists the markets with these properties, and the times of their trades."),
  Command.withShortDescription("List markets by exchange, type and assets"),
  Command.withExamples([
    { command: "sluice markets --exchange coinbase --base btc" },
    { command: "sluice markets --base eth --type option --json | jq -r .market" }
  ])
)

/** What a job computes. Written here, because help and completion load no endpoints; a test compares it with them. */
export const kinds = ["account-balances", "balance-updates", "transactions"] as const

const kind = Argument.Literals("kind", kinds).pipe(
  Argument.withDescription("account-balances, balance-updates or transactions")
)

const startJob = (about: About<JobEntry> | undefined) =>
  Command.make("start", { kind, parameters: about?.flags ?? {} }, (input) =>
    Effect.flatMap(
      load(() => import("./Jobs.ts")),
      ({ start }) => start(input)
    )
  ).pipe(
    Command.withDescription(
      descriptionOf(
        about,
        about === undefined
          ? "Starts a job and prints its id. Each start makes a job of its own. `sluice jobs start <kind> --help` lists the parameters."
          : "Prints the id of the job. Each start makes a job of its own."
      )
    ),
    Command.withShortDescription("Start a job and print its id"),
    Command.withExamples(Examples.startJob(about?.entry))
  )

const jobs = (about: About<JobEntry> | undefined) =>
  Command.make("jobs").pipe(
    Command.withDescription("Starts jobs over a chain, shows their status and writes their results."),
    Command.withShortDescription("Start jobs, and read their status and results"),
    Command.withSubcommands([
      startJob(about),
      Command.make(
        "status",
        { ids: Argument.String("id").pipe(Argument.withDescription("Ids of jobs"), Argument.variadic({ min: 1 })) },
        ({ ids }) =>
          Effect.flatMap(
            load(() => import("./Jobs.ts")),
            ({ status }) => status(ids)
          )
      ).pipe(Command.withDescription("Prints jobs, one on each line, with the addresses of their results.")),
      Command.make("results", { kind, id: Argument.String("id"), ...outputFlags }, (input) =>
        Effect.flatMap(
          load(() => import("./Jobs.ts")),
          ({ results }) => results(input)
        )
      ).pipe(
        Command.withDescription("Waits until a job is done and writes its records."),
        Command.withExamples([
          { command: "sluice jobs results transactions <id>" },
          { command: "sluice jobs results balance-updates <id> --output updates.parquet" }
        ])
      )
    ])
  )

const quota = Command.make("quota", {}, () =>
  Effect.flatMap(
    load(() => import("./Quota.ts")),
    ({ run }) => run
  )
).pipe(
  Command.withDescription("Shows the plan of the key and what is left of its rate limit. Requests one record."),
  Command.withShortDescription("Show the plan and what is left of the rate limit"),
  Command.withExamples([{ command: "sluice quota" }, { command: "sluice quota --json" }])
)

const types = Command.make("types", typesFlags, (input) =>
  Effect.flatMap(
    load(() => import("./Types.ts")),
    ({ run }) => run(input)
  )
).pipe(
  Command.withDescription(
    "Writes TypeScript types of the assets and asset metrics that the key may read, so that a misspelt one does not compile."
  ),
  Command.withShortDescription("Write TypeScript types of the metrics of the key"),
  Command.withExamples([
    { command: "sluice types --output metrics.d.ts" },
    { command: "sluice types --assets btc,eth --output metrics.d.ts", description: "of two assets" }
  ])
)

const mcp = Command.make("mcp", {}, () =>
  Effect.flatMap(
    load(() => import("./Mcp.ts")),
    ({ run }) => run
  )
).pipe(
  Command.withDescription(
    "Serves assistants over the Model Context Protocol on standard input and output: tools that find endpoints, describe them, read " +
      "up to 1,000 records and tell the quota. It reads only, and never tells the key."
  ),
  Command.withShortDescription("Serve assistants over the Model Context Protocol"),
  Command.withExamples([
    { command: "sluice mcp", description: "as the command of a server in an assistant's settings" }
  ])
)

const doctor = Command.make("doctor", {}, () =>
  Effect.flatMap(
    load(() => import("./Doctor.ts")),
    ({ run }) => run
  )
).pipe(
  Command.withDescription(
    "Checks versions, settings, key, proxy, service, quota and clock, and says what to do. Requests one record, once unless " +
      "--retries says otherwise."
  ),
  Command.withShortDescription("Check the key, the service, the proxy and the clock"),
  Command.withExamples([{ command: "sluice doctor" }, { command: "sluice doctor --json | jq '.checks[]'" }])
)

// `Program.ts` hands its words to the command of @sluice/sandbox; this one is for help only.
const sandbox = Command.make("sandbox", {}, () => Effect.void).pipe(
  Command.withDescription("Runs a stand-in for the service on this machine; it simulates faults on request."),
  Command.withShortDescription("Run a stand-in for the service on this machine")
)

const completions = Command.make(
  "completions",
  {
    shell: Argument.Literals("shell", ["bash", "zsh", "fish", "powershell"]).pipe(
      Argument.withDescription("bash, zsh, fish or powershell")
    )
  },
  // Annotated, for the type of what is completed has this command in it.
  ({ shell }): Effect.Effect<void, OutputFailed, Screen> =>
    Effect.flatMap(
      load(() => import("./Completions.ts")),
      ({ run }) => run(shell, make())
    )
).pipe(
  Command.withDescription("Prints a shell script that completes commands, endpoints and parameters."),
  Command.withShortDescription("Print a completion script for your shell"),
  Command.withExamples([
    { command: 'eval "$(sluice completions bash)"', description: "in ~/.bashrc" },
    { command: "sluice completions zsh > ~/.zsh/completions/_sluice", description: "in a folder of your fpath" },
    { command: "sluice completions fish > ~/.config/fish/completions/sluice.fish" }
  ])
)

/** Builds the command, with the parameters of the endpoint, live operation or job that the invocation names. */
export const make = ({ about, job, live }: Named = {}) =>
  Command.make("sluice", {}, () =>
    Effect.flatMap(
      load(() => import("./Overview.ts")),
      ({ run }) => run
    )
  ).pipe(
    Command.withDescription("Reads market and on-chain data completely, as fast as the service allows."),
    Command.withSubcommands([
      endpoints,
      describe,
      get(about),
      download(about),
      schema(about),
      sync(about),
      verify,
      backfill(about),
      worker,
      tail(live),
      metrics,
      markets,
      jobs(job),
      quota,
      doctor,
      types,
      mcp,
      sandbox,
      completions
    ]),
    Command.withGlobalFlags(GlobalFlags.flags),
    Command.withExamples(Examples.overall)
  )
