/**
 * Changes of one operation of the table, each of one thing it says: what a slip of the pen would do.
 */
import type { Draw } from "../../packages/core/test/Draw.ts"
import type { Field, Fields, Type } from "../../packages/interface/src/Field.ts"
import type { Operation } from "../../packages/interface/src/Operation.ts"
import type { Parameter } from "../../packages/interface/src/Parameter.ts"

/** Changes a copy of an operation in place and says what; undefined where the operation has nothing of this kind. */
export type Mutation = (operation: Operation, draw: Draw) => string | undefined

/** An item of a list, other than this one. */
const other = <A>(all: ReadonlyArray<A>, one: A, draw: Draw) => draw.one(all.filter((other) => other !== one))

/** A list without one of its items, or with one more. */
const list = (all: ReadonlyArray<string> = [], more: string, draw: Draw) => {
  const one = all.length === 0 || draw.chance(0.3) ? more : draw.one(all)
  return all.includes(one) ? all.filter((other) => other !== one) : [...all, one]
}

const below = (type: Type): Fields => {
  if (type._tag === "list") return below(type.of)
  return type._tag === "object" || type._tag === "either" ? type.fields : {}
}

/** A field of a record, at any depth, with those beside it. */
interface Place {
  readonly among: Fields
  readonly name: string
  readonly field: Field
}

const places = (among: Fields): ReadonlyArray<Place> =>
  Object.entries(among).flatMap(([name, field]) => [{ among, name, field }, ...places(below(field.type))])

const field =
  (what: string, change: (place: Place, draw: Draw) => unknown, isWord = false): Mutation =>
  ({ record }, draw) => {
    const found = places(record).filter(({ field }) => !isWord || field.type._tag === "word")
    if (found.length === 0) return undefined
    const place = draw.one(found)
    change(place, draw)
    return `${what} the field ${place.name}`
  }

const simple = ["text", "decimal", "int64", "time", "bool", "number"] as const

const retype = ({ field }: Place, draw: Draw) => {
  const { type } = field
  const kind = other<Type["_tag"]>(simple, type._tag, draw)
  Object.assign(field, { type: type._tag === "list" && draw.chance(0.5) ? type.of : { _tag: kind } })
}

const parameter =
  (
    what: string,
    change: (parameter: Parameter, draw: Draw) => object | undefined,
    applies = ({ isPath }: Parameter) => !isPath
  ): Mutation =>
  ({ parameters }, draw) => {
    const names = Object.keys(parameters).filter((name) => applies(parameters[name]!))
    if (names.length === 0) return undefined
    const name = draw.one(names)
    const next = change(parameters[name]!, draw)
    // Not in place: parameters share what they are.
    if (next === undefined) Reflect.deleteProperty(parameters, name)
    else Object.assign(parameters, { [name]: { ...parameters[name], ...next } })
    return `${what} the parameter ${name} ${JSON.stringify(next) ?? ""}`
  }

const defaults = { boolean: false, integer: 7, text: "any", time: "2020-01-01", word: "any" }

const defaultOf = ({ default: value, kind }: Parameter, draw: Draw) => {
  if (value === undefined) return defaults[kind]
  if (draw.chance(0.3)) return undefined
  if (typeof value === "boolean") return !value
  return typeof value === "number" ? value * 10 : `${value}s`
}

const kinds = ["text", "integer", "boolean", "time", "word"] as const

const rootSets: Array<Operation["roots"]> = [["paid"], ["community"], ["paid", "community"], ["stream"]]

const replies = ["page", "data", "record", "job", "frame"] as const

/** What the operation says of itself. */
const itself =
  (what: string, change: (operation: Operation, draw: Draw) => object | undefined): Mutation =>
  (operation, draw) => {
    const next = change(operation, draw)
    Object.assign(operation, next)
    return next && `changes ${what}: ${JSON.stringify(next)}`
  }

/** Every kind of change, each as likely as another. */
export const all: ReadonlyArray<Mutation> = [
  field("drops", ({ among, name }) => Reflect.deleteProperty(among, name)),
  field("flips the type of", retype),
  field("makes a key, or none, of", ({ field }) => Object.assign(field, { isKey: !field.isKey })),
  field(
    "changes a word of",
    ({ field: { type } }, draw) =>
      type._tag === "word" && Object.assign(type, { words: list(type.words, "a_word", draw) }),
    true
  ),
  parameter("drops", () => undefined),
  parameter("flips the kind of", ({ kind }, draw) => ({ kind: other(kinds, kind, draw) })),
  parameter(
    "flips the role of",
    ({ isList, isPath, isRequired }, draw) =>
      draw.one([{ isList: !isList }, { isRequired: !isRequired }, { isPath: !isPath }]),
    () => true
  ),
  parameter(
    "changes a word of",
    ({ words }, draw) => ({ words: list(words, "a_word", draw) }),
    ({ kind }) => kind === "word"
  ),
  parameter(
    "opens or closes",
    ({ isClosed }) => ({ isClosed: !isClosed }),
    ({ kind }) => kind === "word"
  ),
  parameter(
    "moves a bound of",
    ({ maximum = 1000, minimum = 0 }, draw) => draw.one([{ minimum: minimum + 1 }, { maximum: maximum - 1 }]),
    ({ kind }) => kind === "integer"
  ),
  parameter("changes an exclusion of", ({ excludes }, draw) => ({ excludes: list(excludes, "pretty", draw) })),
  parameter("changes the default of", (one, draw) => ({ default: defaultOf(one, draw) })),
  parameter("flips a mark of", ({ community, takesIdentifiers, takesWildcards }, draw) =>
    draw.one([
      { takesIdentifiers: !takesIdentifiers },
      { takesWildcards: !takesWildcards },
      { community: other([undefined, "disabled", "one item"], community, draw) }
    ])
  ),
  itself("the order", ({ order }, draw) => ({ order: list(order, "height", draw) })),
  itself("what tells records apart", ({ apart }, draw) => ({ apart: list(apart, "height", draw) })),
  itself("the roots", ({ roots }, draw) => ({ roots: draw.one(rootSets.filter((one) => `${one}` !== `${roots}`)) })),
  itself("the reply", ({ reply }, draw) => ({ reply: other(replies, reply, draw) })),
  itself("what is beside the records", ({ beside }) => ({ beside: beside.length > 0 ? [] : ["warning"] })),
  itself("the replacement", ({ replacement }, draw) => ({ replacement: list(replacement, "/jobs", draw) })),
  itself("the section", ({ section }) => ({ section: section === "4.2" ? "4.3" : "4.2" })),
  itself("the edition", ({ isNewer }) => ({ isNewer: !isNewer })),
  itself("the standing", ({ isExperimental }) => ({ isExperimental: !isExperimental })),
  itself("the choice", ({ choice }) => (choice.length === 0 ? undefined : { choice: choice.slice(1) })),
  itself("what can be asked for", ({ more }) => (Object.keys(more).length === 0 ? undefined : { more: {} }))
]
