/**
 * A file system on which a process ends, or that is full, at a moment that is counted in operations.
 */
import { Effect, FileSystem, PlatformError } from "effect"
import { pid } from "node:process"

/** What strikes at an operation: the process ends there, or the disk is full from there on. */
export interface Strike {
  readonly kind: "killed" | "full"
  /** The number of operations before it. */
  readonly at: number
}

/** A process: its number among those of a month, and what strikes it. */
export interface Life {
  readonly number: number
  readonly strike: Strike | undefined
  /** Operations so far. */
  operations: number
}

const failing = (path: string, code: string) =>
  PlatformError.systemError({
    _tag: "Unknown",
    module: "FileSystem",
    method: "month",
    pathOrDescriptor: path,
    cause: Object.assign(new Error(code), { code })
  })

/** Fails an operation that a strike prevents: all of a process that ended, and on a full disk those that take room. */
const prevented = (life: Life, takesRoom: boolean): "EIO" | "ENOSPC" | undefined => {
  const { strike } = life
  life.operations += 1
  if (strike === undefined || life.operations <= strike.at) return undefined
  return strike.kind === "killed" ? "EIO" : takesRoom ? "ENOSPC" : undefined
}

// The twentieth field after the name is when a process started: those of a month have one number and start one after another.
const startedAt = (stat: string, number: number): string => {
  const fields = (stat.split(") ")[1] ?? "").split(" ")
  return `${pid} (node) ${fields.with(19, String(number)).join(" ")}`
}

const names = [
  "access",
  "chmod",
  "copyFile",
  "exists",
  "link",
  "lstat",
  "makeDirectory",
  "readDirectory",
  "readFile",
  "readFileString",
  "readLink",
  "realPath",
  "remove",
  "rename",
  "stat",
  "symlink",
  "truncate",
  "utimes",
  "writeFile",
  "writeFileString"
] as const

const takeRoom = new Set<string>(["copyFile", "link", "makeDirectory", "writeFile", "writeFileString"])

/** The file system as a process sees it. */
export const of = (fs: FileSystem.FileSystem, life: Life): FileSystem.FileSystem => {
  const guarded = <A, E, R>(path: string, takesRoom: boolean, self: Effect.Effect<A, E, R>) =>
    Effect.suspend((): Effect.Effect<A, E | PlatformError.PlatformError, R> => {
      const code = prevented(life, takesRoom)
      return code === undefined ? self : Effect.fail(failing(path, code))
    })
  const wrapped = Object.fromEntries(
    names.map((name) => {
      // Type boundary: each of these takes a path first and gives an effect.
      const own = fs[name] as unknown as (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown>
      const guard = (...args: ReadonlyArray<unknown>) => {
        const [path] = args
        const self = guarded(String(path), takeRoom.has(name), own(...args))
        return path === `/proc/${pid}/stat` ? Effect.map(self, (stat) => startedAt(String(stat), life.number)) : self
      }
      return [name, guard]
    })
  )
  return {
    ...fs,
    ...wrapped,
    open: (path, options) =>
      Effect.map(guarded(path, false, fs.open(path, options)), (file): FileSystem.File => ({
        [FileSystem.FileTypeId]: FileSystem.FileTypeId,
        stat: file.stat,
        seek: (offset, from) => file.seek(offset, from),
        read: (buffer, options) => file.read(buffer, options),
        readAlloc: (size, options) => file.readAlloc(size, options),
        truncate: (length) => guarded(path, false, file.truncate(length)),
        write: (bytes) => guarded(path, true, file.write(bytes)),
        sync: guarded(path, true, file.sync),
        writeAll: (bytes) =>
          Effect.suspend(() => {
            const code = prevented(life, true)
            if (code === undefined) return file.writeAll(bytes)
            // Of what it was just writing, half reaches the disk.
            const half = life.operations === (life.strike?.at ?? 0) + 1 || code === "ENOSPC"
            const part = half ? file.writeAll(bytes.subarray(0, bytes.length >> 1)) : Effect.void
            return Effect.andThen(part, Effect.fail(failing(path, code)))
          })
      }))
  }
}
