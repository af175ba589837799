/** JSON objects of the service, read without schemas. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

export type Item = Readonly<Record<string, unknown>>

const parse = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))

export const isItem = (value: unknown): value is Item => Predicate.isObject(value) && !Array.isArray(value)

/** Parses a JSON object; nothing where the text is none. */
export const itemOf = (text: string): Item | undefined => {
  const value = Result.getOrUndefined(parse(text))
  return isItem(value) ? value : undefined
}

/** The objects of a list; none where it is no list. */
export const itemsOf = (value: unknown): ReadonlyArray<Item> => (Array.isArray(value) ? value.filter(isItem) : [])

/** A text of an object; empty where it has none. */
export const textOf = (item: Item | undefined, key: string): string => {
  const value = item?.[key]
  return Predicate.isString(value) ? value : ""
}

/** A text of each object. */
export const textsOf = (items: ReadonlyArray<Item>, key: string): ReadonlyArray<string> =>
  items.map((item) => textOf(item, key))

/** Whether texts ascend by code point; equal ones may follow each other. */
export const ascends = (texts: ReadonlyArray<string>): boolean =>
  texts.every((text, index) => index === 0 || texts[index - 1]! <= text)
