/**
 * The process and its signals: SIGINT and SIGTERM always end it soon.
 *
 * The first one interrupts the program, which closes files and sockets and says where it stands. That can take long, or
 * for ever: a write to a disk that does not answer cannot be interrupted, and neither Node.js nor `process.exit` leaves a
 * process in which a thread waits for such a disk, or for the other end of a named pipe. Then the process ends as by a
 * signal that it does not handle. A download survives that as it survives a kill.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Runtime from "effect/Runtime"
import { performance } from "node:perf_hooks"
import process from "node:process"

const signals = ["SIGINT", "SIGTERM"] as const

/** The exit code of an interrupt. */
const interrupted = 130

/** How long the program has to end after the first signal. */
const defaultGrace = Duration.seconds(5)

/**
 * Milliseconds in which signals count as one. Ctrl-C goes to the whole process group, and what started the command, such
 * as a package manager, often forwards it as well: nobody asked twice.
 */
const together = 300

/** Milliseconds between two looks at file operations that are still under way, and how many looks there are. */
const pause = 10
const looks = 50

/** Runs a program to its end, or to that of the process. A second signal, 300 ms later or more, ends it at once. */
export const runMain = <E, A>(program: Effect.Effect<A, E>, grace: Duration.Input = defaultGrace): void => {
  let isEnding = false
  let first: number | undefined
  const hear = (signal: NodeJS.Signals) => {
    const now = performance.now()
    if (first !== undefined && now - first < together) return
    if (isEnding) return end(signal)
    isEnding = true
    first = now
    setTimeout(end, Duration.toMillis(grace), signal).unref()
  }
  for (const signal of signals) process.on(signal, hear)
  const teardown: Runtime.Teardown = (exit, onExit) =>
    Runtime.defaultTeardown(exit, (code) => {
      isEnding = true
      // Without a code the process ends by itself, when nothing is left to do.
      if (code === 0) onExit(code)
      else
        whenQuiet(
          () => onExit(code),
          () => leave(code)
        )
    })
  NodeRuntime.runMain(program, { disableErrorReporting: true, teardown })
}

/** Ends the process as the signal would if nobody heard it. */
const end = (signal: NodeJS.Signals) => {
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}

/**
 * Ends the process with its code although a thread is at work, which `process.exit` would wait for: another program takes
 * the place of this one, and has only to give the code. Where that cannot be done (Windows, no shell, an older Node.js),
 * or the process was interrupted anyway, it ends as by a signal.
 */
const leave = (code: number) => {
  // What it throws does not matter: the signal below is what is left.
  if (code !== interrupted) Result.try(() => process.execve?.("/bin/sh", ["sh", "-c", `exit ${code}`]))
  end("SIGINT")
}

const isQuiet = () => !process.getActiveResourcesInfo().some((resource) => resource.startsWith("FSReq"))

/** Waits for threads that work on files: `process.exit` would wait for them, and hear nothing any more. */
const whenQuiet = (exit: () => void, leave: () => void) => {
  if (isQuiet()) return exit()
  let left = looks
  const poll = setInterval(() => {
    left -= 1
    if (isQuiet()) {
      clearInterval(poll)
      exit()
    } else if (left === 0) {
      clearInterval(poll)
      leave()
    }
  }, pause)
}
