/**
 * Files as objects of a storage that speaks S3.
 *
 * An object is whole or absent, and on the disk when its request has ended, so nothing needs a second name. What is added to a file,
 * such as a line of a journal, is an object of its own beside it: its name has that of the file, the mark of the file and the place in
 * it, and it is made only where there is none. So of two processes that add at one place one fails. A file that is put anew has no
 * mark, and gets another one when something is added, so what was added before is no part of it. Folders are the beginnings of names.
 */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import { FileFailed } from "./FileError.ts"
import { bytesOf, type Files, type FilesError, type Writer } from "./Files.ts"
import type { Objects } from "./Objects.ts"

/** Bytes that are sent at once of a file that has more: parts have 5 MiB at least, and there may be 10,000 of them. */
const partSize = 8_388_608

/** Bytes that are read at once. */
const pieceSize = 4_194_304

/** Pieces of a file that are read at the same time. */
const concurrency = 16

/** Digits of a place in a file. */
const digits = 16

const isAdded = /~([0-9a-f-]{36})-(\d{16})$/

/** What a name has of a file that is added to. */
interface Piece {
  readonly path: string
  readonly mark: string
  readonly at: number
  readonly size: number
}

/** Bytes that are collected. */
const makeBuffer = () => {
  let pieces: Array<Uint8Array> = []
  let size = 0
  return {
    size: () => size,
    // The caller uses its memory again, which a slice of a Buffer would share.
    add: (bytes: Uint8Array) => {
      pieces.push(new Uint8Array(bytes))
      size += bytes.length
    },
    take: () => {
      const all = Buffer.concat(pieces)
      pieces = []
      size = 0
      return all
    }
  }
}

export const join = (...parts: ReadonlyArray<string>): string => {
  const [first = "", ...others] = parts
  const words = others.flatMap((part) => part.split("/")).filter((word) => word !== "" && word !== ".")
  return [first.replace(/(?<!:\/)\/+$/, ""), ...words].join("/")
}

const below = (folder: string) => `${folder.replace(/\/+$/, "")}/`

const missing = (path: string) =>
  Effect.fail(new FileFailed({ operation: "open", path, code: "ENOENT", reason: "there is no such object" }))

