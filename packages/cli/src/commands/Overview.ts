/**
 * `sluice` alone: a few lines to begin with.
 */
import * as Effect from "effect/Effect"
import * as Help from "./Help.ts"
import { Screen } from "../terminal/Screen.ts"

/** Prints the overview. */
export const run = Effect.flatMap(Screen, (screen) => screen.print(Help.overview(screen.out)))
