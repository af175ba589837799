/**
 * The words in which the table says what a record holds: those of docs/interface.md 3.1.
 *
 * A field is written `name:type`; without a type it is text. What does not fit into a word is given as an object:
 * `may("frequency min_time:time", { depths: list(Depth) })`.
 */

const simple = ["text", "decimal", "int64", "time", "bool", "number"] as const

/**
 * `number` is a JSON number, or its text; `word` is text of a list that is open; `object` may be inside a `list`; `either` is a list
 * of objects, or one of them alone.
 */
export type Type =
  | { readonly _tag: (typeof simple)[number] }
  | { readonly _tag: "word"; readonly words: ReadonlyArray<string> }
  | { readonly _tag: "list"; readonly of: Type }
  | { readonly _tag: "either"; readonly fields: Fields }
  | { readonly _tag: "object"; readonly fields: Fields }

export interface Field {
  /**
   * Whether it names the record, which is refused without it. Of any other field a reader accepts absence and null, also where it is
   * documented as required (docs/interface.md 10.1).
   */
  readonly isKey: boolean
  /** Whether the OpenAPI document has it as required beside the keys; the table says so of series alone. */
  readonly isRequired?: true
  readonly type: Type
}

export type Fields = Readonly<Record<string, Field>>

/** One field or several in words, or by name with a type that has no word. */
type Written = string | Readonly<Record<string, Type>>

const typed = (name: string, type: string): Type => {
  const found = simple.find((word) => word === type)
  if (found === undefined) throw new Error(`${name}: there is no type ${type}`)
  return { _tag: found }
}

const written =
  (rest: Omit<Field, "type">) =>
  (...all: ReadonlyArray<Written>): Fields =>
    Object.fromEntries(
      all.flatMap((one) => {
        const types =
          typeof one === "string"
            ? one.split(" ").map((word) => {
                const [name = "", type = "text"] = word.split(":")
                return [name, typed(name, type)] as const
              })
            : Object.entries(one)
        return types.map(([name, type]) => [name, { ...rest, type }] as const)
      })
    )

/** Fields without which a record is refused. */
export const key = written({ isKey: true })

/** Fields that are published as required, and may be absent or null all the same. */
export const must = written({ isKey: false, isRequired: true })

/** Fields that may be absent or null. */
export const may = written({ isKey: false })

/** One of these words, or any the service may add. */
export const word = (...words: ReadonlyArray<string>): Type => ({ _tag: "word", words })

/** The fields of what is inside a record, where nothing is a key. */
const inner = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, { type }]) => [name, { isKey: false, type }]))

/** An object of these fields. */
export const object = (fields: Fields): Type => ({ _tag: "object", fields: inner(fields) })

/** A list of objects of these fields, or of another type. */
export const list = (of: Fields | Type): Type => ({ _tag: "list", of: isType(of) ? of : object(of) })

/** A list of objects of these fields, or one such object. */
export const either = (fields: Fields): Type => ({ _tag: "either", fields: inner(fields) })

const isType = (of: Fields | Type): of is Type => typeof of["_tag"] === "string"

/** A list of texts. */
export const texts: Type = list({ _tag: "text" })

/** The fields of a record without word of which are published as required. */
export const unlisted = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, { isKey, type }]) => [name, { isKey, type }]))

/** Some fields of a record, as they are there. */
export const pick = (fields: Fields, names: string): Fields =>
  Object.fromEntries(names.split(" ").map((name) => [name, has(fields, name)]))

/** A record without some of its fields. */
export const omit = (fields: Fields, names: string): Fields => {
  const dropped = names.split(" ")
  for (const name of dropped) has(fields, name)
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !dropped.includes(name)))
}

const has = (fields: Fields, name: string): Field => {
  const field = fields[name]
  if (field === undefined) throw new Error(`there is no field ${name}`)
  return field
}