export const make = (objects: Objects): Files => {
  /** Everything that was added to a file, also before it was put anew. */
  const beside = Effect.fnUntraced(function* (path: string) {
    const folder = path.slice(0, path.lastIndexOf("/") + 1)
    return (yield* objects.list(`${path}~`)).flatMap(({ name, size }): ReadonlyArray<Piece> => {
      const [, mark = "", at] = isAdded.exec(name) ?? []
      return at === undefined ? [] : [{ path: `${folder}${name}`, mark, at: Number(at), size }]
    })
  })

  /** What was added to a file since it was put, in order, as far as nothing is missing in between. */
  const added = Effect.fnUntraced(function* (path: string, mark: string, size: number) {
    const all = (yield* beside(path)).filter((piece) => piece.mark === mark)
    let end = size
    return all
      .toSorted((a, b) => a.at - b.at)
      .filter((piece) => {
        if (piece.at !== end) return false
        end += piece.size
        return true
      })
  })

  const read: Files["read"] = Effect.fnUntraced(function* (path) {
    const whole = yield* objects.get(path)
    if (whole === undefined) return undefined
    const pieces = whole.mark === "" ? [] : yield* added(path, whole.mark, whole.size)
    const more = yield* Effect.forEach(pieces, (piece) => objects.get(piece.path), { concurrency })
    const bytes = [whole.bytes, ...more.flatMap((piece) => (piece === undefined ? [] : [piece.bytes]))]
    return { text: Buffer.concat(bytes).toString(), modified: whole.modified, tag: whole.tag }
  })

  const openAt: Files["openAt"] = Effect.fnUntraced(function* (path) {
    const info = yield* objects.head(path)
    if (info === undefined) return yield* missing(path)
    return {
      size: info.size,
      read: Effect.fnUntraced(function* (from: number, to: number) {
        const end = Math.min(to, info.size)
        if (from >= end) return new Uint8Array()
        const found = yield* objects.get(path, { from, to: end })
        if (found === undefined) return yield* missing(path)
        if (found.tag === info.tag) return found.bytes
        return yield* new FileFailed({ operation: "read", path, code: "ESTALE", reason: "it was written meanwhile" })
      })
    }
  })

  const scan: Files["scan"] = Effect.fnUntraced(function* (path, see) {
    const file = yield* openAt(path)
    for (let at = 0; at < file.size; at += pieceSize) yield* see(yield* file.read(at, at + pieceSize))
  }, Effect.scoped)

  /** Small files are put, large ones sent in parts. They are there when `sync` or `close` has returned. */
  const fresh = Effect.fnUntraced(function* (path: string): Effect.fn.Return<Writer, FileFailed, Scope.Scope> {
    const buffer = makeBuffer()
    const scope = yield* Effect.scope
    let upload: Effect.Success<ReturnType<Objects["upload"]>> | undefined
    let isSynced = false
    const begin = Effect.map(Scope.provide(objects.upload(path), scope), (begun) => (upload = begun))
    const sync = Effect.suspend(() => {
      if (isSynced) return Effect.void
      isSynced = true
      if (upload === undefined) return Effect.asVoid(objects.put(path, buffer.take()))
      const { add, finish } = upload
      return Effect.andThen(buffer.size() === 0 ? Effect.void : add(buffer.take()), finish)
    })
    return {
      write: Effect.fnUntraced(function* (bytes) {
        buffer.add(bytes)
        if (buffer.size() >= partSize) yield* (upload ?? (yield* begin)).add(buffer.take())
      }),
      sync,
      close: sync
    }
  })

  /** What is written becomes an object with each sync. */
  const further = Effect.fnUntraced(function* (path: string): Effect.fn.Return<Writer, FileFailed> {
    // Listed first, so that those with another mark than the file has now are of one before.
    const listed = yield* beside(path)
    const found = yield* objects.head(path)
    const mark = found === undefined || found.mark === "" ? randomUUID() : found.mark
    if (found === undefined) yield* objects.put(path, new Uint8Array(), { condition: "absent", mark })
    else if (found.mark === "") {
      const whole = yield* objects.get(path)
      yield* objects.put(path, whole?.bytes ?? new Uint8Array(), { condition: { tag: found.tag }, mark })
    }
    const pieces = yield* added(path, mark, found?.size ?? 0)
    const old = listed.filter((piece) => piece.mark !== mark)
    yield* Effect.forEach(old, ({ path }) => objects.remove(path), { concurrency, discard: true })
    let end = (found?.size ?? 0) + pieces.reduce((sum, { size }) => sum + size, 0)
    const buffer = makeBuffer()
    const sync = Effect.suspend(() => {
      const bytes = buffer.take()
      if (bytes.length === 0) return Effect.void
      const name = `${path}~${mark}-${String(end).padStart(digits, "0")}`
      end += bytes.length
      return Effect.asVoid(objects.put(name, bytes, { condition: "absent" }))
    })
    return { write: (bytes) => Effect.sync(() => buffer.add(bytes)), sync, close: sync }
  })

  const remove: Files["remove"] = Effect.fnUntraced(function* (path) {
    yield* objects.remove(path)
    yield* Effect.forEach(yield* beside(path), ({ path }) => objects.remove(path), { concurrency, discard: true })
  })

  return {
    join,
    names: (folder) =>
      Effect.map(objects.list(below(folder)), (all) =>
        all.length === 0 ? undefined : all.map(({ name }) => name).filter((name) => !isAdded.test(name))
      ),
    text: (path) => Effect.map(read(path), (found) => found?.text),
    read,
    // Of the machine, and not of the storage.
    systemText: () => Effect.succeed(""),
    link: () => Effect.succeed(""),
    size: (path) => Effect.map(objects.head(path), (found) => found?.size),
    tag: (path) => Effect.map(objects.head(path), (found) => found?.tag),
    // Any beginning of a name is one.
    expectFolder: () => Effect.void,
    scan,
    openAt,
    makeFolder: () => Effect.void,
    open: (path, at): Effect.Effect<Writer, FilesError, Scope.Scope> => (at === "start" ? fresh(path) : further(path)),
    touch: Effect.fnUntraced(function* (path, text) {
      const found = yield* objects.head(path)
      if (found === undefined) return yield* missing(path)
      yield* objects.put(path, new TextEncoder().encode(text), { condition: { tag: found.tag } })
    }),
    sync: () => Effect.void,
    rename: (from, to) => Effect.andThen(objects.copy(from, to), objects.remove(from)),
    share: objects.copy,
    removeFolder: () => Effect.void,
    remove,
    put: (path, content, condition) => objects.put(path, bytesOf(content), { condition })
  }
}
