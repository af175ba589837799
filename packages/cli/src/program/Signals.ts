/**
 * Ends the process soon after SIGINT or SIGTERM, whatever the program does.
 *
 * The first signal interrupts the program, which closes files and sockets and reports its state. That may never end: a
 * write to a disk that does not answer cannot be interrupted, and neither Node.js nor `process.exit` ends a process while
 * a thread waits for such a disk, or for the other end of a named pipe. Then the process ends by an unhandled signal. A
 * download can be resumed after that, as after a kill.
 *
 * It uses the clock and timers of Node.js, not those of Effect, since the program it ends may be what no longer answers.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Runtime from "effect/Runtime"
import { performance } from "node:perf_hooks"

const signals = ["SIGINT", "SIGTERM"] as const

/** The exit code of an interrupt. */
const interrupted = 130

/** How long the program may take to end after the first signal. */
const defaultGrace = Duration.seconds(5)

/**
 * Milliseconds in which several signals count as one. Ctrl-C goes to the whole process group, and the parent process, such
 * as a package manager, often forwards it as well.
 */
const sameSignal = 300

/** Milliseconds between two checks for pending file operations, and the number of checks. */
const pause = 10
const looks = 50

/** Runs a program to its end. A second signal, 300 ms or more after the first, ends the process at once. */
export const runMain = <E, A>(program: Effect.Effect<A, E>, grace: Duration.Input = defaultGrace): void => {
  let isEnding = false
  let first: number | undefined
  const onSignal = (signal: NodeJS.Signals) => {
    const now = performance.now()
    if (first !== undefined && now - first < sameSignal) return
    if (isEnding) return end(signal)
    isEnding = true
    first = now
    setTimeout(end, Duration.toMillis(grace), signal).unref()
  }
  for (const signal of signals) process.on(signal, onSignal)
  const teardown: Runtime.Teardown = (exit, onExit) =>
    Runtime.defaultTeardown(exit, (code) => {
      isEnding = true
      // With code 0 the process ends by itself, when nothing is pending.
      if (code === 0) onExit(code)
      else
        whenQuiet(
          () => onExit(code),
          () => leave(code)
        )
    })
  NodeRuntime.runMain(program, { disableErrorReporting: true, teardown })
}

/** Ends the process by the signal, without handlers. */
const end = (signal: NodeJS.Signals) => {
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}

/**
 * Ends the process with its code while a thread is busy, which `process.exit` would wait for: replaces the process by a
 * shell that exits with the code. Where that is impossible (Windows, no shell, an older Node.js), or after an interrupt,
 * ends it by a signal.
 */
const leave = (code: number) => {
  // If this throws, the signal below remains.
  if (code !== interrupted) Result.try(() => process.execve?.("/bin/sh", ["sh", "-c", `exit ${code}`]))
  end("SIGINT")
}

const isQuiet = () => !process.getActiveResourcesInfo().some((resource) => resource.startsWith("FSReq"))

/** Waits for pending file operations for a while: `process.exit` would wait for them without end, deaf to signals. */
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
