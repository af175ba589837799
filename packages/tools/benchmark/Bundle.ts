/**
 * Writes the cases as JavaScript. Node.js would strip the types of every module otherwise, which takes time and leaves memory
 * behind, and the modules of the published packages have none.
 */
import { Effect, FileSystem } from "effect"
import { rolldown } from "rolldown"
import * as Command from "../../../scripts/command/Bundle.ts"
import { fileURLToPath } from "node:url"

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))

const programs = [here("case.ts"), here("Probe.ts")]

/** Where other packages are found from. */
const folder = here("../out/")

/** Only our own modules are written; all of them, used or not. */
const isForeign = (id: string) => !id.startsWith(".") && !id.startsWith("/") && !id.startsWith("@sluice/")

/** Writes the cases and the command into a folder that is removed with the scope, and gives the file to run. */
export const write = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  yield* fs.makeDirectory(folder, { recursive: true })
  const dir = yield* fs.makeTempDirectoryScoped({ directory: folder, prefix: "bench-" })
  yield* Effect.promise(async () => {
    const bundle = await rolldown({ input: programs, external: isForeign, platform: "node", treeshake: false })
    await bundle.write({ dir, format: "esm" })
    await bundle.close()
    // As it is published.
    await Command.write(`${dir}/command`)
  })
  return `${dir}/case.js`
})
