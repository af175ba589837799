/** `pnpm interface`: brings the tables of docs/interface.md up to date with the operations in packages/interface. */
import { readFileSync, writeFileSync } from "node:fs"
import { resolve } from "node:path"
import * as Page from "./Page.ts"

const page = resolve(import.meta.dirname, "../../docs/interface.md")

writeFileSync(page, Page.filled(readFileSync(page, "utf8")))
