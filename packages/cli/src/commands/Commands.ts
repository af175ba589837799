/** The commands with their flags, help and examples. The code of a command is loaded when it runs. */
import type { Entry, LiveEntry } from "@sluice/core/Endpoints"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Examples from "../endpoints/Examples.ts"
import * as GlobalFlags from "../settings/GlobalFlags.ts"
import type * as Settings from "../settings/Settings.ts"
import { type OutputFailed, Screen } from "../terminal/Screen.ts"
import type { About, Named } from "./flags/About.ts"
import { backfill, jobs, worker } from "./GroupCommands.ts"
import { audit, compact, coverage, revisions, status, sync, verify } from "./DatasetCommands.ts"
import { downloadFlags, planFlags } from "./flags/DownloadFlags.ts"
import * as FlagKinds from "../settings/FlagKinds.ts"
import { getFlags, plotFlags, schemaFlags, tailFlags, typesFlags } from "./flags/Flags.ts"
import { listFlags } from "./flags/FormatFlags.ts"
import * as Help from "./help/Help.ts"
import { argument, command, endpoint, optional, using } from "./CommandHelpers.ts"

const operation = argument(
  "operation",
  "Path, such as timeseries-stream/market-trades, or name, such as Live.marketTrades"
)

const filter = argument("filter", "Words to search for").pipe(Argument.variadic())

const endpoints = command(
  "endpoints",
  { filter },
  ({ filter }) => using(() => import("./help/Endpoints.ts"))(({ run }) => run(filter)),
  {
    does: "Lists the endpoints; with words, those whose path, name or summary has all of them.",
    short: "List the endpoints",
    examples: [
      { command: "sluice endpoints" },
      { command: "sluice endpoints catalog market", description: "endpoints with both words" },
      { command: "sluice endpoints --json | jq -r '.[].path'" }
    ]
  }
)

const describe = command(
  "describe",
  {
    endpoint,
    names: argument(
      "name",
      "Assets, markets or others that the endpoint has data of: lists what there is of them"
    ).pipe(Argument.variadic())
  },
  ({ endpoint, names }) => using(() => import("./help/Describe.ts"))(({ run }) => run(endpoint, names)),
  {
    does:
      "Describes an endpoint: its parameters and the fields of its records. With names, such as assets or markets, asks the service " +
      "what it has of them: metrics, frequencies and times.",
    short: "Describe an endpoint, its parameters and its records",
    examples: [
      { command: "sluice describe timeseries/asset-metrics" },
      { command: "sluice describe timeseries/asset-metrics btc", description: "with the metrics of btc" },
      { command: "sluice describe ReferenceData.markets --json" }
    ]
  }
)

const get = (about: About | undefined) =>
  command(
    "get",
    { endpoint: optional(endpoint), ...getFlags, parameters: about?.flags ?? {} },
    (input) => using(() => import("./data/Get.ts"))(({ run }) => run(input, about)),
    {
      does:
        about === undefined
          ? "Reads records to standard output, or to a file. `sluice get <endpoint> --help` lists the parameters of an endpoint."
          : "Writes to standard output, only as many records as the reader takes, or to a file.",
      short: "Read records to standard output or a file",
      examples: Examples.get(about),
      about
    }
  )

const plot = (about: About | undefined) =>
  command(
    "plot",
    {
      source: argument(
        "source",
        "Path or name of an endpoint, a file that sluice writes, - for standard input, or a dataset"
      ),
      ...plotFlags,
      parameters: about?.flags ?? {}
    },
    (input) => using(() => import("./plot/Plot.ts"))(({ run }) => run(input, about)),
    {
      does: "Draws lines, candles, or the times that a catalog or a dataset covers: in the terminal, or as SVG.",
      short: "Draw records, a file or a dataset",
      examples: Examples.plot(about),
      about
    }
  )

const download = (about: About | undefined) =>
  command(
    "download",
    { endpoint, ...downloadFlags, parameters: about?.flags ?? {} },
    (input) => using(() => import("./data/Download.ts"))(({ run }) => run(input, about)),
    {
      does: "Writes files into a folder, several at a time. After a stop at any moment, --resume continues.",
      short: "Download into files; can be stopped and resumed",
      examples: Examples.download(about),
      about
    }
  )

const plan = (about: About | undefined) =>
  command(
    "plan",
    { endpoint, ...planFlags, parameters: about?.flags ?? {} },
    (input) => using(() => import("./data/Plan.ts"))(({ run }) => run(input, about)),
    {
      does:
        "Says what a download with the same flags would take, of each entity and in total: requests, records, bytes of its files, and " +
        "time under the rate limit. Downloads nothing; asks a catalog, and reads a few records.",
      short: "Say what a download would take, before it",
      examples: Examples.plan(about),
      about
    }
  )

