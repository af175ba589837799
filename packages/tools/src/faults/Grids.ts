/**
 * The main faults of other streams than a list: of the newest endpoint of each family, and of each step of a job.
 */
import { BlockchainJobs, type Client, type Endpoint, Endpoints, Job } from "@sluice/core"
import { Effect, Stream } from "effect"
import * as ExampleParams from "../../../node/test/ExampleParams.ts"
import * as Page from "./Page.ts"
import * as Run from "./Run.ts"

/** A row: a stream under a fault in each column. */
interface Row {
  /** The first cells. */
  readonly cells: ReadonlyArray<string>
  readonly name: string
  readonly stream: Stream.Stream<unknown, unknown, Client.Client>
  readonly faults: ReadonlyArray<string>
}

interface Grid {
  readonly title: string
  readonly prose: string
  readonly head: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Row>
}

/** Records as text, without the addresses of files, which lead to the stand-in under the same fault. */
const textOf = (record: unknown) =>
  JSON.stringify(record, (name, value: unknown) => (name === "url" ? undefined : value))

const run = (stream: Row["stream"], fault?: string) => Run.run(Stream.map(stream, textOf), fault)

type Outcome = Run.Outcome<string>

/** How the records came: all of them, or what is wrong. After an error, those before it must be what the service has. */
const wrongWith = (whole: Outcome, { end, records }: Outcome): string | false => {
  const changed = records.findIndex((record, index) => record !== whole.records[index])
  if (changed !== -1) return `record ${changed} is not the one that comes there undisturbed`
  return end._tag === "Complete" && records.length < whole.records.length && "records were lost"
}

const problemsOf = (whole: Outcome, seen: Outcome): ReadonlyArray<string> =>
  [
    seen.met.length === 0 && "the service did not serve it",
    whole.records.length === 0 && "there are no records undisturbed",
    whole.end._tag !== "Complete" && `it fails undisturbed: ${JSON.stringify(whole.end)}`,
    ...Run.problems(seen),
    wrongWith(whole, seen)
  ].filter((problem) => problem !== false)

const sawOf = ({ end }: Outcome) => (end._tag === "Failed" ? `\`${end.error._tag}\`` : "all records")

/** Runs every stream under every fault. */
const measure = Effect.fnUntraced(function* ({ head, prose, rows, title }: Grid) {
  const measured = yield* Effect.forEach(
    rows,
    Effect.fnUntraced(function* ({ cells, faults, name, stream }) {
      const whole = yield* run(stream)
      const seen = yield* Effect.forEach(faults, (fault) => run(stream, fault))
      const problems = seen.flatMap((one, nth) =>
        problemsOf(whole, one).map((problem) => `${name} under ${faults[nth]}: ${problem}.`)
      )
      return { cells: [...cells, ...seen.map(sawOf)], problems }
    }),
    { concurrency: 4 }
  )
  const section: Page.Section = {
    text: Page.paragraphs(
      `# ${title}`,
      prose,
      Page.table(
        head,
        measured.map(({ cells }) => cells)
      )
    ),
    problems: measured.flatMap(({ problems }) => problems)
  }
  return section
})

/** 6,001 changes, which are two files. */
const job = BlockchainJobs.balanceUpdates(
  { assets: "btc", accounts: "treasury-btc", start_height: 700_000, end_height: 706_000 },
  { poll: Job.polling({ base: "5 millis", cap: "20 millis", within: "30 seconds" }) }
)

const steps = ["start", "status", "result"] as const

const faultsOfJobs = [
  ["answers 403", "status=403"],
  ["answers 404", "status=404"],
  ["answers 429 and asks for no wait", "status=429;retry-after=0"],
  ["answers 503", "status=503"],
  ["answers 504", "status=504"],
  ["resets the connection", "reset"],
  ["closes the connection", "close"],
  ["never answers", "stall"],
  ["answers what is not HTTP", "garbage"],
  ["breaks off 20 bytes into the body", "reset-after=20"],
  ["ends properly, 20 bytes into the compressed body", "gzip-cut=20"]
] as const

/** Jobs under every fault at every step. */
export const jobs = measure({
  title: "Jobs",
  prose:
    "A job that gives 6,001 records in two files, under a fault at one of its steps: when it is started, when its status is " +
    "asked for, and when its files are read. A start is sent again only where the service cannot have acted on it; " +
    "otherwise the call fails with `JobUnconfirmed`. Whatever was delivered before an error is what the service has, in " +
    "its order, and nothing comes twice.",
  head: ["the service …", "met", ...steps.map((step) => `at the ${step}`)],
  rows: faultsOfJobs.flatMap(([words, fault]) =>
    (["once", "always"] as const).map((when): Row => {
      const times = when === "once" ? ";times=1" : ""
      return {
        cells: [`${words} (\`${fault}\`)`, when],
        name: "A job",
        stream: job,
        faults: steps.map((step) => `${fault};on=${step}${times}`)
      }
    })
  )
})

const faultsOfFamilies = [
  ["answers 503 twice", "status=503;times=2"],
  ["resets the connection twice", "reset;times=2"],
  ["breaks off inside record 1", "reset-after=within:1;times=1"],
  ["ends properly after 60 bytes", "truncate-after=60;times=1"],
  ["sends a control character", "damage=12;times=1"],
  ["answers 503 always", "status=503"],
  ["answers 403 always", "status=403"]
] as const

/** The first records, as pages where there are any. */
const first = (endpoint: Endpoint.Any) => {
  const size = endpoint.parameters.has("page_size") ? { page_size: 40 } : {}
  const limit = endpoint.parameters.has("limit") ? { limit: 50 } : {}
  // Type boundary: the parameters are checked when the stream runs.
  const params = { ...limit, ...size, ...ExampleParams.of(endpoint) } as never
  return Stream.take(endpoint(params), 100)
}

/** The newest endpoint of every family under every fault. */
export const families = measure({
  title: "Families of endpoints",
  prose:
    "The newest endpoint of each family under the main faults, its first 100 records at most, in pages of 40 where it has " +
    "pages. Whatever was delivered before an error is what the service has, in its order.",
  head: ["family", ...faultsOfFamilies.map(([words, spec]) => `the service ${words} (\`${spec}\`)`)],
  rows: [...Map.groupBy(Endpoints.entries, ({ section }) => section).values()].map((entries): Row => {
    const { endpoint, name, section } = entries.at(-1)!
    return {
      cells: [`\`${section}.${name}\``],
      name: `${section}.${name}`,
      stream: first(endpoint),
      faults: faultsOfFamilies.map(([, spec]) => spec)
    }
  })
})
