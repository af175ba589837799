/**
 * Measures what a bundled program that calls one endpoint carries, and fails when it passes a bound: our own share, and the
 * whole program with what it uses of Effect.
 *
 * The built modules are bundled and minified as a bundler does it for a program, without the comments that only a further
 * bundler reads. For our own share Effect is left outside; in the whole program it is some 6 KB less, because names of Effect's
 * functions are then short. `--modules` lists what each of our modules takes before it is minified.
 */
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"

/**
 * Bytes that are still fine: each kilobyte is loaded by every page that reads one series. Raise them only with a reason.
 */
const bounds = { own: 80_500, whole: 227_500 }

const program = `
import { Client, Timeseries } from ${JSON.stringify(new URL("../packages/core/dist/index.js", import.meta.url).pathname)}
export const closes = Timeseries.assetMetrics({ assets: ["btc"], metrics: ["PriceUSD"] })
export const layer = Client.layer()
`

const entry = "program.js"

const bundled = async (external: RegExp | undefined, minify: boolean) => {
  const bundle = await rolldown({
    input: entry,
    ...(external && { external }),
    plugins: [
      { name: "program", resolveId: (id) => (id === entry ? id : null), load: (id) => (id === entry ? program : null) }
    ]
  })
  const { output } = await bundle.generate({ minify, comments: false })
  return output[0]
}

const effect = /^effect(?:\/|$)/
if (process.argv.includes("--modules")) {
  const { modules } = await bundled(effect, false)
  const lines = Object.entries(modules)
    .map(([name, { renderedLength }]) => [name.replace(/^.*\/dist\//, ""), renderedLength] as const)
    .filter(([, bytes]) => bytes > 0)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, bytes]) => `${String(bytes).padStart(7)} ${name}\n`)
  process.stdout.write(lines.join(""))
}

let isTooMuch = false
const measure = (what: string, code: string, bound: number) => {
  const size = Buffer.byteLength(code)
  process.stdout.write(`${what}: ${size} bytes minified, ${gzipSync(code).length} compressed.\n`)
  if (size <= bound) return
  process.stderr.write(`More than ${bound}. \`pnpm check:bundle --modules\` lists what each module takes.\n`)
  isTooMuch = true
}

/** What only programs that import it carry. */
const isOfColumns = (module: string) => /\/dist\/(?:Columns|internal\/columns\/\w+)\.js$/.test(module)

const own = await bundled(effect, true)
for (const [module, { renderedLength }] of Object.entries(own.modules)) {
  if (!isOfColumns(module) || renderedLength === 0) continue
  process.stderr.write(`A program without columns carries ${module}.\n`)
  isTooMuch = true
}
measure("One endpoint, our own share", own.code, bounds.own)
measure("One endpoint, with Effect", (await bundled(undefined, true)).code, bounds.whole)
if (isTooMuch) process.exitCode = 1
