/** Runs cases, each in a fresh process, in alternating rounds. */
import { Console, Data, Effect, Schema, Stream } from "effect"
import { ChildProcess } from "effect/process"
import * as Bundle from "./Bundle.ts"
import { cases, type Name } from "./Cases.ts"
import type * as Report from "./Report.ts"
import * as Server from "./Server.ts"
import * as Workload from "./Workload.ts"

export class CaseFailed extends Data.TaggedError("CaseFailed")<{ readonly label: string; readonly reason: string }> {
  override get message() {
    return `${this.label}: ${this.reason}`
  }
}

export interface Entry {
  readonly label: string
  readonly name: Name
  readonly workload: Workload.Workload
  readonly options?: ReadonlyArray<string>
}

/** Cases that are measured against the same server, in one table. */
export interface Suite {
  readonly title: string
  readonly server: Server.Program
  readonly entries: ReadonlyArray<Entry>
}

const Result = Schema.fromJsonString(
  Schema.Struct({
    records: Schema.Int,
    touched: Schema.Int,
    seconds: Schema.Finite,
    cpu: Schema.Finite,
    peak: Schema.Int,
    imports: Schema.Int,
    latency: Schema.optionalKey(Schema.Finite)
  })
)

const runCase = Effect.fnUntraced(function* (
  file: string,
  root: string,
  { label, name, options = [], workload }: Entry
) {
  const child = yield* ChildProcess.make(process.execPath, [...options, file, name, root, JSON.stringify(workload)], {
    stdin: "ignore",
    stderr: "inherit",
    forceKillAfter: "3 seconds"
  })
  // Sluice's warnings go to stdout as well; the result is the last line.
  const lines = yield* child.stdout.pipe(Stream.decodeText(), Stream.splitLines, Stream.runCollect)
  const code = yield* child.exitCode
  if (code !== 0) return yield* new CaseFailed({ label, reason: `ended with code ${code}` })
  const result = yield* Schema.decodeEffect(Result)(lines.at(-1) ?? "")
  const expected = Workload.total(workload)
  if (result.records !== expected) {
    return yield* new CaseFailed({ label, reason: `saw ${result.records} records instead of ${expected}` })
  }
  return result
}, Effect.scoped)

/** The order of one round: each begins one case later, so that no case always follows the same neighbour's heat. */
export const rotate = <A>(items: ReadonlyArray<A>, by: number): ReadonlyArray<A> => {
  const start = items.length === 0 ? 0 : by % items.length
  return [...items.slice(start), ...items.slice(0, start)]
}

/**
 * Measures a suite: one round that is not counted, in which the server prepares every reply, then the rounds.
 *
 * Fails when a case misses a record, or when two cases of one size saw different data.
 */
export const run = Effect.fnUntraced(function* (suite: Suite, rounds: number) {
  yield* Console.error(`\n${suite.title}`)
  const file = yield* Bundle.write
  const root = yield* Server.start(suite.server)
  const measured = new Map<string, Array<Report.Measurement>>(suite.entries.map(({ label }) => [label, []]))
  const touched = new Map<string, number>()
  for (let round = 0; round <= rounds; round++) {
    for (const entry of rotate(suite.entries, Math.max(0, round - 1))) {
      const result = yield* runCase(file, root, entry)
      const what = `${cases[entry.name].sees} of ${result.records}`
      const known = touched.get(what) ?? result.touched
      if (result.touched !== known) return yield* new CaseFailed({ label: entry.label, reason: "saw other data" })
      touched.set(what, known)
      const stage = round === 0 ? "preparing" : `round ${round}/${rounds}`
      yield* Console.error(`  ${stage}  ${result.seconds.toFixed(2).padStart(6)} s  ${entry.label}`)
      if (round > 0) measured.get(entry.label)?.push(result)
    }
  }
  return measured
}, Effect.scoped)
