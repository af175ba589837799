/** Compiles the scan of records from its text format. */
import { readFile } from "node:fs/promises"
import wabt from "wabt"

const folder = new URL("../../packages/core/src/internal/wire/", import.meta.url)

/** The module that holds the bytes. */
export const target = new URL("ScanModule.ts", folder)

/** Returns the text of that module. */
export const assemble = async (): Promise<string> => {
  const { parseWat } = await wabt()
  const module = parseWat("scan.wat", await readFile(new URL("scan.wat", folder)), { simd: true })
  const { buffer } = module.toBinary({})
  module.destroy()
  const lines =
    Buffer.from(buffer)
      .toString("base64")
      .match(/.{1,100}/g) ?? []
  return `/** The bytes of \`scan.wat\` in base64, written by \`pnpm wasm\`. */
export const scanModule =
${lines.map((line) => `  "${line}"`).join(" +\n")}
`
}