const schema = (about: About<Entry | LiveEntry> | undefined) =>
  command(
    "schema",
    { endpoint, ...schemaFlags, parameters: about?.flags ?? {} },
    (input) => using(() => import("./help/Schema.ts"))(({ run }) => run(input, about)),
    {
      does: "Prints the schema of the records of an endpoint or a live stream: as JSON Schema, or as the statements that create a table. Asks the service nothing.",
      short: "Print the schema of records, as JSON Schema or SQL",
      examples: Examples.schema,
      about
    }
  )

const tail = (about: About<LiveEntry> | undefined) =>
  command(
    "tail",
    { endpoint: operation, ...tailFlags, parameters: about?.flags ?? {} },
    (input) => using(() => import("./data/Tail.ts"))(({ run }) => run(input, about)),
    {
      does:
        about === undefined
          ? "Follows live data to standard output until it is stopped. `sluice tail <operation> --help` lists the parameters."
          : "Writes to standard output until it is stopped; connects again after a break, and fills the hole.",
      short: "Follow live data; with --since, history first",
      examples: Examples.tail(about),
      about
    }
  )

const frequency = FlagKinds.text("frequency", "<text>", "At this frequency, such as 1h; default at each")

const metrics = command(
  "metrics",
  { asset: argument("asset", "Ticker, such as btc"), filter, frequency, ...listFlags },
  ({ asset, filter, frequency, ...list }) =>
    using(() => import("./help/Available.ts"))(({ metrics }) => metrics(asset, filter, frequency, list)),
  {
    does:
      "Lists the metrics of an asset that the key may read, at each frequency, with the times covered; with words, those " +
      "whose name or frequency has all of them.",
    short: "List the metrics of an asset, with the times covered",
    examples: [
      { command: "sluice metrics btc" },
      { command: "sluice metrics eth price 1h", description: "metrics with both words" },
      { command: "sluice metrics btc --json | jq -r .metric | sort -u" }
    ]
  }
)

const assets = command(
  "assets",
  { metric: argument("metric", "Asset metric, such as TxCnt"), frequency, ...listFlags },
  ({ frequency, metric, ...list }) =>
    using(() => import("./help/Available.ts"))(({ assets }) => assets(metric, frequency, list)),
  {
    does: "Lists the assets that have a metric and that the key may read, at each frequency, with the times covered.",
    short: "List the assets that have a metric",
    examples: [
      { command: "sluice assets TxCnt --frequency 1d" },
      { command: "sluice assets PriceUSD --format csv" },
      { command: "sluice assets PriceUSD --json | jq -r .asset | sort -u" }
    ]
  }
)

const markets = command(
  "markets",
  {
    exchange: FlagKinds.text("exchange", "<text>", "Exchange, such as coinbase"),
    type: FlagKinds.text("type", "<text>", "spot, future, option or bond"),
    base: FlagKinds.text("base", "<text>", "Base asset, such as btc"),
    quote: FlagKinds.text("quote", "<text>", "Quote asset, such as usd"),
    asset: FlagKinds.text("asset", "<text>", "Base or quote asset"),
    symbol: FlagKinds.text("symbol", "<text>", "The exchange's own name of a derivative"),
    words: argument("word", "Exchange, base or quote asset, or type: markets that have all of them").pipe(
      Argument.variadic()
    ),
    ...listFlags
  },
  ({ format, limit, words, ...filter }) =>
    using(() => import("./help/Available.ts"))(({ markets }) => markets(filter, words, { format, limit })),
  {
    does: "Lists the markets with these properties, and the times of their trades.",
    short: "List markets by exchange, type and assets",
    examples: [
      { command: "sluice markets --exchange coinbase --base btc" },
      { command: "sluice markets coinbase usd spot", description: "markets with all these words" },
      { command: "sluice markets --base eth --type option --json | jq -r .market" }
    ]
  }
)

const quota = command("quota", {}, () => using(() => import("./doctor/Quota.ts"))(({ run }) => run()), {
  does: "Shows the plan of the key and what is left of its rate limit. Requests one record.",
  short: "Show the plan and what is left of the rate limit",
  examples: [{ command: "sluice quota" }, { command: "sluice quota --json" }]
})

