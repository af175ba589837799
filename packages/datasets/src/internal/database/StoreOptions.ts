/**
 * The options of a table of a dataset as schemas, and their check.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { Numbers } from "@sluice/files/Format"
import { BadDefinition } from "../model/DatasetError.ts"
import * as Kinds from "@sluice/node/internal/options/Kinds"
import * as Shape from "@sluice/node/internal/options/Shape"

/** Options that tables of every database have. */
export const fields = {
  numbers: Schema.optional(Numbers),
  statusColumns: Schema.optional(Schema.Boolean),
  table: Kinds.text,
  schema: Schema.optional(Kinds.text)
}

/**
 * Fails at the first option that is unknown or has none of its values. A name with a point is refused where no schema
 * is given: most likely it was to name one.
 */
export const checker = (shape: Schema.Top): ((given: unknown) => Effect.Effect<void, BadDefinition>) => {
  const faultOf = Shape.faultOf(shape)
  return (given) =>
    Effect.suspend(() => {
      const found = faultOf(given) ?? pointed(given)
      if (found === undefined) return Effect.void
      const { option, reason } = found
      return Effect.fail(new BadDefinition({ endpoint: "", setting: option === "" ? "options" : option, reason }))
    })
}

/** Finds a name with a point where no schema is given. */
export const pointed = (given: unknown): Shape.Fault | undefined => {
  const isPointed =
    Predicate.hasProperty(given, "table") &&
    Predicate.isString(given.table) &&
    given.table.includes(".") &&
    !(Predicate.hasProperty(given, "schema") && given.schema !== undefined)
  const reason = 'has a point and would be one name: give the schema as "schema", which also allows a point in the name'
  return isPointed ? { option: "table", reason } : undefined
}
