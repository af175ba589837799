import { Client } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import { Console, Effect } from "effect"
import { readFileSync } from "node:fs"

const root = new URL("../../..", import.meta.url)

/** The output that a page shows right after a program. */
export const shownAfter = (page: string, program: string) => {
  const text = readFileSync(new URL(page, root), "utf8")
  const after = text.slice(text.indexOf(`// packages/examples/src/${program}`))
  return /```\n[^]*?```(?:text|sh)\n([^]*?)```/.exec(after)?.[1]?.trimEnd().split("\n")
}

/** A client over the stand-in in memory. */
export const inMemory = Sandbox.layerClient(Client.layer)

/** Runs a program over the stand-in in memory, and gives what it prints. */
export const printed = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const log = (...texts: ReadonlyArray<unknown>) => void lines.push(texts.join(" "))
    return program.pipe(
      Effect.provideService(Console.Console, { ...console, log }),
      Effect.map(() => lines)
    )
  })
