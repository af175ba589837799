/** The stand-in service as a process of its own. */
import { spawn } from "node:child_process"
import { resolve } from "node:path"

/** Starts a program of the repository that runs the stand-in, and waits until it names its URL. */
export const start = async (program: string, ...args: ReadonlyArray<string>) => {
  const path = resolve(import.meta.dirname, "../..", program)
  const service = spawn(process.execPath, [path, ...args], { stdio: ["ignore", "pipe", "inherit"] })
  let text = ""
  const url = await new Promise<string>((found, failed) => {
    service.on("exit", () => failed(new Error(`the stand-in ended: ${text}`)))
    service.stdout.on("data", (chunk) => {
      text += String(chunk)
      const match = /http:\/\/\S+?\/v4/.exec(text)
      if (match !== null) found(match[0])
    })
  })
  return { service, url }
}
