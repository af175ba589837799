/** The events of a run: progress on standard error, or with `--json` on standard output, an event a line. */
import * as Effect from "effect/Effect"
import * as GlobalFlags from "../../settings/GlobalFlags.ts"
import { jsonOf, Screen, type Side } from "../../terminal/Screen.ts"
import * as Style from "../../terminal/Style.ts"

/** Begins with what shows the events on standard error; an event whose text is empty is not shown. */
export const make = Effect.fnUntraced(function* <Event>(show: (side: Side) => (event: Event) => string) {
  const { err, print, say } = yield* Screen
  const isJson = yield* GlobalFlags.Json
  const textOf = show(err)
  const clear = err.isTerminal && !isJson ? say(Style.wipe) : Effect.void
  return {
    isJson,
    tell: (event: Event) => {
      if (isJson) return print(jsonOf(event))
      const text = textOf(event)
      return text === "" ? Effect.void : say(text)
    },
    /** Removes the line of progress, so that an error message begins on a line of its own. */
    clear,
    /** Tells that the run was stopped: with `--json` by this event, else in these words. */
    stopped: (event: object, words: string) =>
      isJson ? Effect.ignore(print(JSON.stringify(event))) : Effect.andThen(clear, say(`${words}\n`))
  }
})
