/** Compiles WebAssembly from its text format. */
import { readFile } from "node:fs/promises"
import wabt from "wabt"

const scan = new URL("../../packages/core/src/internal/wire/scan/", import.meta.url)
const columns = new URL("../../packages/core/src/internal/columns/", import.meta.url)
const parquet = new URL("../../packages/files/src/internal/parquet/", import.meta.url)
const format = new URL("../../packages/files/src/internal/format/", import.meta.url)

/** A module in the text format, and the TypeScript module that holds its bytes. */
export interface Module {
  readonly source: URL
  readonly target: URL
  readonly name: string
}

export const modules: ReadonlyArray<Module> = [
  { source: new URL("scan.wat", scan), target: new URL("ScanModule.ts", scan), name: "scanModule" },
  { source: new URL("csv.wat", format), target: new URL("CsvModule.ts", format), name: "csvModule" },
  { source: new URL("column.wat", columns), target: new URL("ColumnModule.ts", columns), name: "columnModule" },
  { source: new URL("delta.wat", parquet), target: new URL("DeltaModule.ts", parquet), name: "deltaModule" }
]

export const assemble = async ({ name, source }: Module): Promise<string> => {
  const { parseWat } = await wabt()
  const file = source.pathname.split("/").at(-1) ?? ""
  const module = parseWat(file, await readFile(source), { simd: true })
  const { buffer } = module.toBinary({})
  module.destroy()
  return `/** The bytes of \`${file}\` in base64, written by \`pnpm wasm\`. */
export const ${name} =
  "${Buffer.from(buffer).toString("base64")}"
`
}
