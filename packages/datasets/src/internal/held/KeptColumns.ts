/**
 * Whether what a place keeps has the columns of a read, with the digits that it needs.
 */
import { BadFormat } from "@sluice/core/internal/columns/FormatError"
import * as Effect from "effect/Effect"
import type { HeldColumns } from "../model/Store.ts"

/** A column as a place keeps it. */
interface KeptColumn {
  readonly name: string
  /** Whether a decimal has 15 to 17 digits alone. */
  readonly isDouble: boolean
}

const refuse = (option: string, reason: string) => Effect.fail(new BadFormat({ option, reason }))

/** Fails with `BadFormat` where a column is not kept, or not all digits of one that needs them. */
export const check = (
  kept: ReadonlyArray<KeptColumn>,
  { exact, names }: HeldColumns
): Effect.Effect<void, BadFormat> => {
  const known = kept.map(({ name }) => name)
  const lacking = names.find((name) => !known.includes(name))
  if (lacking !== undefined) {
    return refuse("columns", `the dataset does not keep "${lacking}"; it keeps ${known.join(", ")}`)
  }
  const inexact = kept.find(({ isDouble, name }) => isDouble && exact.includes(name))
  if (inexact === undefined) return Effect.void
  return refuse(
    "numbers",
    `the dataset keeps "${inexact.name}" as a double, which has 15 to 17 digits: read it as "double", ` +
      'or from a dataset that has numbers: "decimal" or "text"'
  )
}
