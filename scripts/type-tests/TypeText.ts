/** The table of operations as TypeScript: what the type of a record and of parameters is to be. */
import type { Fields, Type } from "../../packages/interface/src/Field.ts"
import type { Parameter } from "../../packages/interface/src/Parameter.ts"

const union = (words: ReadonlyArray<string>) => words.map((word) => JSON.stringify(word)).join(" | ")

const key = (name: string) => (/^\w+$/.test(name) ? name : JSON.stringify(name))

/** A record whatever the order of its fields and words. */
const canonical = (fields: Fields): string =>
  Object.entries(fields)
    .map(([name, { isKey, type }]) => `${name}${isKey ? "" : "?"}: ${canonicalType(type)}`)
    .toSorted()
    .join(", ")

const canonicalType = (type: Type): string => {
  switch (type._tag) {
    case "word":
      return type.words.toSorted().join("|")
    case "list":
      return `[${canonicalType(type.of)}]`
    case "object":
      return `{${canonical(type.fields)}}`
    case "either":
      return `[{${canonical(type.fields)}}] or one`
    default:
      return type._tag
  }
}

/** Interfaces by what they say, so that what is alike has one name. */
export class Shapes {
  private readonly names = new Map<string, string>()
  private readonly bodies = new Map<string, string>()

  private named(what: string, proposed: string, body: () => string): string {
    const found = this.names.get(what)
    if (found !== undefined) return found
    const taken = new Set(this.names.values())
    let name = proposed
    for (let index = 2; taken.has(name); index++) name = `${proposed}${index}`
    this.names.set(what, name)
    this.bodies.set(name, body())
    return name
  }

  /** The name of the interface of a record, where the table has one like it. */
  find(fields: Fields): string | undefined {
    return this.names.get(canonical(fields))
  }

  text(): string {
    return [...this.bodies].map(([name, body]) => `export interface ${name} {\n${body}}\n`).join("\n")
  }

  /** The interface of a record: what is no key may be absent or null. */
  record(fields: Fields, proposed: string): string {
    return this.named(canonical(fields), proposed, () => {
      const lines = Object.entries(fields).map(([name, { isKey, type }]) => {
        const text = this.type(type, `${proposed}${pascal(name)}`)
        return `  readonly ${key(name)}${isKey ? `: ${text}` : `?: ${text} | null`}\n`
      })
      return lines.join("")
    })
  }

  private type(type: Type, proposed: string): string {
    switch (type._tag) {
      case "either": {
        const record = this.record(type.fields, proposed)
        return `ReadonlyArray<${record}> | ${record}`
      }
      case "text":
      case "int64":
        return "string"
      case "decimal":
        return "Decimal.Decimal"
      case "time":
        return "Timestamp.Timestamp"
      case "bool":
        return "boolean"
      case "number":
        return "number | string"
      case "word":
        return `Open<${union(type.words)}>`
      case "list":
        return `ReadonlyArray<${this.type(type.of, proposed)}>`
      case "object":
        return this.record(type.fields, proposed)
    }
  }

  /** The interface of parameters; of those in `columns` a constant may stand for a name. */
  params(taken: Readonly<Record<string, Parameter>>, columns: ReadonlyArray<string>, proposed: string): string {
    const lines = Object.entries(taken).map(([name, parameter]) => {
      const text = columns.includes(name) ? "Names" : value(parameter)
      return `  readonly ${name}${parameter.isRequired ? `: ${text}` : `?: ${text} | undefined`}\n`
    })
    return this.named(`params ${lines.toSorted().join("")}`, proposed, () => lines.join(""))
  }
}

const value = ({ isClosed, isList, kind, words }: Parameter): string => {
  switch (kind) {
    case "boolean":
      return "boolean"
    case "integer":
      return words.length === 0 ? "number" : `number | ${union(words)} | \`\${number}\``
    case "time":
      return "string"
    case "text":
      return isList ? "List" : "string"
    case "word": {
      const word = isClosed ? union(words) : `Open<${union(words)}>`
      return isList ? `${word} | ReadonlyArray<${word}>` : word
    }
  }
}

export const pascal = (text: string) =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("")
