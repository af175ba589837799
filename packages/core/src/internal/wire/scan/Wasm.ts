/** WebAssembly modules as `pnpm wasm` writes them. */

/** Instantiates a module that is given in base64. `Exported` is what its source says. */
export const instantiate = <Exported>(module: string, imports?: WebAssembly.Imports): Exported => {
  const wasm = new WebAssembly.Module(Uint8Array.from(atob(module), (byte) => byte.charCodeAt(0)))
  // Type boundary: the compiler does not see what a module exports.
  return new WebAssembly.Instance(wasm, imports).exports as Exported
}
