import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { execPath } from "node:process"
import * as Programs from "../../../core/test/Programs.ts"

/** How a process ended: killed here, or by itself with a code; and what it had done with files. */
export interface Ended {
  readonly signal: string | null
  readonly code: number | null
  readonly moments: number
  readonly said: string
}

/** Runs a download in a process of its own, and kills it when it has done so much with files. */
export const run = Effect.fnUntraced(function* (root: string, to: string, as: string, moment = Infinity) {
  const program = yield* Programs.file("download")
  return yield* Effect.callback<Ended>((resume) => {
    const child = spawn(execPath, [program, root, to, as], { stdio: ["ignore", "pipe", "pipe"] })
    let moments = 0
    let said = ""
    child.stdout.on("data", (text: Buffer) => {
      moments += text.length
      said += text.toString().replace(/^\.+/, "")
      if (moments >= moment) child.kill("SIGKILL")
    })
    child.stderr.on("data", (text: Buffer) => {
      said += text.toString()
    })
    child.on("close", (code, signal) => resume(Effect.succeed({ code, signal, moments, said })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })
})
