/** What bodies hold, read a second time: plainly, with none of the library's code. */

/** Writes a JSON value so that equal values give equal text, however deep they are. */
export const canonical = (value: unknown): string => {
  try {
    return JSON.stringify(value)
  } catch {
    return writeDeep(value)
  }
}

/** `JSON.stringify` ends with the stack. */
const writeDeep = (value: unknown): string => {
  const out: Array<string> = []
  const left: Array<{ readonly value: unknown } | string> = [{ value }]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === "string") out.push(next)
    else if (typeof next.value === "object" && next.value !== null) {
      left.push("end")
      const entries = Object.entries(next.value).toReversed()
      for (const [key, inner] of entries) left.push({ value: inner }, `${JSON.stringify(key)}:`)
      left.push(Array.isArray(next.value) ? "array" : "object")
    } else out.push(JSON.stringify(next.value))
  }
  return out.join(" ")
}

/** Names of what is no plain JSON inside of a value: another prototype, or a type JSON does not have. */
export const foreign = (value: unknown): ReadonlyArray<string> => {
  const found: Array<string> = []
  const left = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (next === null || ["string", "boolean"].includes(typeof next)) continue
    if (typeof next === "number") continue
    if (typeof next !== "object") found.push(typeof next)
    else {
      const expected = Array.isArray(next) ? Array.prototype : Object.prototype
      if (Object.getPrototypeOf(next) !== expected) found.push("a prototype")
      for (const inner of Object.values(next as object)) left.push(inner)
    }
  }
  return found
}

/** A number as whole digits and a power of ten. */
const scaled = (text: string): readonly [digits: bigint, power: number] => {
  const [mantissa = "", power = "0"] = text.toLowerCase().split("e")
  const [whole = "", fraction = ""] = mantissa.split(".")
  return [BigInt(`${whole}${fraction}`.replace("-", "")), Number(power) - fraction.length]
}

/** Whether a number, written out again, is the number it was read from. */
const isKept = (source: string, value: number): boolean => {
  if (!Number.isFinite(value)) return false
  const [[digits, power], [others, other]] = [scaled(source), scaled(String(value))]
  if (digits === 0n || others === 0n) return digits === others
  if (Math.abs(power - other) > 2_000) return false
  const least = Math.min(power, other)
  return digits * 10n ** BigInt(power - least) === others * 10n ** BigInt(other - least)
}

/** Type boundary: engines show the text of a number, which the types do not know yet. */
type Revive = (key: string, value: unknown, context: { readonly source?: string }) => unknown

const keepNumbers: Revive = (_, value, { source }) =>
  typeof value === "number" && source !== undefined && !isKept(source, value) ? source : value

const parse = (text: string): { readonly json: unknown } | undefined => {
  try {
    const json: unknown = JSON.parse(text)
    return { json: /[\d.]{15}|\d[eE]/.test(text) ? keepingNumbers(text, json) : json }
  } catch {
    return undefined
  }
}

/** What a reviver is given may be too deep for it; so deep a value holds no number that is not kept. */
const keepingNumbers = (text: string, otherwise: unknown): unknown => {
  try {
    return (JSON.parse as (text: string, revive: Revive) => unknown)(text, keepNumbers)
  } catch {
    return otherwise
  }
}

const decode = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The lines of a json_stream that are not blank, up to the first that is no JSON. */
export const linesOf = (body: Uint8Array): { readonly all: ReadonlyArray<unknown>; readonly isWhole: boolean } => {
  const all: Array<unknown> = []
  let from = 0
  while (from < body.length) {
    const end = body.indexOf(10, from)
    const text = decode(body.subarray(from, end === -1 ? body.length : end))
    const line = text === undefined ? undefined : text.trim() === "" ? "blank" : parse(text)
    if (line === undefined) return { all, isWhole: false }
    if (line !== "blank") all.push(line.json)
    if (end === -1) return { all, isWhole: false }
    from = end + 1
  }
  return { all, isWhole: true }
}

/** The envelope of a page, when the body is one. */
export const envelopeOf = (body: Uint8Array): Readonly<Record<string, unknown>> | undefined => {
  const text = decode(body)
  const json = text === undefined ? undefined : parse(text)?.json
  return typeof json === "object" && json !== null ? (json as Readonly<Record<string, unknown>>) : undefined
}

/** All lines of a json_stream that are JSON, canonically, whatever stands between them. */
export const recordsOf = (body: Uint8Array): ReadonlySet<string> =>
  new Set(
    Buffer.from(body)
      .toString()
      .split("\n")
      .flatMap((line) => {
        const found = parse(line.replace(/^\uFEFF/, ""))
        return found === undefined ? [] : [canonical(found.json)]
      })
  )

/** All objects that begin and end in a body, canonically, however broken it is behind them; none too deep. */
export const objectsOf = (body: Uint8Array): ReadonlySet<string> => {
  const text = Buffer.from(body).toString()
  const found = new Set<string>()
  const open: Array<number> = []
  let isText = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!
    if (isText && character === "\\") at += 1
    else if (character === '"') isText = !isText
    else if (isText) continue
    else if ("{[".includes(character)) open.push(at)
    else if ("}]".includes(character)) {
      const from = open.pop()
      const object = from === undefined || open.length > 7 ? undefined : parse(text.slice(from, at + 1))
      if (object !== undefined) found.add(canonical(object.json))
    }
  }
  return found
}
