/**
 * The main faults at each step of a job: its start, the question for its status, and the files of its results.
 */
import { BlockchainJobs, Job } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Reading from "./Reading.ts"

/** 6,001 changes, which are two files. */
const params = { assets: "btc", accounts: "treasury-btc", start_height: 700_000, end_height: 706_000 }

const poll = Job.polling({ base: "5 millis", cap: "20 millis", within: "30 seconds" })

const read = BlockchainJobs.balanceUpdates(params, { poll })

const steps = ["start", "status", "result"] as const

const faults = [
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

const whens = [
  ["once", ";times=1"],
  ["always", ""]
] as const

/** A fault met once or always, and its runs in the order of the steps. */
export interface Measured {
  readonly what: string
  readonly when: string
  readonly cases: ReadonlyArray<Reading.Case>
}

/** Runs a job under every fault at every step. */
export const measure = Effect.gen(function* () {
  const whole = yield* Reading.run(read)
  const rows = faults.flatMap(([words, fault]) => whens.map(([when, times]) => ({ words, fault, when, times })))
  return yield* Effect.forEach(
    rows,
    Effect.fnUntraced(function* ({ fault, times, when, words }) {
      const cases = yield* Effect.forEach(steps, (step) => {
        const spec = `${fault};on=${step}${times}`
        return Effect.map(Reading.run(read, spec), (seen): Reading.Case => ({ fault: spec, whole, seen }))
      })
      return { what: `${words} (\`${fault}\`)`, when, cases } satisfies Measured
    }),
    { concurrency: 4 }
  )
})

/** What is wrong, a sentence each. */
export const problems = (all: ReadonlyArray<Measured>): ReadonlyArray<string> =>
  all.flatMap(({ cases }) =>
    cases.flatMap((one) => Reading.problems(one).map((problem) => `A job under ${one.fault}: ${problem}.`))
  )

const line = (cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`

/** Prints the section. */
export const print = (all: ReadonlyArray<Measured>): string => {
  const head = ["the service …", "met", ...steps.map((step) => `at the ${step}`)]
  return [
    "# Jobs",
    "A job that gives 6,001 records in two files, under a fault at one of its steps: when it is started, when its status is " +
      "asked for, and when its files are read. A start is sent again only where the service cannot have acted on it; " +
      "otherwise the call fails with `JobUnconfirmed`. Whatever was delivered before an error is what the service has, in " +
      "its order, and nothing comes twice.",
    [
      line(head),
      line(head.map(() => "---")),
      ...all.map(({ cases, what, when }) => line([what, when, ...cases.map(Reading.saw)]))
    ].join("\n")
  ].join("\n\n")
}
