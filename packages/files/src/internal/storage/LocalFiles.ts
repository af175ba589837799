/**
 * Files of a disk. No other module uses Effect's `FileSystem` and `Path`.
 *
 * If others can write into the folder, any of our names may be a link to a file elsewhere, or a pipe that never ends. So
 * every name is checked before it is opened (opening a pipe would wait for its other end), is opened without following
 * links, and is checked again when open; new files are created exclusively. Node.js has no `openat`, so this does not
 * protect against somebody who replaces the bookkeeping folder itself between two of these steps.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { FileFailed, UnexpectedEntry } from "./FileError.ts"
import { bytesOf, type Files, type FilesError, unfinished, type Writer } from "./Files.ts"

export const make: Effect.Effect<Files, never, FileSystem.FileSystem | Path.Path> = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path

  /** What a name belongs to, without following links; undefined where it is free. */
  const entry = (file: string) =>
    named(
      "read",
      file,
      Effect.catchIf(
        fs.lstat(file),
        ({ reason }) => reason._tag === "NotFound",
        () => Effect.undefined
      )
    )

  const expect = Effect.fnUntraced(function* (file: string, expected: UnexpectedEntry["expected"]) {
    const info = yield* entry(file)
    return info === undefined ? undefined : yield* checked(file, info, expected)
  })

  const opening = (file: string, flag: FileSystem.OpenFlag) => named("open", file, fs.open(file, { flag, ...noFollow }))

  /** Opens a regular file, and fails if something else takes its name meanwhile. */
  const existing = Effect.fnUntraced(function* (file: string, flag: FileSystem.OpenFlag) {
    yield* expect(file, "file")
    const opened = yield* opening(file, flag)
    const info = yield* checked(file, yield* named("read", file, opened.stat), "file")
    return { opened, info }
  })

  /** Creates a file. An existing one is removed rather than overwritten, since it may have a second name. */
  const created = (file: string) =>
    Effect.catchIf(
      opening(file, "wx"),
      ({ code }) => code === "EEXIST",
      () => Effect.andThen(expect(file, "file"), Effect.andThen(remove(file), opening(file, "wx")))
    )

  const open: Files["open"] = (file, at) =>
    Effect.map(at === "start" ? created(file) : Effect.map(existing(file, "a"), ({ opened }) => opened), (opened) =>
      writerOf(file, opened)
    )

  const scan: Files["scan"] = (file, see) =>
    Effect.gen(function* () {
      const { info, opened } = yield* existing(file, "r")
      const buffer = new Uint8Array(pieceOf(info))
      for (;;) {
        // Uninterruptible: the file would be closed while a thread still reads it.
        const length = yield* Effect.uninterruptible(named("read", file, opened.read(buffer)))
        if (length === 0) return
        yield* see(buffer.subarray(0, length))
      }
    }).pipe(Effect.scoped)

  const openAt: Files["openAt"] = Effect.fnUntraced(function* (file: string) {
    const { info, opened } = yield* existing(file, "r")
    const readFrom = Effect.fnUntraced(function* (from: number, to: number, into?: Uint8Array) {
      const size = Math.max(0, to - from)
      const bytes = into?.subarray(0, size) ?? new Uint8Array(size)
      let filled = 0
      while (filled < bytes.length) {
        const position = BigInt(from + filled)
        // Uninterruptible: the file would be closed while a thread still reads it.
        const length = yield* Effect.uninterruptible(
          named("read", file, opened.read(bytes.subarray(filled), { position }))
        )
        if (length === 0) break
        filled += length
      }
      return bytes.subarray(0, filled)
    })
    return { size: Number(info.size), read: readFrom }
  })

  const read: Files["read"] = (file) =>
    ifExists(
      Effect.gen(function* () {
        const { info, opened } = yield* existing(file, "r")
        const pieces: Array<Uint8Array> = []
        for (;;) {
          const piece = yield* Effect.uninterruptible(named("read", file, opened.readAlloc(pieceOf(info))))
          if (Option.isNone(piece)) break
          pieces.push(piece.value)
        }
        const modified = Option.match(info.mtime, { onNone: () => 0, onSome: (time) => time.getTime() })
        return { text: Buffer.concat(pieces).toString(), modified, tag: "" }
      }).pipe(Effect.scoped),
      "ENOENT"
    )

  const touch: Files["touch"] = (file, text) =>
    Effect.scoped(
      Effect.flatMap(existing(file, "r+"), ({ opened }) => writerOf(file, opened).write(new TextEncoder().encode(text)))
    )

  const sync: Files["sync"] = (file) =>
    Effect.scoped(Effect.flatMap(existing(file, "r+"), ({ opened }) => writerOf(file, opened).sync))

  // One by one: asked to create several, Node.js reports a read-only disk as a missing folder.
  const makeFolder: Files["makeFolder"] = (folder) =>
    Effect.catch(makeOne(folder), (error) => {
      const above = path.dirname(folder)
      return error.code === "ENOENT" && above !== folder
        ? Effect.andThen(makeFolder(above), makeOne(folder))
        : Effect.fail(error)
    })
  const makeOne = (folder: string) =>
    Effect.catchIf(
      named("make", folder, fs.makeDirectory(folder)),
      ({ code }) => code === "EEXIST",
      () => Effect.void
    )

  const rename: Files["rename"] = (from, to) => named("write", to, fs.rename(from, to))

  const share: Files["share"] = (from, to) =>
    Effect.andThen(
      expect(from, "file"),
      Effect.catchIf(named("write", to, fs.link(from, to)), lacksLinks, () => copy(from, to))
    )
  const copy = (from: string, to: string) =>
    named("write", to, fs.copyFile(from, to + unfinished)).pipe(
      Effect.andThen(sync(to + unfinished)),
      Effect.andThen(Effect.uninterruptible(rename(to + unfinished, to))),
      Effect.onError(() => Effect.ignore(remove(to + unfinished)))
    )

  const remove: Files["remove"] = (file) => named("remove", file, fs.remove(file, { force: true }))

  const removeFolder: Files["removeFolder"] = Effect.fnUntraced(function* (folder, aside) {
    const names = (of: string) => named("read", of, fs.readDirectory(of))
    if ((yield* names(folder)).length > 0) return
    yield* rename(folder, aside)
    yield* (yield* names(aside)).length > 0
      ? rename(aside, folder)
      : named("remove", aside, fs.remove(aside, { recursive: true }))
  }, Effect.uninterruptible)

  const put: Files["put"] = (file, content) => {
    const first = file + unfinished
    const writing = Effect.gen(function* () {
      const writer = yield* open(first, "start")
      yield* writer.write(bytesOf(content))
      yield* writer.sync
    })
    return Effect.scoped(writing).pipe(
      // Uninterruptible: a thread would still rename it after whatever follows.
      Effect.andThen(Effect.uninterruptible(rename(first, file))),
      Effect.onError(() => Effect.ignore(remove(first))),
      Effect.as("")
    )
  }

  return {
    join: path.join,
    names: (folder) => ifExists(named("read", folder, fs.readDirectory(folder)), "ENOENT"),
    text: (file) => Effect.map(read(file), (found) => found?.text),
    read,
    systemText: (file) => Effect.orElseSucceed(fs.readFileString(file), () => ""),
    link: (file) => Effect.orElseSucceed(fs.readLink(file), () => ""),
    size: (file) => Effect.map(expect(file, "file"), (info) => (info === undefined ? undefined : Number(info.size))),
    tag: () => Effect.succeed(""),
    expectFolder: (folder) => Effect.asVoid(expect(folder, "folder")),
    scan,
    openAt,
    makeFolder,
    open,
    touch,
    sync,
    rename,
    share,
    removeFolder,
    remove,
    put
  }
})

