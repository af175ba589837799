/**
 * A disk on which a process ends, or that fills up, at a moment of the test's choice.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as PlatformError from "effect/PlatformError"
import { pid } from "node:process"
import * as Observed from "./Observed.ts"

const failing = (path: string, code: string) =>
  PlatformError.systemError({
    _tag: "Unknown",
    module: "FileSystem",
    method: "test",
    pathOrDescriptor: path,
    cause: Object.assign(new Error(code), { code })
  })

/** What a run did with files: names of operations, in their order. */
export type Log = Array<string>

/**
 * The life of a process, by number: it sees itself, and those before it, as processes of one number that started at
 * different times. From the moment `ends` on, nothing it does reaches the disk; of what it was just writing, half does.
 */
export const life = (number: number, ends = Infinity, log: Log = []) =>
  layer((fs) => {
    let moment = 0
    const isOver = (name: string) => {
      log.push(name)
      moment += 1
      return moment > ends
    }
    return Observed.make(fs, {
      operation: (name, path, self) => {
        if (path === `/proc/${pid}/stat`) return Effect.map(self, startedAt(number))
        return Effect.suspend(() => (isOver(name) ? Effect.fail(failing(path, "EIO")) : self))
      },
      write: (path, bytes, write) =>
        Effect.suspend(() => {
          if (!isOver("write")) return write(bytes)
          const half = moment === ends + 1 ? write(bytes.subarray(0, bytes.length >> 1)) : Effect.void
          return Effect.andThen(half, Effect.fail(failing(path, "EIO")))
        })
    })
  })

/** A disk that is full from this moment on: what is written then comes half. Removing works, and makes no room. */
export const full = (from: number) =>
  layer((fs) => {
    let moment = 0
    const isFull = () => {
      moment += 1
      return moment > from
    }
    return Observed.make(fs, {
      operation: (name, path, self) =>
        name === "makeDirectory" || name === "open" || name === "sync"
          ? Effect.suspend(() => (isFull() && name !== "open" ? Effect.fail(failing(path, "ENOSPC")) : self))
          : self,
      write: (path, bytes, write) =>
        Effect.suspend(() =>
          isFull()
            ? Effect.andThen(write(bytes.subarray(0, bytes.length >> 1)), Effect.fail(failing(path, "ENOSPC")))
            : write(bytes)
        )
    })
  })

/** A disk on which nothing can be made. */
export const readOnly = (code: string) =>
  layer((fs) =>
    Observed.make(fs, {
      operation: (name, path, self) => (name === "makeDirectory" ? Effect.fail(failing(path, code)) : self),
      write: (path) => Effect.fail(failing(path, code))
    })
  )

const layer = (make: (fs: FileSystem.FileSystem) => FileSystem.FileSystem) =>
  Layer.effect(FileSystem.FileSystem, Effect.map(FileSystem.FileSystem, make))

/** The twentieth field after the name is when a process started. */
const startedAt =
  (number: number) =>
  <A>(stat: A): A => {
    const fields = String(stat).split(") ")[1]!.split(" ")
    // Type boundary: the file is read as text.
    return `${pid} (node) ${fields.with(19, String(number)).join(" ")}` as A
  }
