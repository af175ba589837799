/**
 * Writes the command as a few files with all that it needs. Node.js reads a file for each module otherwise, of which there are
 * hundreds: then `sluice get` takes twice the time to its first request.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { type ChunkingContext, type Plugin, rolldown } from "rolldown"

const repository = resolve(import.meta.dirname, "../..")

/** What is there only where its user has installed it. */
const optional = "@duckdb/node-api"

/** The modules that do something when they are imported. The others may be left out where nothing of them is used. */
const acting = /\/cli\/src\/(?:start|main)\.ts$|\/node\/src\/internal\/runtime\//

const source = (name: string) => join(repository, "packages/cli/src", name)

/** What most commands load: one file for each of these modules, with all that it needs at once. Node.js takes 0.3 ms for a file. */
const common = ["main", "start", "endpoints/EndpointIndex", "commands/data/Get"]

/** Names the file of each module that `common` needs, after the first that needs it. What `--version` needs stays alone. */
const makeNames = () => {
  const names = new Map<string, string | null>()
  return (id: string, graph: ChunkingContext) => {
    for (const name of names.size === 0 ? common : []) {
      const needed = new Set([source(`${name}.ts`)])
      for (const id of needed) for (const next of graph.getModuleInfo(id)?.importedIds ?? []) needed.add(next)
      for (const id of needed) if (!names.has(id)) names.set(id, name === "main" ? null : basename(name))
    }
    return names.get(id) ?? null
  }
}

/** What the command takes of undici. All that its index names takes as long to load again. */
const undici: Plugin = {
  name: "part-of-undici",
  load: (id) => {
    if (!id.endsWith("/platform-node/dist/Undici.js")) return null
    const code = `import api from "undici/lib/api/index.js"
      import Dispatcher from "undici/lib/dispatcher/dispatcher.js"
      export { default as Agent } from "undici/lib/dispatcher/agent.js"
      export { default as EnvHttpProxyAgent } from "undici/lib/dispatcher/env-http-proxy-agent.js"
      export { default as Pool } from "undici/lib/dispatcher/pool.js"
      Object.assign(Dispatcher.prototype, api)`
    return { code, moduleSideEffects: true }
  }
}

/** The text of the licence MIT, for packages that name it and bring none. */
const mit = (holder: string) => `MIT License

Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the
"Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to
the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY
CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`

/** The package of a file, and the text of its licence. */
const licenceOf = (file: string): readonly [name: string, text: string] | undefined => {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, "package.json")
    if (!existsSync(manifest)) continue
    const { license, name, version } = JSON.parse(readFileSync(manifest, "utf8"))
    // Folders of a package may have a manifest that only says what kind of modules they hold.
    if (name === undefined || version === undefined) continue
    const found = readdirSync(folder).filter((entry) => /^(?:licen[cs]e|notice)/i.test(entry))
    const texts = found.map((entry) => readFileSync(join(folder, entry), "utf8").trim())
    if (texts.length === 0 && license !== "MIT") throw new Error(`${name} has no text of its licence, ${license}`)
    return [`${name} ${version}`, texts.length === 0 ? mit(`the authors of ${name}`) : texts.join("\n\n")]
  }
  return undefined
}

/** Writes the command into a folder. Gives the licences of what it holds of others. */
export const write = async (folder: string): Promise<string> => {
  const bundle = await rolldown({
    input: { main: source("main.ts") },
    platform: "node",
    external: optional,
    plugins: [undici],
    preserveEntrySignatures: "allow-extension",
    treeshake: { moduleSideEffects: (id) => acting.test(id) || undefined }
  })
  const { output } = await bundle.write({
    dir: folder,
    format: "esm",
    codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: makeNames(), debugName: "common" }] },
    chunkFileNames: "[name]-[hash].js",
    // Names stay, since a report of a bug quotes a stack.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } }
  })
  await bundle.close()
  const files = output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []))
  const foreign = files.filter((file) => file.includes("/node_modules/")).map((file) => file.replace(/^\0/, ""))
  const licences = new Map(
    foreign.flatMap((file) => [licenceOf(file.replace(/\?.*$/, ""))].filter((one) => one !== undefined))
  )
  return [...licences]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, text]) => `${name}\n\n${text}\n`)
    .join(`\n${"-".repeat(72)}\n\n`)
}
