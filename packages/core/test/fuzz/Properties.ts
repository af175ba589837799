/** The properties that are checked with many generated cases, and the result of such a check. */
import * as Arbitrary from "effect/Arbitrary"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as Case from "./Case.ts"
import { Choice } from "./Choice.ts"
import * as Oracle from "./Oracle.ts"
import type { Fuzzed } from "./Fuzzed.ts"
import * as Promises from "./Promises.ts"
import * as Readings from "./Readings.ts"
import * as Run from "./Run.ts"

/** How often, how large, and from where. */
export interface Options {
  readonly runs: number
  readonly seed: number
  /** Takes the place of the others: what an earlier check has failed with. */
  readonly replay?: string | undefined
}

/** Bounds each list and text of a case. */
const size = 8

/** Each step runs the case once more. */
const maxShrinks = 2_000

/** Tries a property; says what was found, in words, or nothing. */
export type Check = (options: Options) => Effect.Effect<string | undefined>

const make =
  <A>(
    name: string,
    arbitrary: Arbitrary.Arbitrary<A>,
    holds: (value: A) => Effect.Effect<void, Promises.Broken>
  ): Check =>
  ({ replay, runs, seed }) =>
    Effect.map(
      Arbitrary.checkEffect(arbitrary, (value) => Effect.as(holds(value), true), {
        runs,
        seed,
        size,
        maxShrinks,
        replay
      }),
      (result) => {
        if (result._tag === "Passed") return undefined
        if (result._tag !== "Falsified") return `${name}: ${JSON.stringify(result)}`
        const { failure, replay, runs, shrunkInput } = result
        const broken = failure._tag === "PropertyError" ? failure.error.promises : ["returned false"]
        return [
          `${name}, run ${runs} of seed ${seed}: ${broken.join("; ")}`,
          `Smallest case: ${shortened(JSON.stringify(shrunkInput))}`,
          `Again: pnpm fuzz --property ${name} --replay '${replay}'`
        ].join("\n")
      }
    )

const shortened = (text: string) => (text.length > 4_000 ? `${text.slice(0, 4_000)}… (${text.length})` : text)

/** Every promise is kept, for any call and any answers. */
const promises = make("promises", Case.arbitrary, Run.keepsPromises)

const Cuts = Schema.Array(Choice).check(Schema.isMaxLength(6))

const resultOf = ({ exit, records, requests }: Fuzzed) => {
  const error = Exit.isSuccess(exit) ? "no error" : JSON.stringify(Cause.squash(exit.cause))
  return {
    text: [requests, error, ...records.map(Oracle.canonical)].join("\n"),
    error,
    records: records.length,
    requests
  }
}

/** The same bytes give the same records and the same error, whatever chunks they come in. */
const chunks = make(
  "chunks",
  Arbitrary.all({ given: Case.arbitrary, cuts: Arbitrary.schema(Cuts) }),
  Effect.fnUntraced(function* ({ cuts, given }) {
    const bodies = Case.bodiesOf(given)
    const recut = { ...given, answers: given.answers.map((answer) => ({ ...answer, cuts })) }
    const one = resultOf(yield* Run.observe(given, bodies))
    const other = resultOf(yield* Run.observe(recut, bodies))
    if (one.text === other.text) return
    const [first, second] = [one, other].map(
      ({ error, records, requests }) => `${records} records of ${requests} requests and ${error.slice(0, 300)}`
    )
    return yield* new Promises.Broken({ promises: [`reads ${first}, in other chunks ${second}`] })
  })
)

/** The reader of known layouts and `JSON.parse` with a full decode read the same records and the same error. */
const readings = make(
  "readings",
  Case.arbitrary,
  Effect.fnUntraced(function* (given) {
    const difference = yield* Readings.difference(given)
    if (difference !== undefined) return yield* new Promises.Broken({ promises: [difference] })
  })
)

/** All of them by name. */
export const all = { promises, chunks, readings }
