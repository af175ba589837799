/** A part of a load, by its index. */
import * as Effect from "effect/Effect"

/** Gives the part with an index. Another index is a mistake of the program that asks for it. */
export const partAt = <Part>(parts: ReadonlyArray<Part>, index: number): Effect.Effect<Part> =>
  Effect.suspend(() => {
    const part = parts[index]
    return part === undefined ? Effect.die(new Error(`there is no part ${index}`)) : Effect.succeed(part)
  })
