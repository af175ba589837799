/**
 * Batches as those of one table, whatever calls they are of: all have the columns of the first, and a word has one code in all.
 */
import type { AnyBatch } from "@sluice/core/internal/columns/Collector"
import * as Dictionary from "@sluice/core/internal/columns/Dictionary"
import { BadFormat } from "@sluice/core/internal/columns/FormatError"
import type { AnyColumn, Words } from "@sluice/core/internal/columns/TypedColumn"
import * as Result from "effect/Result"

/** Gives the columns of the next batch, in the order of those of the first. Fails where it has others. */
export type OneTable = (batch: AnyBatch) => Result.Result<ReadonlyArray<AnyColumn>, BadFormat>

export const make = (): OneTable => {
  let first: ReadonlyArray<AnyColumn> | undefined
  const recodes = new Map<string, (column: Words) => Words>()
  return ({ columns }) => {
    first ??= Object.values(columns)
    const all: Array<AnyColumn> = []
    for (const expected of first) {
      const { name } = expected
      const column = columns[name]
      if (column === undefined || kindOf(column) !== kindOf(expected)) {
        const here = column === undefined ? "absent" : kindOf(column)
        return bad(`column "${name}" is ${here} in a batch, and ${kindOf(expected)} in the first`)
      }
      if (column.type !== "word") all.push(column)
      else {
        const recode = recodes.get(name) ?? makeRecode()
        recodes.set(name, recode)
        all.push(recode(column))
      }
    }
    const other = Object.keys(columns).find((name) => !first?.some((column) => column.name === name))
    return other === undefined ? Result.succeed(all) : bad(`column "${other}" is in a batch, and not in the first`)
  }
}

const bad = (reason: string) => Result.fail(new BadFormat({ option: "batches", reason }))

const kindOf = (column: AnyColumn) =>
  column.type === "decimal" ? `decimal(${column.precision}, ${column.scale})` : column.type

/** Builds what gives words the codes that they have in the batches before. */
const makeRecode = (): ((column: Words) => Words) => {
  let known: ReadonlyArray<string> = []
  return (column) => {
    const { codes, isNull, words } = column
    const count = Math.min(known.length, words.length)
    const isSame = known === words || known.slice(0, count).every((word, code) => word === words[code])
    // Batches of one stream: their words are those before, and further ones.
    if (isSame) known = known.length < words.length ? words : known
    if (isSame) return { ...column, words: known }
    const dictionary = Dictionary.make(known)
    const recoded = words.map(dictionary.codeOf)
    const all = codes.map((code, index) => (isNull(index) ? 0 : recoded[code]!))
    known = dictionary.words(all, isNull)
    return { ...column, codes: all, words: known }
  }
}
