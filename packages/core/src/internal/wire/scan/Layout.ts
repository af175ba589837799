/**
 * The layout of a record as the service writes it, nested objects and lists included: the bytes around its values, as the steps
 * of a scan, and how its values are put together.
 *
 * All items of a list have one layout. A record does not fit a layout when it has another key or item, or a number that a
 * double may not hold.
 */
import * as Shape from "./Shape.ts"

/** What follows the literal of a step. */
export const follows = { value: 0, end: 1, list: 2, nextItem: 3 } as const

/** A step of a scan: what is compared first, and what follows it. */
export interface Step {
  readonly literal: string
  readonly follows: (typeof follows)[keyof typeof follows]
  /**
   * Of a value, the kinds that are accepted. Of a list, the step behind it. Of the end of an item, the step that begins the
   * next.
   */
  argument: number
}

/** How values are put together. */
export type Node =
  | { readonly _tag: "Value" }
  | { readonly _tag: "Empty" }
  | { readonly _tag: "List"; readonly item: Node }
  | ObjectNode

/** An object with these keys. */
export interface ObjectNode {
  readonly _tag: "Object"
  readonly keys: ReadonlyArray<string>
  readonly members: ReadonlyArray<Node>
}

/** The layout of a record. */
export interface Layout {
  readonly steps: ReadonlyArray<Step>
  readonly root: ObjectNode
}

/** Whether its records are flat and without spaces, as `JSON.stringify` writes such. */
export const isPlain = ({ root, steps }: Layout): boolean =>
  steps.map(({ literal }) => literal).join("") === `{${root.keys.map((key) => `"${key}":`).join()}}`

/** A record with more keys, or lists and objects deeper in each other, has no layout. */
const [mostKeys, deepest] = [512, 8]

const member = / *[{,] *"([ !#-[\]-~]*)" *: */y
const value = /"(?:[^"\\]|\\.)*"|-?\d[\d.]*|null|true|false/y
const ending = / *\}/y
const emptyList = /\[ *\]/y
const itemsBegin = /\[ */y

const take = (pattern: RegExp, text: string, at: number) => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/**
 * Learns the layout of a record that is valid JSON. Returns nothing for keys that an object does not take in this order: a
 * repeated key, `__proto__`, or an integer, which objects put first; and for keys with escapes or characters outside ASCII.
 */
export const learn = (text: string, fields: Shape.Fields): Layout | undefined => {
  const steps: Array<Step> = []
  let at = 0
  let depth = 0
  let keyCount = 0
  /** What stands before the next value. */
  let literal = ""

  const push = (follows: Step["follows"], argument: number): Step => {
    const step = { literal, follows, argument }
    steps.push(step)
    literal = ""
    return step
  }

  /** Adds what matches here to the literal. */
  const skip = (pattern: RegExp): RegExpExecArray | null => {
    const found = take(pattern, text, at)
    if (found !== null) {
      literal += found[0]
      at += found[0].length
    }
    return found
  }

  const learnObject = ({ required, shapes }: Shape.Fields): ObjectNode | undefined => {
    const keys: Array<string> = []
    const members: Array<Node> = []
    for (let found = skip(member); found !== null; found = skip(member)) {
      const [, key = ""] = found
      if (keys.includes(key) || key === "__proto__" || /^\d+$/.test(key) || ++keyCount > mostKeys) return undefined
      const node = learnValue(shapes.get(key) ?? Shape.anything)
      if (node === undefined) return undefined
      keys.push(key)
      members.push(node)
    }
    const isWhole = keys.length > 0 && skip(ending) !== null && required.every((name) => keys.includes(name))
    return isWhole ? { _tag: "Object", keys, members } : undefined
  }

  const learnList = (itemShape: Shape.Shape): Node | undefined => {
    if (skip(emptyList) !== null) return { _tag: "Empty" }
    const [opening = ""] = take(itemsBegin, text, at) ?? []
    literal += "["
    at += opening.length
    const list = push(follows.list, 0)
    const first = steps.length
    const item = learnValue(itemShape)
    push(follows.nextItem, first)
    list.argument = steps.length
    at = endOfList(text, at)
    return item === undefined ? undefined : { _tag: "List", item }
  }

  const learnNested = ({ fields, item }: Shape.Shape): Node | undefined => {
    if (text[at] === "{") return fields && learnObject(fields)
    return item && learnList(item)
  }

  const learnValue = (shape: Shape.Shape): Node | undefined => {
    if (text[at] === "{" || text[at] === "[") {
      const node = ++depth > deepest ? undefined : learnNested(shape)
      depth--
      return node
    }
    const [held] = take(value, text, at) ?? []
    if (held === undefined) return undefined
    push(follows.value, shape.kinds)
    at += held.length
    return { _tag: "Value" }
  }

  const root = learnObject(fields)
  if (root === undefined || at !== text.length) return undefined
  push(follows.end, 0)
  return { steps, root }
}

/** The offset behind the list whose items are read from here. */
const endOfList = (text: string, from: number): number => {
  let at = from
  for (let depth = 1; depth > 0 && at < text.length; at++) {
    const character = text[at]
    if (character === '"') at += (take(value, text, at)?.[0].length ?? 1) - 1
    else if (character === "[" || character === "{") depth++
    else if (character === "]" || character === "}") depth--
  }
  return at
}
