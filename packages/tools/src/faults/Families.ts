/**
 * The faults that matter of every family of endpoints, whatever its records are.
 */
import { type Endpoint, Endpoints } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Asked from "../../../node/test/ExampleParams.ts"
import * as Reading from "./Reading.ts"

/** What the service does, and its spec. */
const faults = [
  ["answers 503 twice", "status=503;times=2"],
  ["resets the connection twice", "reset;times=2"],
  ["breaks off inside record 1", "reset-after=within:1;times=1"],
  ["ends properly after 60 bytes", "truncate-after=60;times=1"],
  ["sends a control character", "damage=12;times=1"],
  ["answers 503 always", "status=503"],
  ["answers 403 always", "status=403"]
] as const

/** A family by its newest endpoint. */
interface Family {
  readonly name: string
  readonly endpoint: Endpoint.Any
}

const families: ReadonlyArray<Family> = [...Map.groupBy(Endpoints.entries, ({ section }) => section).values()].flatMap(
  (entries) => {
    const last = entries.at(-1)
    return last === undefined ? [] : [{ name: `${last.section}.${last.name}`, endpoint: last.endpoint }]
  }
)

/** The first records, as pages where there are any. */
const read = ({ endpoint }: Family) => {
  const size = endpoint.parameters.has("page_size") ? { page_size: 40 } : {}
  const limit = endpoint.parameters.has("limit") ? { limit: 50 } : {}
  // Type boundary: the parameters are checked when the stream runs.
  const params = { ...limit, ...size, ...Asked.of(endpoint) } as never
  return Stream.take(endpoint(params), 100)
}

/** A family, and its runs in the order of the faults. */
export interface Measured {
  readonly family: Family
  readonly cases: ReadonlyArray<Reading.Case>
}

/** Runs every family under every fault. */
export const measure = Effect.forEach(
  families,
  Effect.fnUntraced(function* (family) {
    const whole = yield* Reading.run(read(family))
    const cases = yield* Effect.forEach(faults, ([, fault]) =>
      Effect.map(Reading.run(read(family), fault), (seen): Reading.Case => ({ fault, whole, seen }))
    )
    return { family, cases } satisfies Measured
  }),
  { concurrency: 4 }
)

/** What is wrong, a sentence each. */
export const problems = (all: ReadonlyArray<Measured>): ReadonlyArray<string> =>
  all.flatMap(({ cases, family }) =>
    cases.flatMap((one) => Reading.problems(one).map((problem) => `${family.name} under ${one.fault}: ${problem}.`))
  )

const line = (cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`

/** Prints the section. */
export const print = (all: ReadonlyArray<Measured>): string => {
  const head = ["family", ...faults.map(([words, spec]) => `the service ${words} (\`${spec}\`)`)]
  return [
    "# Families of endpoints",
    "The newest endpoint of each family under the main faults, its first 100 records at most, in pages of 40 where it has " +
      "pages. Whatever was delivered before an error is what the service has, in its order.",
    [
      line(head),
      line(head.map(() => "---")),
      ...all.map(({ cases, family }) => line([`\`${family.name}\``, ...cases.map(Reading.saw)]))
    ].join("\n")
  ].join("\n\n")
}
