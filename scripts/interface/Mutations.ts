/** Changes of one operation of the table, each of one thing it says: what a slip of the pen would do. */
import { isDeepStrictEqual } from "node:util"
import type { Draw } from "../../packages/core/test/Draw.ts"
import type { Operation } from "../../packages/interface/src/Operation.ts"

/** Something said, under a name or at a place of a list. */
interface Said {
  readonly holder: object
  readonly name: string
  readonly path: ReadonlyArray<string>
}

/** What an operation is known by; and keys of what `include` brings, which only the type tests tell from other fields. */
const isUntold = (path: ReadonlyArray<string>) => /^(?:path|method)$|^more\..*isKey$/.test(path.join("."))

/** Everything that is said below a value. */
const below = (holder: object, path: ReadonlyArray<string> = []): ReadonlyArray<Said> =>
  Object.entries(holder).flatMap(([name, value]: [string, unknown]) => {
    const here = [...path, name]
    const inner = typeof value === "object" && value !== null ? below(value, here) : []
    return isUntold(here) ? [] : [{ holder, name, path: here }, ...inner]
  })

const valueOf = ({ holder, name }: Said): unknown => Reflect.get(holder, name)

/** What decides which other values can stand there: the name, or that of the list, and the type. */
const sortOf = (said: Said) =>
  `${said.path.findLast((name) => !/^\d+$/.test(name))} ${typeof valueOf(said)} ${Array.isArray(said.holder)}`

/** Makes changes: each thing said becomes what another operation says under this name, or is left out. */
export const make = (all: ReadonlyArray<Operation>) => {
  const known = Map.groupBy(
    all.flatMap((operation) => below(operation)),
    sortOf
  )
  /** A copy of any operation with one change, and what was changed. */
  const change = (draw: Draw): readonly [operation: Operation, what: string] => {
    // A copy of its own of everything: parameters share what they are.
    const operation = structuredClone(draw.one(all))
    const said = draw.one(below(operation))
    const before = valueOf(said)
    const others = (known.get(sortOf(said)) ?? []).map(valueOf).filter((value) => !isDeepStrictEqual(value, before))
    // Not to say it is to say no.
    const canDrop = before !== undefined && before !== false
    if (others.length === 0 && !canDrop) return change(draw)
    const next = canDrop && (others.length === 0 || draw.chance(0.2)) ? undefined : structuredClone(draw.one(others))
    if (next !== undefined) Reflect.set(said.holder, said.name, next)
    else if (Array.isArray(said.holder)) said.holder.splice(Number(said.name), 1)
    else Reflect.deleteProperty(said.holder, said.name)
    return [operation, `${said.path.join(".")} becomes ${JSON.stringify(next)}`]
  }
  return change
}
