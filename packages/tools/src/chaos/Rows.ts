/**
 * Compares records with those of the undisturbed run, apart from changes that a fault was asked to make.
 */
import type * as Fault from "@sluice/sandbox/Fault"
import type { Expected, Row } from "./Expected.ts"

/** What the faults of a stream may have done to single records. */
export interface Alterations {
  /** The kinds that were met. */
  readonly kinds: ReadonlySet<Fault.Kind>
  /** Fields taken away. */
  readonly missing: ReadonlySet<string>
  /** Fields of another type. */
  readonly wrong: ReadonlySet<string>
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** Takes a field away. */
export const without = (row: Row, field: string): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => name !== field))

/** What `wrong-type` makes of a value. */
export const wrong = (value: unknown): unknown => (typeof value === "string" ? 12345 : { value })

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

const isAdded = (name: string, value: unknown, faults: Alterations): boolean => {
  const [kinds, isSo] = added.get(name) ?? [[], () => false]
  return kinds.some((kind) => faults.kinds.has(kind)) && isSo(value)
}

/** A record as text, but for a field that cannot be written. */
export const textOf = (row: Row) =>
  JSON.stringify(Object.hasOwn(row, "sandbox_deep") ? without(row, "sandbox_deep") : row)

const fieldDiffers = (name: string, got: Row, clean: Row, faults: Alterations): boolean => {
  if (!Object.hasOwn(clean, name)) return !isAdded(name, got[name], faults)
  if (!Object.hasOwn(got, name)) return !faults.missing.has(name)
  if (same(got[name], clean[name])) return false
  return !(faults.wrong.has(name) && same(got[name], wrong(clean[name])))
}

/** The field in which a record differs from the undisturbed one, if the faults do not explain the difference. */
const difference = (got: Row, clean: Row, isRecord: Expected["isRecord"], faults: Alterations): string | undefined => {
  const names = new Set([...Object.keys(clean), ...Object.keys(got)])
  const name = [...names].find((name) => fieldDiffers(name, got, clean, faults))
  if (name !== undefined) {
    const shown = name === "sandbox_deep" ? "there" : JSON.stringify(got[name])
    return `.${name} is ${shown ?? "absent"} instead of ${JSON.stringify(clean[name]) ?? "absent"}`
  }
  // What a fault made of a record may only come through where its type allows it.
  return isRecord(got) ? undefined : " is no record of this endpoint, and was not refused"
}

/** The first row that differs from the undisturbed ones in the expected order. */
export const firstDifference = (
  rows: ReadonlyArray<Row>,
  order: ReadonlyArray<number>,
  { isRecord, rows: clean, texts }: Expected,
  faults: Alterations
): string | undefined => {
  for (const [index, row] of rows.entries()) {
    const at = order[index]
    if (at === undefined) return `record ${index} is one more than the ${order.length} there are: ${textOf(row)}`
    if (textOf(row) === texts[at] && !Object.hasOwn(row, "sandbox_deep")) continue
    const found = difference(row, clean[at]!, isRecord, faults)
    if (found === undefined) continue
    const elsewhere = texts.indexOf(textOf(row))
    return `record ${index}${found}${elsewhere === -1 ? "" : `; it is record ${order.indexOf(elsewhere)} of the undisturbed run`}`
  }
  return undefined
}
