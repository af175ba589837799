/** `pnpm wasm`: writes the bytes of each WebAssembly module, from its text format. */
import { writeFileSync } from "node:fs"
import { assemble, modules } from "./Assemble.ts"

for (const module of modules) writeFileSync(module.target, await assemble(module))
