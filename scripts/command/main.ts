/** Writes what the package `@sluice/cli` has: the command, and the licences of what it holds of others. */
import { rmSync, writeFileSync } from "node:fs"
import * as Bundle from "./Bundle.ts"

const folder = "packages/cli/command"
rmSync(folder, { recursive: true, force: true })
writeFileSync(`${folder}/licences.txt`, await Bundle.write(folder))
