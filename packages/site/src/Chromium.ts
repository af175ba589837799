/** Chromium of the system. On Debian and its relatives root installs it when it is missing. */
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import * as Required from "../../node/test/Required.ts"

const known = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

const installed = () => known.find((path) => existsSync(path))

/** Root has no sandbox, and containers have little shared memory. */
export const args = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]

/** Where Chromium is, or nothing where there is none to be had and a check may say that it did not run. */
export const find = (): string | undefined => Required.orSkipped("Chromium", findOrInstall())

const findOrInstall = (): string | undefined => {
  const found = installed()
  if (found !== undefined || process.platform !== "linux" || process.getuid?.() !== 0) return found
  try {
    execFileSync("apt-get", ["update", "-qq"], { stdio: "ignore" })
    const packages = ["chromium", "fonts-dejavu-core"]
    execFileSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packages], { stdio: "ignore" })
  } catch {
    return undefined
  }
  return installed()
}
