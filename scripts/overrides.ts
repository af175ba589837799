/**
 * Writes `out/packages/pnpm-workspace.yaml`, by which pnpm installs the packed packages: they name each other by versions that no
 * registry has yet. npm needs none.
 */
import { readdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

const folder = resolve("out/packages")
const tarballs = readdirSync(folder).filter((name) => name.endsWith(".tgz"))
const overrides = Object.fromEntries(
  tarballs.map((tarball) => [`@sluice/${tarball.split("-")[1]}`, `file:${join(folder, tarball)}`])
)
// JSON is YAML.
writeFileSync(join(folder, "pnpm-workspace.yaml"), JSON.stringify({ packages: ["."], overrides }, null, 2))
