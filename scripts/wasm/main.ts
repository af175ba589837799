/** `pnpm wasm`: writes the bytes of the scan of records, from `scan.wat`. */
import { writeFileSync } from "node:fs"
import { assemble, target } from "./Assemble.ts"

writeFileSync(target, await assemble())
