/**
 * Loaded into every Node process of a canary run, before anything else: renames the keys in whatever is loaded, logs
 * everything there is to log, and keeps a copy of every file that is removed before it could be searched.
 *
 * It runs before any program of Effect, inside Node.js' own functions, so it reads the environment directly.
 */
import * as fs from "node:fs"
import * as Module from "node:module"
import { basename, join } from "node:path"
import * as References from "effect/References"
import { rename } from "./Canary.ts"

const packages = new URL("../../../", import.meta.url).href

Module.registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context)
    if (!url.startsWith(packages) || loaded.source === undefined || loaded.source === null) return loaded
    // Type boundary: the source of a module is text or bytes, and `Buffer.from` takes both.
    return { ...loaded, source: rename(Buffer.from(loaded.source as Uint8Array).toString()) }
  }
})

// Programs say nothing of their debug lines unless asked; here all do.
Reflect.defineProperty(References.MinimumLogLevel, "defaultValue", { value: () => "All" })

const { CANARY_KEPT: kept, CANARY_TEMPORARY: temporary } = process.env

let copies = 0

const keep = (path: unknown) => {
  if (kept === undefined || temporary === undefined || !String(path).startsWith(temporary)) return
  const copy = join(kept, `${process.pid}-${(copies += 1)}-${basename(String(path))}`)
  if (!fs.existsSync(String(path))) return
  // A server leaves its socket in its folder, which cannot be copied.
  fs.cpSync(String(path), copy, { recursive: true, filter: (from) => !fs.lstatSync(from).isSocket() })
}

/** The same function, after `keep` has seen its first argument. */
const keeping = <Arguments extends ReadonlyArray<unknown>, A>(remove: (...args: Arguments) => A) =>
  Object.assign((...args: Arguments): A => {
    keep(args[0])
    return remove(...args)
  }, remove)

// Type boundary: the default export of a built-in module is the object that the functions are looked up on.
const builtIn = (fs as unknown as { default: Record<string, (...args: ReadonlyArray<unknown>) => unknown> }).default
for (const name of ["rm", "rmSync", "unlink", "unlinkSync"]) builtIn[name] = keeping(builtIn[name]!)
const promises = fs.promises as unknown as Record<string, (...args: ReadonlyArray<unknown>) => unknown>
for (const name of ["rm", "unlink"]) promises[name] = keeping(promises[name]!)
Module.syncBuiltinESMExports()
