/**
 * `pnpm picture`: runs the command `sluice` in a terminal against the stand-in service, and draws what is on the screen into
 * `docs/terminal.svg`. Takes `script` of util-linux, which is the terminal. A test compares the picture with the command.
 */
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { resolve } from "node:path"
import * as StandIn from "./StandIn.ts"
import * as Terminal from "./Terminal.ts"

const columns = 96

const commands = [
  "sluice get timeseries/market-candles --markets coinbase-btc-usd-spot --frequency 1h --start-time 2026-10-01 --limit 6 --columns time,price_open,price_close,volume",
  "sluice get timeseries/asset-metrics --assets btc,eth --metrics PriceUSD --start-time 2026-10-01 --limit 3 --format ndjson",
  "sluice quota"
]

const root = resolve(import.meta.dirname, "../../..")
const main = resolve(root, "packages/cli/src/main.ts")

const { service, url } = await StandIn.start("cli/src/main.ts", "sandbox", "--port", "8080")
try {
  const env = {
    PATH: process.env["PATH"],
    HOME: "/nonexistent",
    TERM: "xterm-256color",
    SLUICE_BASE_URL: url,
    SLUICE_API_KEY: "demo-key"
  }
  const screens = commands.map((command) => {
    const run = `stty cols ${columns} rows 50; exec ${process.execPath} ${main} ${command.slice("sluice ".length)}`
    const screen = execFileSync("script", ["-qec", run, "/dev/null"], { env, encoding: "utf8" })
    return `\x1b[36m$\x1b[0m ${command.replaceAll(/ (?=--(?:start|columns))/g, " \\\r\n    ")}\r\n${screen}`
  })
  const title = "sluice in a terminal, against the stand-in service"
  writeFileSync(resolve(root, "docs/terminal.svg"), await Terminal.draw(screens.join("\r\n"), columns, title))
} finally {
  service.kill()
}
