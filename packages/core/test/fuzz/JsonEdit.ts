/** What can be wrong with the structure of a reply that is JSON still, or nearly. */
import * as Schema from "effect/Schema"
import { Choice, pick } from "./Choice.ts"
import * as Secret from "./Secret.ts"

/** JSON that can say what a JavaScript value cannot: the same key twice, any number, text that is none. */
export type Node =
  | { readonly kind: "object"; readonly entries: Array<[key: string, value: Node]> }
  | { readonly kind: "array"; readonly items: Array<Node> }
  | { readonly kind: "text"; readonly text: string }

const nested = (open: string, inner: string, close: string, depth: number) =>
  open.repeat(depth) + inner + close.repeat(depth)

/** Values as they are written. */
const values: Readonly<Record<string, string>> = {
  null: "null",
  true: "true",
  zero: "0",
  minusZero: "-0",
  fraction: "0.30000000000000004",
  tooLarge: "1e400",
  tooSmall: "-1e-400",
  long: "9".repeat(400),
  emptyText: '""',
  one: '"1"',
  nul: '"\\u0000"',
  surrogate: '"\\ud800"',
  hugeText: JSON.stringify("é".repeat(60_000)),
  emptyArray: "[]",
  emptyObject: "{}",
  arrays: nested("[", "", "]", 20_000),
  objects: nested('{"a":', "1", "}", 20_000),
  manyKeys: `{${Array.from({ length: 5_000 }, (_, index) => `"k${index}":${index}`).join(",")}}`,
  proto: '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  noPrimitive: '{"toString":1,"valueOf":2}',
  json: '{"toJSON":1,"then":2,"length":-1}',
  error: '{"type":"forbidden","message":"no"}',
  errors: '[{"type":"note","message":"one"},{"type":"note","message":"two"}]',
  quoting: JSON.stringify({ type: Secret.key, message: `GET /v4?api_key=${Secret.encoded} of ${Secret.key}` }),
  wordy: JSON.stringify({ type: "t".repeat(30_000), message: "m".repeat(30_000) }),
  deepWords: `{"type":${nested("[", "", "]", 20_000)},"message":${nested("[", "1,2", "]", 20_000)}}`,
  noWords: '[{"type":{"toString":1,"valueOf":2},"message":{"toString":null}},[],null,7]',
  records: JSON.stringify(Array.from({ length: 400 }, (_, index) => ({ asset: `x${index}`, time: "2024-01-01" }))),
  url: '"https://h.test/v4/x?next_page_token=three&api_key=other"',
  notJson: "NaN",
  leadingZero: "007",
  single: "'x'",
  nothing: ""
}

/** Keys that mean something here or in JavaScript. */
const keys: Readonly<Record<string, string>> = {
  proto: "__proto__",
  constructor: "constructor",
  toString: "toString",
  toJSON: "toJSON",
  empty: "",
  data: "data",
  error: "error",
  token: "next_page_token",
  url: "next_page_url",
  warning: "warning",
  warnings: "warnings",
  type: "type",
  message: "message",
  asset: "asset",
  time: "time",
  quoted: 'a "b" \\',
  huge: "k".repeat(50_000)
}

/** Keys of an envelope. */
const envelopeKeys = [
  "data",
  "error",
  "next_page_token",
  "next_page_url",
  "warning",
  "warnings",
  "unsupported"
] as const

const Value = Schema.Union([
  Schema.Struct({ known: Schema.Literals(Object.keys(values)) }),
  Schema.Struct({ text: Schema.String }),
  Schema.Struct({ number: Schema.Finite })
])

const Key = Schema.Union([
  Schema.Struct({ known: Schema.Literals(Object.keys(keys)) }),
  Schema.Struct({ text: Schema.String })
])

