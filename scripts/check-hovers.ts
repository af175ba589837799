/**
 * Fails unless an editor shows a sentence for every endpoint, parameter and field, and the names of decimals, times and nested
 * records. The declarations are those of `pnpm tarballs`, for programs on Effect and for those of `@sluice/promise`.
 */
import * as Hover from "./declarations/Hover.ts"
import * as Listed from "./Listed.ts"

const before = `import * as Sluice from "../packages/core/dist/index.js"
import { Sluice as Promised } from "../packages/promise/dist/index.js"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
declare const sluice: Promised
type Params<F> = F extends (...given: infer A) => unknown ? NonNullable<A[0]> : never
type Given<F> = F extends (...given: never) => infer R ? R : never
type Single<R> = R extends Effect.Effect<infer A, infer _E, infer _R> ? A : never
type Each<R> = R extends Stream.Stream<infer A, infer _E, infer _R> ? A : Single<R>
type Data = { readonly _tag: "Data"; readonly record: unknown }
type Live<A> = [Extract<A, Data>] extends [never] ? A : Extract<A, Data>["record"]
type Undocumented = { readonly field: string }
`

const types = new Map<string, string>([["Undocumented", "Undocumented"]])
const values = new Map<string, string>()
for (const { name, section } of Listed.all) {
  const here = `${section}.${name}`
  const promised = `sluice.${section.charAt(0).toLowerCase()}${section.slice(1)}.${name}`
  values.set(here, `Sluice.${here}`)
  types.set(`parameters of ${here}`, `Params<typeof Sluice.${here}>`)
  types.set(`record of ${here}`, `Live<Each<Given<typeof Sluice.${here}>>>`)
  // Without Effect a live stream is one of core.
  if (section === "Live") continue
  values.set(promised, promised)
  types.set(`parameters of ${promised}`, `Params<typeof ${promised}>`)
}

const shown = Hover.all(before, types, values)
const silent = shown.filter(({ words }) => words === "").map(({ name }) => `${name}: an editor shows no sentence`)
const marks = shown.filter(({ type }) => /Brand<"(?:Decimal|Timestamp)">/.test(type))
const spelled = shown.filter(({ name, type }) => /^(?:parameters|record) of /.test(name) && /\{ \w/.test(type))
const empty = [...types.keys()]
  .filter((type) => !shown.some(({ name }) => name.startsWith(`${type}.`)))
  .map((type) => `${type}: have no fields`)
const problems = [
  ...empty,
  ...silent.slice(1),
  ...[...marks, ...spelled].map(({ name, type }) => `${name}: is shown as ${type}`)
]
for (const problem of problems) process.stderr.write(`${problem}\n`)
process.stdout.write(`${shown.length} hovers of ${Listed.all.length} endpoints, ${problems.length} problems.\n`)
// The first is here to be found.
if (problems.length > 0 || silent[0]?.startsWith("Undocumented.field") !== true) process.exitCode = 1
