/**
 * Compares records with those of the undisturbed run, apart from changes that a fault was asked to make.
 */
import type * as Fault from "@sluice/sandbox/Fault"
import type * as Spec from "../../../sandbox/src/internal/faults/Spec.ts"
import type { Expected, Row } from "./Expected.ts"
import type { Effects } from "./Faults.ts"

/** How records may come: each in its place, some left out, or in any order and more than once. */
export type Way = "whole" | Extract<Effects["records"], "fewer" | "disordered">

/** Takes a field away. */
const without = (row: Row, field: string): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => name !== field))

/** What `wrong-type` makes of a value. */
const wrong = (value: unknown): unknown => (typeof value === "string" ? 12345 : { value })

/** A record after a fault. */
export const altered = (row: Row, { kind, value }: Spec.Fault): Row => {
  switch (kind) {
    case "missing":
      return without(row, value)
    case "wrong-type":
      return Object.hasOwn(row, value) ? { ...row, [value]: wrong(row[value]) } : row
    default:
      return { ...row, sandbox_nested: {} }
  }
}

/** What the fault `number` writes, and what is read as the same number. */
const exactNumbers = new Set([
  "1",
  "-0",
  "0",
  "1.5",
  "9007199254740993",
  "1e999",
  "0.1234567890123456789",
  "1E2",
  "100"
])

type Added = readonly [kinds: ReadonlyArray<Fault.Kind>, isSo: (value: unknown) => boolean]

const proto = '{"sandbox_polluted":true}'

/** Fields that faults add, and what stands in them. */
const added = new Map<string, Added>([
  ["sandbox_extra", [["extra-fields"], (value) => value === "new"]],
  ["sandbox_nested", [["extra-fields"], (value) => /^\{"list":\[\d+,null,true\]\}$/.test(JSON.stringify(value))]],
  ["sandbox_note", [["split-utf8"], (value) => value === "Ξ→₿ 🌊"]],
  ["sandbox_padding", [["long-line", "large-page"], (value) => /^x*$/.test(String(value))]],
  // A number that a double cannot hold comes as its text.
  [
    "sandbox_number",
    [["number"], (value) => exactNumbers.has(typeof value === "string" ? value : JSON.stringify(value))]
  ],
  // Deeper than a comparison could follow.
  ["sandbox_deep", [["deep"], Array.isArray]],
  ["__proto__", [["proto-keys"], (value) => JSON.stringify(value) === proto]],
  ["constructor", [["proto-keys"], (value) => JSON.stringify(value) === `{"prototype":${proto}}`]]
])

type Faults = ReadonlyArray<Spec.Fault>

const isAdded = (name: string, value: unknown, faults: Faults): boolean => {
  const [kinds, isSo] = added.get(name) ?? [[], () => false]
  return faults.some(({ kind }) => kinds.includes(kind)) && isSo(value)
}

/** A record as text, but for a field that cannot be written. */
const textOf = (row: Row) => JSON.stringify(Object.hasOwn(row, "sandbox_deep") ? without(row, "sandbox_deep") : row)

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

const fieldDiffers = (name: string, got: Row, clean: Row, faults: Faults): boolean => {
  const met = (kind: Fault.Kind) => faults.some((fault) => fault.kind === kind && fault.value === name)
  if (!Object.hasOwn(clean, name)) return !isAdded(name, got[name], faults)
  if (!Object.hasOwn(got, name)) return !met("missing")
  return !same(got[name], clean[name]) && !(met("wrong-type") && same(got[name], wrong(clean[name])))
}

/** The field in which a record differs from the undisturbed one, if the faults do not explain the difference. */
const difference = (got: Row, clean: Row, { isRecord }: Expected, faults: Faults): string | undefined => {
  const names = new Set([...Object.keys(clean), ...Object.keys(got)])
  const name = [...names].find((name) => fieldDiffers(name, got, clean, faults))
  if (name !== undefined) {
    const shown = name === "sandbox_deep" ? "there" : JSON.stringify(got[name])
    return `.${name} is ${shown ?? "absent"} instead of ${JSON.stringify(clean[name]) ?? "absent"}`
  }
  // What a fault made of a record may only come through where its type allows it.
  return isRecord(got) ? undefined : " is no record of this endpoint, and was not refused"
}

/** The places of records in the undisturbed run, and what is wrong with the first that has none. */
export interface Placed {
  readonly places: ReadonlySet<number>
  readonly finding: string | undefined
}

/** Finds the place of each record, in the order of the undisturbed run or in the reverse. */
export const place = (
  rows: ReadonlyArray<Row>,
  expected: Expected,
  isReversed: boolean,
  way: Way,
  faults: Faults
): Placed => {
  const { length } = expected.rows
  const indexAt = (place: number) => (isReversed ? length - 1 - place : place)
  const differs = (row: Row, place: number) => {
    const at = indexAt(place)
    if (textOf(row) === expected.texts[at] && !Object.hasOwn(row, "sandbox_deep")) return undefined
    return difference(row, expected.rows[at]!, expected, faults)
  }
  const places = new Set<number>()
  let next = 0
  for (const [index, row] of rows.entries()) {
    const isAt = (place: number) => place < length && differs(row, place) === undefined
    const from = way === "disordered" ? 0 : next
    const others = way === "whole" ? [] : Array.from({ length: Math.max(0, length - from) }, (_, at) => from + at)
    const found = isAt(next) ? next : others.find(isAt)
    if (found === undefined) {
      const finding =
        next < length
          ? `record ${index}${differs(row, next)}`
          : `record ${index} is one more than the ${length} there are: ${textOf(row)}`
      return { places, finding }
    }
    places.add(found)
    next = found + 1
  }
  return { places, finding: undefined }
}
