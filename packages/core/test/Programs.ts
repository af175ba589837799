/**
 * The programs that tests start as processes, each in a few files with all that it imports: Node.js starts one of them in 0.17
 * instead of 0.4 to 0.6 seconds of processor time, and building all takes one. They are built when the first test needs one,
 * and again once a source has changed.
 */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"
import { type Plugin, rolldown } from "rolldown"

const root = path.resolve(import.meta.dirname, "../../..")

const programs = {
  sluice: "packages/cli/src/main.ts",
  sandbox: "packages/sandbox/src/main.ts",
  download: "packages/files/test/download/child.ts",
  soak: "packages/tools/src/soak/main.ts",
  demo: "packages/examples/src/demo/main.ts",
  priceService: "packages/examples/src/guides/priceService.ts"
}

/** Where they are; the same place every time, so that what Node.js compiles of them does not pile up. */
const folder = path.join(root, "node_modules/.cache/programs")

const lock = `${folder}.lock`

/** A lock that was not touched for so long was left by a process that was killed. */
const longestSilence = 60_000

const sources = () =>
  fs.readdirSync(path.join(root, "packages")).flatMap((name) => {
    const sources = path.join(root, "packages", name, "src")
    return fs.existsSync(sources) ? [sources] : []
  })

/** Which sources there are, and when each was written. */
const state = () =>
  [
    path.join(root, "pnpm-lock.yaml"),
    import.meta.filename,
    path.join(root, path.dirname(programs.download)),
    ...sources()
  ]
    .flatMap((place) =>
      fs.statSync(place).isFile()
        ? [place]
        : fs
            .readdirSync(place, { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile())
            .map((entry) => path.join(entry.parentPath, entry.name))
    )
    .map((file) => `${file} ${fs.statSync(file).mtimeMs}`)
    .join("\n")

const stateOf = () => {
  try {
    return fs.readFileSync(path.join(folder, "state"), "utf8")
  } catch {
    return undefined
  }
}

const isTaken = () => {
  try {
    fs.mkdirSync(lock)
    return false
  } catch {
    const touched = fs.statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
    if (Date.now() - touched > longestSilence) fs.rmSync(lock, { recursive: true, force: true })
    return true
  }
}

/** Leaves undici, whose exports are known when it runs, where it is. */
const commonJs: Plugin = {
  name: "CommonJS",
  async resolveId(id, importer, options) {
    if (id !== "undici") return null
    const found = await this.resolve(id, importer, { ...options, skipSelf: true })
    return found === null ? null : { id: found.id, external: "absolute" }
  }
}

const build = async (current: string) => {
  fs.mkdirSync(path.dirname(folder), { recursive: true })
  while (stateOf() !== current) {
    if (isTaken()) {
      await setTimeout(50)
      continue
    }
    const touch = () => fs.utimes(lock, new Date(), new Date(), () => {})
    const touching = setInterval(touch, longestSilence / 10)
    try {
      if (stateOf() === current) return
      const bundle = await rolldown({
        cwd: root,
        input: programs,
        platform: "node",
        // A native module, which none of them needs.
        external: /^@duckdb\//,
        plugins: [commonJs],
        // The modules of a program do something when they are imported, whatever `sideEffects` says of the package.
        treeshake: false,
        logLevel: "silent"
      })
      await bundle.write({ dir: folder, cleanDir: true })
      fs.writeFileSync(path.join(folder, "state"), current)
    } finally {
      clearInterval(touching)
      fs.rmSync(lock, { recursive: true, force: true })
    }
  }
}

const built = Effect.runSync(Effect.cached(Effect.promise(() => build(state()))))

/** The file of a program. */
export const file = (name: keyof typeof programs) => Effect.as(built, path.join(folder, `${name}.js`))