const types = command("types", typesFlags, (input) => using(() => import("./help/Types.ts"))(({ run }) => run(input)), {
  does: "Writes TypeScript types of the assets and asset metrics that the key may read, so that a misspelt one does not compile.",
  short: "Write TypeScript types of the metrics of the key",
  examples: [
    { command: "sluice types --output metrics.d.ts" },
    { command: "sluice types --assets btc,eth --output metrics.d.ts", description: "of two assets" }
  ]
})

const mcp = command("mcp", {}, () => using(() => import("./mcp/Mcp.ts"))(({ run }) => run()), {
  does:
    "Serves assistants over the Model Context Protocol on standard input and output: tools that find endpoints, describe them, read " +
    "up to 1,000 records and tell the quota. It reads only, and never tells the key.",
  short: "Serve assistants over the Model Context Protocol",
  examples: [{ command: "sluice mcp", description: "as the command of a server in an assistant's settings" }]
})

const doctor = command(
  "doctor",
  {
    service: FlagKinds.toggle(
      "service",
      "Also asks how the service answers where its documents leave that open: some fifty requests, none of which writes"
    )
  },
  (input) => using(() => import("./doctor/Doctor.ts"))(({ run }) => run(input)),
  {
    does:
      "Checks versions, settings, key, proxy, service, quota and clock, and says what to do. Requests one record, once unless " +
      "--retries says otherwise.",
    short: "Check the key, the service, the proxy and the clock",
    examples: [
      { command: "sluice doctor" },
      { command: "sluice doctor --json | jq '.checks[]'" },
      {
        command: "sluice doctor --service",
        description: "and how the service answers, for example for a report of a bug"
      }
    ]
  }
)

// `Program.ts` hands its words to the command of @sluice/sandbox; this one is for help only.
const sandbox = command("sandbox", {}, () => Effect.void, {
  does: "Runs a stand-in for the service on this machine; it simulates faults on request.",
  short: "Run a stand-in for the service on this machine"
})

const shell = Argument.Literals("shell", ["bash", "zsh", "fish", "powershell"]).pipe(
  Argument.withDescription("bash, zsh, fish or powershell")
)

const completions = command(
  "completions",
  { shell },
  ({ shell }) => using(() => import("./help/Completions.ts"))(({ run }) => run(shell)),
  {
    does: "Prints a shell script that completes commands, endpoints, parameters and names that `sluice metrics` and its like have listed.",
    short: "Print a completion script for your shell",
    examples: [
      { command: 'eval "$(sluice completions bash)"', description: "in ~/.bashrc" },
      { command: "sluice completions zsh > ~/.zsh/completions/_sluice", description: "in a folder of your fpath" },
      { command: "sluice completions fish > ~/.config/fish/completions/sluice.fish" }
    ]
  }
)

/** What the scripts of `completions` call. */
const complete = command(
  "complete",
  { shell, words: Argument.String("word").pipe(Argument.variadic()) },
  // Annotated: the type of what is completed has this command in it.
  ({ shell, words }): Effect.Effect<void, OutputFailed, Screen | Settings.Needs> =>
    using(() => import("./help/Complete.ts"))(({ run }) => run(shell, words, make)),
  { does: "Prints what may stand at the end of these words.", short: "Complete words" }
).pipe(Command.unlisted)

/** Builds the command, with the parameters of the endpoint, live operation or job that the invocation names. */
export const make = ({ about, job, live, read }: Named = {}) =>
  Command.make("sluice", {}, () => Effect.flatMap(Screen, ({ out, print }) => print(Help.overview(out)))).pipe(
    Command.withDescription("Reads market and on-chain data completely, as fast as the service allows."),
    // The name of a group is what its commands are for, as the overview of all commands says.
    Command.withSubcommands([
      { group: "paths, parameters and records of the service", commands: [endpoints, describe, schema(read)] },
      { group: "metrics, their assets, markets, and types", commands: [metrics, assets, markets, types] },
      { group: "records now, drawn, and live", commands: [get(about), plot(about), tail(live)] },
      { group: "files of large ranges, and what they take", commands: [plan(about), download(about)] },
      { group: "copies that stay up to date, and their state", commands: [sync(about), status, verify, audit] },
      { group: "what is held or revised; fewer, larger files", commands: [coverage, revisions, compact] },
      { group: "a download by many machines; jobs of a chain", commands: [backfill(about), worker, jobs(job)] },
      { group: "the rate limit; key, service, proxy, clock", commands: [quota, doctor] },
      { group: "for assistants, for tests, for your shell", commands: [mcp, sandbox, completions, complete] }
    ]),
    Command.withGlobalFlags(GlobalFlags.flags),
    Command.withExamples(Examples.overall)
  )
