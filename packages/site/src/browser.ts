/**
 * `pnpm check:browser`: bundles the pages of `docs/browsers.md` and runs them in a headless Chromium against the stand-in
 * service, as pages of its own origin, so that no rule of the browser is switched off.
 */
import assert from "node:assert/strict"
import { resolve } from "node:path"
import { chromium } from "playwright-core"
import { rolldown } from "rolldown"
import * as Chromium from "./Chromium.ts"
import * as StandIn from "./StandIn.ts"

const root = resolve(import.meta.dirname, "../../..")

const bundled = async (guide: string) => {
  const input = resolve(root, `packages/examples/src/guides/${guide}.ts`)
  const bundle = await rolldown({ input, platform: "browser" })
  const run = await bundle.generate({ format: "iife", name: guide, minify: true })
  return run.output[0].code
}

const check = async (executablePath: string) => {
  const code = await bundled("inBrowser")
  const { service, url } = await StandIn.start("sandbox/src/main.ts", "--port", "0")
  try {
    const browser = await chromium.launch({ executablePath, args: Chromium.args })
    try {
      const page = await browser.newPage()
      // A page of the service's own origin; what it shows is replaced.
      await page.goto(`${url}/reference-data/assets?assets=btc&api_key=demo-key`)
      await page.setContent('<p id="price"></p><p id="minutes"></p><p id="chart"></p>')
      await page.addScriptTag({ content: code })
      await page.addScriptTag({ content: await bundled("chart") })
      for (const name of ["inBrowser", "chart"]) await page.evaluate(`${name}.main(${JSON.stringify(url)}, "demo-key")`)
      assert.match((await page.textContent("#price")) ?? "", /^\d+\.\d+$/)
      assert.equal(await page.textContent("#minutes"), "1440")
      const line = await page.locator('#chart svg [aria-label="line"] path').getAttribute("d")
      assert.equal((line ?? "").split(/[ML]/).length - 1, 1_440)
      return `${browser.version()}, a bundle of ${code.length} bytes`
    } finally {
      await browser.close()
    }
  } finally {
    service.kill()
  }
}

const found = Chromium.find()
if (found === undefined) {
  process.stdout.write("SKIPPED: there is no Chromium here, and it cannot be installed.\n")
} else {
  process.stdout.write(`Pages, a json_stream and a chart's columns are read in Chromium ${await check(found)}.\n`)
}