/** Of file systems without hard links, and of files that may have no more of them. */
const lacksLinks = ({ code }: FileFailed) =>
  ["EXDEV", "EPERM", "ENOTSUP", "EOPNOTSUPP", "EMLINK", "ENOSYS"].includes(code ?? "")

/** Bytes that are read at a time. */
const pieceSize = 1_048_576

/**
 * Bytes to ask for, of a file that mostly has fewer: a megabyte for each lock file would be most of what a download
 * allocates.
 */
const pieceOf = ({ size }: FileSystem.File.Info): number => Math.min(pieceSize, Number(size) + 1)

// Windows has no such flag; there only administrators can create links.
const noFollow = process.platform === "win32" ? {} : { noFollow: true }

const writerOf = (file: string, opened: FileSystem.File): Writer => ({
  // Uninterruptible: the file would be closed, and its descriptor given to another file, while a thread still writes.
  write: (bytes) => Effect.uninterruptible(named("write", file, opened.writeAll(bytes))),
  sync: Effect.uninterruptible(named("write", file, opened.sync)),
  close: Effect.void
})

const types = { file: "File", folder: "Directory" } as const

const checked = (path: string, info: FileSystem.File.Info, expected: UnexpectedEntry["expected"]) =>
  info.type === types[expected]
    ? Effect.succeed(info)
    : Effect.fail(new UnexpectedEntry({ path, found: words[info.type], expected }))

const words: Readonly<Record<FileSystem.File.Type, string>> = {
  File: "a file",
  Directory: "a folder",
  SymbolicLink: "a symbolic link",
  BlockDevice: "a device",
  CharacterDevice: "a device",
  FIFO: "a named pipe",
  Socket: "a socket",
  Unknown: "something unknown"
}

const named = <A, R>(operation: string, path: string, self: Effect.Effect<A, PlatformError.PlatformError, R>) =>
  Effect.mapError(self, ({ reason }) => {
    const { cause } = reason
    const code = Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? cause.code : undefined
    return new FileFailed({ operation, path, code: code ?? codes[reason._tag], reason: reason.message })
  })

/** For file systems that give a reason and no code. */
const codes: Readonly<Record<string, string>> = {
  NotFound: "ENOENT",
  PermissionDenied: "EACCES",
  AlreadyExists: "EEXIST"
}

const ifExists = <A, E extends FilesError>(self: Effect.Effect<A, E>, code: string): Effect.Effect<A | undefined, E> =>
  Effect.catchIf(
    self,
    (error) => error._tag === "FileFailed" && error.code === code,
    () => Effect.undefined
  )
