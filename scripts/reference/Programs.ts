/** A program for the page of an operation. The site does not build when one does not compile. */
import type * as Model from "./Model.ts"
import * as Samples from "./Samples.ts"

const argument = ({ endpoint }: Model.Entry, { params }: Samples.Sample): string => {
  const given = Object.entries(params).map(
    ([name, text]) => `${name}: ${literal(Samples.valueOf(endpoint.parameters.get(name), text))}`
  )
  const line = `{ ${given.join(", ")} }`
  if (given.length === 0) return ""
  return line.length < 72 ? line : `{\n${given.map((one) => `  ${one}`).join(",\n")}\n}`
}

const literal = (value: unknown) => JSON.stringify(value).replaceAll(",", ", ")

export const withEffect = (entry: Model.Entry, sample: Samples.Sample): string => {
  const [section = ""] = entry.name.split(".")
  const call = `${entry.name}(${argument(entry, sample)})`
  const isLive = entry.endpoint.reply === "frames"
  const one = isLive ? "message" : "record"
  const shown = `Stream.runForEach((${one}) => Console.log(${one}))`
  const imports = [
    `import { NodeRuntime } from "@effect/platform-node"`,
    `import { ${section} } from "@sluice/core"`,
    `import { NodeClient${isLive ? ", NodeLive" : ""} } from "@sluice/node"`
  ]
  const layer = isLive
    ? "Effect.provide(Layer.provideMerge(NodeLive.layerConfig(), NodeClient.layerConfig()))"
    : "Effect.provide(NodeClient.layerConfig())"
  const effect =
    entry.endpoint.reply === "record"
      ? "Console, Effect"
      : isLive
        ? "Console, Effect, Layer, Stream"
        : "Console, Effect, Stream"
  const program =
    entry.endpoint.reply === "record"
      ? `${call}.pipe(Effect.flatMap((record) => Console.log(record)))`
      : `${call}.pipe(\n  Stream.take(10),\n  ${shown}\n)`
  return [
    ...imports,
    `import { ${effect} } from "effect"`,
    "",
    `const program = ${program}`,
    "",
    `program.pipe(${layer}, NodeRuntime.runMain)`
  ].join("\n")
}

export const withoutEffect = (entry: Model.Entry, sample: Samples.Sample): string => {
  const [section = "", name = ""] = entry.name.split(".")
  const given = argument(entry, sample)
  const called = `sluice.${section.charAt(0).toLowerCase()}${section.slice(1)}.${name}(${given})`
  const head = [
    ...(entry.endpoint.reply === "frames" ? [`import { Live } from "@sluice/core"`] : []),
    `import { Sluice } from "@sluice/promise"`,
    "",
    "await using sluice = await Sluice.open()"
  ]
  if (entry.endpoint.reply === "record") return [...head, `console.log(await ${called})`].join("\n")
  const [one, all] =
    entry.endpoint.reply === "frames" ? ["message", `sluice.read(${entry.name}(${given}))`] : ["record", called]
  return [...head, `for await (const ${one} of ${all}) {`, `  console.log(${one})`, "  break", "}"].join("\n")
}
