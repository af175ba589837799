/**
 * A disk in memory, beside a bucket. What was written is there for all processes, and after a loss of power only what was synced is certain to be: of
 * the rest the run chooses how much. It may be full for a while: then nothing grows, and nothing new is made.
 *
 * As on ext4 and XFS, names change in the order in which they were changed, and a sync of any file brings all changes of names
 * before it to the disk.
 */
import { ByteSize, Effect, Fiber, FileSystem, Option, PlatformError } from "effect"
import { pid } from "node:process"
import * as Bucket from "./Bucket.ts"
import type { Below, Kind, Process } from "./Process.ts"

export interface Entry {
  readonly type: "File" | "Directory"
  bytes: Uint8Array
  /** What is certain to be there after a loss of power. */
  synced: Uint8Array
  /** The machine that wrote it last. */
  machine: string
  modified: number
}

type Names = Map<string, Entry>

const failure = (path: string, code: string) =>
  PlatformError.systemError({
    _tag: code === "ENOENT" ? "NotFound" : code === "EEXIST" ? "AlreadyExists" : "Unknown",
    module: "FileSystem",
    method: "simulation",
    pathOrDescriptor: path,
    cause: Object.assign(new Error(code), { code })
  })

/** Whether a path is of a dataset's files that readers see. */
export const isRecords = (path: string) => !path.includes("/.sluice/") && !/\.(delta|ducklake)\//.test(path)

const isSeen = (path: string) => !path.includes("/.sluice/")

const parentOf = (path: string) => path.slice(0, path.lastIndexOf("/")) || "/"

const nothing = new Uint8Array()

const directory = (): Entry => ({ type: "Directory", bytes: nothing, synced: nothing, machine: "", modified: 0 })

const infoOf = ({ bytes, modified, type }: Entry): FileSystem.File.Info => ({
  type,
  size: ByteSize.bytes(bytes.length),
  mtime: Option.some(new Date(modified)),
  atime: Option.none(),
  birthtime: Option.none(),
  dev: 0n,
  ino: Option.none(),
  mode: 0o600,
  nlink: Option.none(),
  uid: Option.none(),
  gid: Option.none(),
  rdev: Option.none(),
  blksize: Option.none(),
  blocks: Option.none()
})

const fresh = (modified: number): Entry => ({ ...directory(), type: "File", modified })

/** What a process reads of the system: who it is, and since when. */
const systemText = (path: string, { machine, number }: Process) => {
  if (path === "/etc/machine-id") return machine
  if (path === "/proc/sys/kernel/random/boot_id") return "boot"
  return path === `/proc/${pid}/stat` ? `${pid} (node) ${Array.from({ length: 20 }, () => number).join(" ")}` : ""
}

