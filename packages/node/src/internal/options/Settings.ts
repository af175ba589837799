/** Options of which `Misconfigured` says what is wrong with them. */
import { Misconfigured } from "@sluice/core/ApiError"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Shape from "./Shape.ts"

/** The error of an option. `whole` is what the options are called together. */
export const refusalOf = ({ option, reason }: Shape.Fault, whole = "options"): Misconfigured =>
  new Misconfigured({ setting: option === "" ? whole : option, reason })

/** Fails at the first option that is unknown or has none of its values. */
export const checker = (shape: Schema.Top): ((given: unknown) => Effect.Effect<void, Misconfigured>) => {
  const faultOf = Shape.faultOf(shape)
  return (given) =>
    Effect.suspend(() => {
      const found = faultOf(given)
      return found === undefined ? Effect.void : Effect.fail(refusalOf(found))
    })
}