/** One change to the tree; `at` chooses among all its values, `in` among its objects. */
export const JsonEdit = Schema.Union([
  Schema.Struct({ edit: Schema.Literal("replace"), at: Choice, value: Value }),
  Schema.Struct({ edit: Schema.Literal("wrap"), at: Choice, inArray: Schema.Boolean }),
  Schema.Struct({ edit: Schema.Literal("delete"), at: Choice }),
  Schema.Struct({ edit: Schema.Literal("duplicate"), at: Choice }),
  Schema.Struct({ edit: Schema.Literal("rename"), in: Choice, at: Choice, key: Key }),
  Schema.Struct({ edit: Schema.Literal("add"), in: Choice, key: Key, value: Value }),
  Schema.Struct({ edit: Schema.Literal("addTop"), key: Schema.Literals(envelopeKeys), value: Value })
])

export type JsonEdit = typeof JsonEdit.Type

const leaf = (text: string): Node => ({ kind: "text", text })

const valueOf = (value: typeof Value.Type): Node => {
  if ("known" in value) return leaf(values[value.known]!)
  return leaf(JSON.stringify("text" in value ? value.text : value.number))
}

const keyOf = (key: typeof Key.Type) => ("known" in key ? keys[key.known]! : key.text)

/** Turns a value into a tree that can be changed. */
export const fromValue = (value: unknown): Node => {
  if (Array.isArray(value)) return { kind: "array", items: value.map(fromValue) }
  if (typeof value !== "object" || value === null) return leaf(JSON.stringify(value))
  return { kind: "object", entries: Object.entries(value).map(([key, inner]) => [key, fromValue(inner)]) }
}

/** Writes a tree as text. */
export const toText = (node: Node): string => {
  switch (node.kind) {
    case "text":
      return node.text
    case "array":
      return `[${node.items.map(toText).join(",")}]`
    case "object":
      return `{${node.entries.map(([key, value]) => `${JSON.stringify(key)}:${toText(value)}`).join(",")}}`
  }
}

/** A place in a tree that holds a value. */
interface Slot {
  readonly get: () => Node
  readonly set: (node: Node) => void
  readonly remove: () => void
  readonly repeat: () => void
}

const slotsOf = (node: Node): ReadonlyArray<Slot> => {
  if (node.kind === "text") return []
  if (node.kind === "array") {
    return node.items.flatMap((item, index): ReadonlyArray<Slot> => [
      {
        get: () => item,
        set: (next) => node.items.splice(index, 1, next),
        remove: () => node.items.splice(index, 1),
        repeat: () => node.items.splice(index, 0, item)
      },
      ...slotsOf(item)
    ])
  }
  return node.entries.flatMap(([key, value], index): ReadonlyArray<Slot> => [
    {
      get: () => value,
      set: (next) => node.entries.splice(index, 1, [key, next]),
      remove: () => node.entries.splice(index, 1),
      repeat: () => node.entries.splice(index, 0, [key, value])
    },
    ...slotsOf(value)
  ])
}

type Objects = ReadonlyArray<Extract<Node, { kind: "object" }>>

const objectsOf = (node: Node): Objects => {
  if (node.kind === "text") return []
  if (node.kind === "array") return node.items.flatMap(objectsOf)
  return [node, ...node.entries.flatMap(([, value]) => objectsOf(value))]
}

/** Changes a tree in place. */
export const apply = (root: Node, edit: JsonEdit): void => {
  switch (edit.edit) {
    case "rename":
    case "add": {
      const objects = objectsOf(root)
      if (objects.length === 0) return
      const { entries } = pick(objects, edit.in)
      if (edit.edit === "add") entries.push([keyOf(edit.key), valueOf(edit.value)])
      else if (entries.length > 0) pick(entries, edit.at)[0] = keyOf(edit.key)
      return
    }
    case "addTop":
      if (root.kind === "object") root.entries.push([edit.key, valueOf(edit.value)])
      return
    default: {
      const slots = slotsOf(root)
      if (slots.length === 0) return
      const slot = pick(slots, edit.at)
      if (edit.edit === "replace") slot.set(valueOf(edit.value))
      else if (edit.edit === "delete") slot.remove()
      else if (edit.edit === "duplicate") slot.repeat()
      else if (edit.inArray) slot.set({ kind: "array", items: [slot.get()] })
      else slot.set({ kind: "object", entries: [["inner", slot.get()]] })
    }
  }
}