/** Makes an empty disk with the folder `/data`, and an empty bucket `s3://data`; files are in one of them. */
export const make = (below: Below, isBucket: boolean) => {
  const bucket = Bucket.make()
  const certain: Names = new Map([
    ["/", directory()],
    ["/data", directory()]
  ])
  let names: Names = new Map(certain)
  /** Changes of names that a loss of power may undo, from the first of them that is lost on. */
  let uncertain: Array<{ readonly machine: string; readonly apply: (names: Names) => void }> = []

  /** Numbers of the processes that run. */
  const living = new Set<number>()

  let isFull = false
  const fill = (how: boolean) =>
    Effect.sync(() => {
      isFull = how
    })
  const room = (path: string) => Effect.suspend(() => (isFull ? Effect.fail(failure(path, "ENOSPC")) : Effect.void))

  /** What was wrong first: two processes that ran both had the folder. */
  let wrong: string | undefined

  /** Those that have their name: what a killed process had not named yet is none. */
  const locks = () => [...files()].filter(([path]) => /\/lock-[^/]*\.json$/.test(path))

  const lookForHolders = () => {
    const holders = locks().flatMap(([, bytes]) => {
      const text = new TextDecoder().decode(bytes)
      const [, started] = /"started":"(\d+)"/.exec(text) ?? []
      return text.includes('"holds":true') && living.has(Number(started)) ? [started] : []
    })
    if (holders.length > 1) wrong ??= `processes ${holders.join(" and ")} both had the folder`
  }

  const change = (machine: string, apply: (names: Names) => void) => {
    apply(names)
    uncertain.push({ machine, apply })
  }

  const find = (path: string) =>
    Effect.suspend(() => {
      const entry = names.get(path)
      return entry === undefined ? Effect.fail(failure(path, "ENOENT")) : Effect.succeed(entry)
    })

  const opened = ({ machine, now }: Process, path: string, entry: Entry, isAtEnd: boolean): FileSystem.File => {
    let at = 0
    const write = Effect.fnUntraced(function* (bytes: Uint8Array) {
      const from = isAtEnd ? entry.bytes.length : at
      if (from + bytes.length > entry.bytes.length) yield* room(path)
      const all = new Uint8Array(Math.max(entry.bytes.length, from + bytes.length))
      all.set(entry.bytes)
      all.set(bytes, from)
      entry.bytes = all
      entry.machine = machine
      entry.modified = yield* now
      at = from + bytes.length
      return bytes.length
    })
    const read = (buffer: Uint8Array, position: bigint | undefined) => {
      const from = position === undefined ? at : Number(position)
      const piece = entry.bytes.subarray(from, from + buffer.length)
      buffer.set(piece)
      if (position === undefined) at += piece.length
      return piece.length
    }
    return {
      [FileSystem.FileTypeId]: FileSystem.FileTypeId,
      stat: Effect.sync(() => infoOf(entry)),
      seek: (offset) => Effect.sync(() => BigInt((at = Number(offset)))),
      sync: Effect.sync(() => {
        entry.synced = entry.bytes
        for (const { apply } of uncertain) apply(certain)
        uncertain = []
      }),
      read: (buffer, options) => Effect.sync(() => read(buffer, options?.position)),
      readAlloc: (size, options) =>
        Effect.sync(() => {
          const buffer = new Uint8Array(size)
          const length = read(buffer, options?.position)
          return length === 0 ? Option.none() : Option.some(buffer.subarray(0, length))
        }),
      truncate: () => Effect.die(`truncate of ${path} is not simulated`),
      write,
      writeAll: (bytes) => Effect.asVoid(write(bytes))
    }
  }

  const create = (machine: string, path: string, entry: Entry) =>
    Effect.gen(function* () {
      if (names.has(path)) return yield* Effect.fail(failure(path, "EEXIST"))
      yield* find(parentOf(path))
      yield* room(path)
      change(machine, (names) => names.set(path, entry))
      return entry
    })

  const open = Effect.fnUntraced(function* (process: Process, path: string, flag: FileSystem.OpenFlag = "r") {
    const isNew = flag === "wx" || (flag === "a" && !names.has(path))
    const entry = yield* isNew ? create(process.machine, path, fresh(yield* process.now)) : find(path)
    return { file: opened(process, path, entry, flag === "a"), kind: flag === "a" ? ("added" as const) : undefined }
  })

  /** The disk as a process sees it. */
  const fileSystem = (process: Process): FileSystem.FileSystem => {
    const inTurn = <A, E>(self: Effect.Effect<A, E>, kind?: Kind) => {
      const operation = Effect.tap(Effect.andThen(process.turn(kind), self), () => process.turn(kind))
      return process.isSlow ? Effect.flatMap(Effect.forkDetach(operation), Fiber.join) : operation
    }
    const inTurns = ({ file, kind }: Effect.Success<ReturnType<typeof open>>): FileSystem.File => ({
      ...file,
      stat: inTurn(file.stat),
      sync: inTurn(file.sync, kind),
      read: (buffer, options) => inTurn(file.read(buffer, options)),
      readAlloc: (size, options) => inTurn(file.readAlloc(size, options)),
      write: (bytes) => inTurn(file.write(bytes), kind),
      // Of a larger write a part may be there before the rest.
      writeAll: (bytes) =>
        Effect.flatMap(below(4), (quarters) => {
          const cut = (bytes.length * quarters) >> 2
          return Effect.andThen(
            inTurn(file.writeAll(bytes.subarray(0, cut)), kind),
            inTurn(file.writeAll(bytes.subarray(cut)), kind)
          )
        })
    })
    return FileSystem.makeNoop({
      lstat: (path) => inTurn(Effect.map(find(path), infoOf)),
      stat: (path) => inTurn(Effect.map(find(path), infoOf)),
      open: (path, options) => inTurn(Effect.map(open(process, path, options?.flag), inTurns)),
      readFileString: (path) => Effect.sync(() => systemText(path, process)),
      readLink: () => Effect.succeed("space"),
      readDirectory: (path) =>
        inTurn(
          Effect.map(find(path), () =>
            [...names.keys()]
              .filter((name) => name !== "/" && parentOf(name) === path)
              .map((name) => name.slice(name.lastIndexOf("/") + 1))
          )
        ),
      makeDirectory: (path) => inTurn(Effect.asVoid(create(process.machine, path, directory()))),
      rename: (from, to) =>
        inTurn(
          Effect.map(find(from), (entry) =>
            change(process.machine, (names) => {
              names.delete(from)
              names.set(to, entry)
            })
          ).pipe(Effect.tap(() => Effect.sync(lookForHolders))),
          isSeen(to) ? "named" : undefined
        ),
      link: (from, to) =>
        inTurn(
          Effect.flatMap(find(from), (entry) =>
            names.has(to)
              ? Effect.fail(failure(to, "EEXIST"))
              : Effect.sync(() => change(process.machine, (names) => names.set(to, entry)))
          ),
          "named"
        ),
      remove: (path, options) =>
        inTurn(
          Effect.suspend(() => {
            if (!names.has(path)) return options?.force === true ? Effect.void : Effect.fail(failure(path, "ENOENT"))
            change(process.machine, (names) => names.delete(path))
            return Effect.void
          }),
          isSeen(path) ? "removed" : undefined
        )
    })
  }

  /** Every file, by its path. */
  const files = () => {
    const local = [...names].filter(([, { type }]) => type === "File")
    return new Map([...local, ...bucket.objects].map(([path, { bytes }]) => [path, bytes]))
  }

  return {
    fileSystem,
    objects: bucket.layer,
    isBucket,
    /** Where files are. */
    folder: `${isBucket ? "s3:/" : ""}/data/prices`,
    living,
    locks,
    /** Whether it is full from now on. */
    fill,
    /** Waits, and is full for as long again. */
    fillUp: (wait: Effect.Effect<void>) =>
      wait.pipe(Effect.andThen(fill(true)), Effect.andThen(wait), Effect.ensuring(fill(false))),
    /** Fails where two processes that ran both had the folder. */
    expectOneHolder: Effect.suspend(() => (wrong === undefined ? Effect.void : Effect.die(new Error(wrong)))),
    /** Somebody removes a file of records, or cuts it. Tells whether there was one. */
    damage: (ending: string, way: "removed" | "cut") =>
      Effect.suspend(() => {
        const all = [...files()].filter(([path]) => path.endsWith(ending) && isRecords(path))
        return Effect.map(below(all.length), (nth) => {
          const [path, whole] = all[nth] ?? []
          if (path === undefined || whole === undefined) return false
          const bytes = whole.slice(0, -9)
          if (isBucket) {
            if (way === "removed") bucket.objects.delete(path)
            else bucket.objects.set(path, { bytes, modified: 0, meta: {} })
          } else if (way === "removed") change("", (names) => names.delete(path))
          else change("", (names) => names.set(path, { ...fresh(0), bytes, synced: bytes }))
          return true
        })
      }),
    files,
    /**
     * A machine loses its power: some of its changes of names are lost, and of what it wrote without a sync a part; in its
     * place there may be zeros.
     */
    loseUnsynced: Effect.fnUntraced(function* (machine: string) {
      const lost = yield* below(uncertain.length + 1)
      const share = yield* below(5)
      const areZeros = (yield* below(3)) === 1
      const kept = uncertain.length - lost
      for (const [nth, change] of uncertain.entries()) {
        if (nth < kept || change.machine !== machine) change.apply(certain)
      }
      uncertain = []
      names = new Map(certain)
      for (const entry of new Set(names.values())) {
        if (entry.machine !== machine) continue
        const unsynced = entry.bytes.length - entry.synced.length
        // All of it where nothing is chosen, as without a loss of power.
        const left = entry.bytes.length - Math.ceil((unsynced * share) / 4)
        entry.bytes = areZeros ? entry.bytes.slice().fill(0, left) : entry.bytes.slice(0, left)
        entry.synced = entry.bytes
      }
    })
  }
}

/** A disk of a simulation. */
export type Disk = ReturnType<typeof make>

/** The records of all files of NDJSON, but for those of the bookkeeping. */
export const recordsOf = (disk: Disk): ReadonlyArray<unknown> =>
  [...disk.files()].flatMap(([path, bytes]) => {
    if (!path.endsWith(".ndjson") || path.includes("/.sluice/")) return []
    const lines = new TextDecoder().decode(bytes).split("\n")
    return lines.filter((line) => line !== "").map((line): unknown => JSON.parse(line))
  })
