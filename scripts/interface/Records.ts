/** The tables of docs/interface.md that say what the records of series hold. */
import type { Field, Fields, Type } from "../../packages/interface/src/Field.ts"
import type { Operation } from "../../packages/interface/src/Operation.ts"

const typed = (type: Type): string => {
  switch (type._tag) {
    case "word":
      return `text (${type.words.map((word) => `\`${word}\``).join(", ")})`
    case "list":
      return `[${typed(type.of)}]`
    case "either":
    case "object":
      return `{${written(type.fields)}}`
    default:
      return type._tag
  }
}

/** Fields with their types; those of one type stand together. */
const written = (fields: Fields, isHere: (field: Field) => boolean = () => true): string => {
  const here = Object.entries(fields).filter(([, field]) => isHere(field))
  const sorts = Map.groupBy(here, ([, { type }]) => typed(type))
  return [...sorts].map(([type, same]) => `${same.map(([name]) => `\`${name}\``).join(", ")} ${type}`).join("; ")
}

export const head = ["Path", "Key", "Required", "Optional"]

/** The cells of an operation. */
export const cellsOf = ({ path, record }: Operation): ReadonlyArray<string> => [
  `\`${path}\``,
  written(record, ({ isKey }) => isKey),
  written(record, ({ isRequired }) => isRequired === true),
  written(record, ({ isKey, isRequired }) => !isKey && isRequired === undefined)
]
