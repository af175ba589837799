/** `sluice sandbox`: the command of @sluice/sandbox. */
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Help from "./help/Help.ts"
import { Screen } from "../terminal/Screen.ts"

const nothing: ReadonlySet<string> = new Set()

const formatter = Layer.effect(
  CliOutput.Formatter,
  Effect.map(Screen, ({ out }) => {
    const plain = Help.formatter(out, CliOutput.defaultFormatter({ colors: false }), nothing)
    return {
      ...plain,
      formatHelpDoc: (doc) =>
        plain.formatHelpDoc({ ...doc, usage: doc.usage.replace("sluice-sandbox", "sluice sandbox") })
    } satisfies CliOutput.Formatter
  })
)

const presenter = CliOutput.layerPresenter({
  present: (event) => (event._tag === "InvalidInvocation" ? Effect.void : CliOutput.defaultPresenter.present(event))
})

export const run = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const { command } = yield* Effect.promise(() => import("@sluice/sandbox/Program"))
  yield* Command.runWith(command, { version: "" })(args).pipe(
    Effect.provide([CliConfig.layer({ builtIns: [GlobalFlag.Help] }), formatter, presenter])
  )
})
