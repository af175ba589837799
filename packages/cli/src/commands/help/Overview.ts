/**
 * `sluice` without a command: an overview.
 */
import * as Effect from "effect/Effect"
import * as Help from "./Help.ts"
import { Screen } from "../../terminal/Screen.ts"

export const run = () => Effect.flatMap(Screen, (screen) => screen.print(Help.overview(screen.out)))
