/** The main faults of other streams than a list: of the newest endpoint of each family, and of each step of a job. */
import { BlockchainJobs, type Client, type Endpoint, Endpoints, Job } from "@sluice/core"
import { Effect, Stream } from "effect"
import * as ExampleParams from "../../../node/test/ExampleParams.ts"
import * as Page from "./Page.ts"
import { whens } from "./Row.ts"
import * as Run from "./Run.ts"

/** A row: a stream under a fault in each column. */
interface Row {
  readonly cells: ReadonlyArray<string>
  readonly name: string
  readonly stream: Stream.Stream<unknown, unknown, Client.Client>
  readonly faults: ReadonlyArray<string>
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
const measure = Effect.fnUntraced(function* (rows: ReadonlyArray<Row>) {
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
  return {
    rows: measured.map(({ cells }) => cells),
    problems: measured.flatMap(({ problems }) => problems)
  } satisfies Page.Measured
})

/** 6,001 changes, which are two files. */
const job = BlockchainJobs.balanceUpdates(
  { assets: "btc", accounts: "treasury-btc", start_height: 700_000, end_height: 706_000 },
  { poll: Job.polling({ base: "5 millis", cap: "20 millis", within: "30 seconds" }) }
)

/** Jobs under the fault of every row at the step of every column. */
export const jobs = ({ head, rows }: Page.Table) =>
  measure(
    Page.grouped(rows).flatMap(([[words = ""] = []]) =>
      whens.map((when): Row => {
        const times = when === "once" ? ";times=1" : ""
        return {
          cells: [when === "once" ? words : "", when],
          name: "A job",
          stream: job,
          faults: head.slice(2).map((step) => `${Page.faultOf(words)};on=${step.replace("at the ", "")}${times}`)
        }
      })
    )
  )

/** The first records, as pages where there are any. */
const first = (endpoint: Endpoint.Any) => {
  const size = endpoint.parameters.has("page_size") ? { page_size: 40 } : {}
  const limit = endpoint.parameters.has("limit") ? { limit: 50 } : {}
  // Type boundary: the parameters are checked when the stream runs.
  const params = { ...limit, ...size, ...ExampleParams.of(endpoint) } as never
  return Stream.take(endpoint(params), 100)
}

/** The newest endpoint of every family under the fault of every column. */
export const families = ({ head }: Page.Table) =>
  measure(
    [...Map.groupBy(Endpoints.entries, ({ section }) => section).values()].map((entries): Row => {
      const { endpoint, name, section } = entries.at(-1)!
      return {
        cells: [`\`${section}.${name}\``],
        name: `${section}.${name}`,
        stream: first(endpoint),
        faults: head.slice(1).map(Page.faultOf)
      }
    })
  )
