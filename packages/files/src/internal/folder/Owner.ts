/**
 * The identity of a process, by which a lock tells whether its owner still runs. A process ID alone is used again later.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { hostname } from "node:os"
import type { Files } from "./Files.ts"

/** A process. A field that the system does not provide is empty. */
export const Owner = Schema.Struct({
  pid: Schema.Int,
  host: Schema.String,
  machine: Schema.String,
  /** Changes with every start of the machine. */
  boot: Schema.String,
  /** The namespace of its process ID: containers have their own. */
  space: Schema.String,
  /** When it started, in ticks since the start of the machine. */
  started: Schema.String
})
export type Owner = typeof Owner.Type

export const self = Effect.fnUntraced(function* (files: Files) {
  const owner: Owner = {
    pid: process.pid,
    host: hostname(),
    machine: yield* readOr(files, "/etc/machine-id"),
    boot: yield* readOr(files, "/proc/sys/kernel/random/boot_id"),
    space: yield* files.link("/proc/self/ns/pid"),
    started: (yield* statOf(files, process.pid)).started
  }
  return owner
})

/** State of the owner of a lock: it runs, it has ended, or this process cannot see it. */
export type State = "runs" | "ended" | "unseen"

/** Tells whether the owner of a lock still runs. */
export const stateOf = Effect.fnUntraced(function* (files: Files, me: Owner, other: Owner) {
  if (other.host !== me.host || other.machine !== me.machine) return "unseen"
  // Containers without an identifier may have one name on different machines.
  if (other.boot !== me.boot) return me.machine === "" ? "unseen" : "ended"
  if (other.space !== me.space) return "unseen"
  if (other.started === "") return yield* answers(other.pid)
  const { started, state } = yield* statOf(files, other.pid)
  // A zombie (Z) was killed and writes no more.
  return started === other.started && state !== "Z" && state !== "X" ? "runs" : "ended"
})

const answers = (pid: number) =>
  Effect.match(
    Effect.try({
      try: () => process.kill(pid, 0),
      // Without permission to send it a signal, the process exists.
      catch: (error) => Predicate.hasProperty(error, "code") && error.code === "EPERM"
    }),
    { onSuccess: (): State => "runs", onFailure: (exists): State => (exists ? "runs" : "ended") }
  )

/** Reads Linux's file of a process, in which `(name)` may contain blanks and brackets. */
const statOf = Effect.fnUntraced(function* (files: Files, pid: number) {
  const text = yield* readOr(files, `/proc/${pid}/stat`)
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  return { state: fields[0] ?? "", started: fields[19] ?? "" }
})

const readOr = (files: Files, path: string) => Effect.map(files.systemText(path), (text) => text.trim())
