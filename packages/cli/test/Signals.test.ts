import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync, spawn } from "node:child_process"
import { constants, openSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { until } from "../../node/test/Harness.ts"
import { environment, folder, program, services } from "./Process.ts"

/** Starts a program of ours; told what it says, and how it ends. */
const started = Effect.fnUntraced(function* (file: string, args: ReadonlyArray<string>) {
  const env = { ...process.env, ...(yield* environment) }
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [file, ...args], { env, stdio: ["ignore", "pipe", "ignore"] })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  let said = ""
  child.stdout.on("data", (text: Buffer) => {
    said += text.toString()
  })
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal }))
  })
  return {
    kill: (signal: NodeJS.Signals) => Effect.sync(() => child.kill(signal)),
    says: (text: string) =>
      until(
        Effect.sync(() => said),
        (all) => all.includes(text)
      ),
    ended: Effect.promise(() => ended)
  }
})

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))

const stubborn = fileOf("stubborn.ts")

/** Opens the other end of a named pipe, which succeeds once a process has it open for reading, and says nothing. */
const written = (pipe: string) =>
  until(
    Effect.sync(() => {
      try {
        return openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK)
      } catch {
        return undefined
      }
    }),
    (opened) => opened !== undefined
  )

layer(services, { excludeTestServices: true })("a signal ends the command", (it) => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it.effect(`while a thread waits for a named pipe that gives nothing: ${signal}`, () =>
      Effect.gen(function* () {
        const pipe = `${yield* folder}/pipe.toml`
        execFileSync("mkfifo", [pipe])
        const command = yield* started(yield* program, ["quota", "--config", pipe])
        yield* written(pipe)
        yield* command.kill(signal)
        const { code, signal: by } = yield* command.ended
        // By the signal where the thread was already reading, by the exit code where it had only opened the pipe.
        assert.include(["SIGINT", 130], by ?? code)
      }).pipe(Effect.scoped)
    )

    it.effect(`that cannot be interrupted, when it comes again: ${signal}`, () =>
      Effect.gen(function* () {
        const child = yield* started(stubborn, ["600000"])
        yield* child.says("running")
        yield* child.kill(signal)
        // One that comes together with the first is the same one.
        yield* child.says("ready for another")
        yield* child.kill(signal)
        assert.deepStrictEqual(yield* child.ended, { code: null, signal })
      }).pipe(Effect.scoped)
    )

    it.effect(`that cannot be interrupted, after its grace: ${signal}`, () =>
      Effect.gen(function* () {
        const child = yield* started(stubborn, ["1"])
        yield* child.says("running")
        yield* child.kill(signal)
        assert.deepStrictEqual(yield* child.ended, { code: null, signal })
      }).pipe(Effect.scoped)
    )
  }

  it.effect("once, when two come together: what is open is closed", () =>
    Effect.gen(function* () {
      const child = yield* started(fileOf("together.ts"), [])
      assert.deepStrictEqual(yield* child.ended, { code: 130, signal: null })
      yield* child.says("closed")
    }).pipe(Effect.scoped)
  )

  it.effect("that writes into a pipe nobody reads", () =>
    Effect.gen(function* () {
      const prices = [
        "get",
        "timeseries/asset-metrics",
        "--assets",
        "btc",
        "--metrics",
        "PriceUSD",
        "--frequency",
        "1m"
      ]
      const env = { ...process.env, ...(yield* environment) }
      const sluice = yield* program
      const child = yield* Effect.acquireRelease(
        Effect.sync(() =>
          spawn(process.execPath, [sluice, ...prices, "--start_time", "2020-01-01"], {
            env,
            stdio: ["ignore", "pipe", "ignore"]
          })
        ),
        (child) => Effect.sync(() => child.kill("SIGKILL"))
      )
      // The first bytes are there, and are all that is ever taken.
      yield* Effect.callback<void>((resume) => {
        child.stdout.once("readable", () => resume(Effect.void))
      })
      const ended = Effect.callback<number | null>((resume) => {
        child.once("exit", (code) => resume(Effect.succeed(code)))
      })
      child.kill("SIGINT")
      assert.strictEqual(yield* ended, 130)
    }).pipe(Effect.scoped)
  )
})

layer(services, { excludeTestServices: true })("a failure ends the command", (it) => {
  it.effect("with its exit code, although a thread waits for a named pipe", () =>
    Effect.gen(function* () {
      const pipe = `${yield* folder}/pipe`
      execFileSync("mkfifo", [pipe])
      const child = yield* started(fileOf("failing.ts"), [pipe])
      assert.deepStrictEqual(yield* child.ended, { code: 9, signal: null })
    }).pipe(Effect.scoped)
  )
})
