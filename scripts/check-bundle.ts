/**
 * Measures what a bundled program that calls one endpoint carries of this library, and fails when it passes a bound.
 *
 * The built modules are bundled and minified, with Effect left outside: what is counted is our own share. `--modules` lists
 * what each module takes before it is minified.
 */
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"

/**
 * Bytes that are still fine: each kilobyte is loaded by every page that reads one series. Raise it only with a reason.
 */
const bound = 85_000

const program = `
import { Client, Timeseries } from ${JSON.stringify(new URL("../packages/core/dist/index.js", import.meta.url).pathname)}
export const closes = Timeseries.assetMetrics({ assets: ["btc"], metrics: ["PriceUSD"] })
export const layer = Client.layer()
`

const entry = "program.js"

const bundle = await rolldown({
  input: entry,
  external: /^effect(?:\/|$)/,
  plugins: [
    {
      name: "program",
      resolveId: (id) => (id === entry ? id : null),
      load: (id) => (id === entry ? program : null)
    }
  ]
})
const { output } = await bundle.generate({ minify: true })
const [{ code }] = output
const size = Buffer.byteLength(code)

if (process.argv.includes("--modules")) {
  const plain = await bundle.generate({ minify: false })
  const modules = Object.entries(plain.output[0].modules)
    .map(([name, { renderedLength }]) => [name.replace(/^.*\/dist\//, ""), renderedLength] as const)
    .filter(([, bytes]) => bytes > 0)
  const lines = modules
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, bytes]) => `${String(bytes).padStart(7)} ${name}\n`)
  process.stdout.write(lines.join(""))
}
const shown = `${size} bytes minified, ${gzipSync(code).length} compressed`
process.stdout.write(`One endpoint: ${shown}, Effect not counted.\n`)
if (size > bound) {
  process.stderr.write(`More than ${bound}. \`pnpm check:bundle --modules\` lists what each module takes.\n`)
  process.exitCode = 1
}
