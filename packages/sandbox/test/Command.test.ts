import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as ChildProcess from "effect/process/ChildProcess"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Programs from "../../core/test/Programs.ts"
import * as Command from "../src/Command.ts"
import * as Fault from "../src/Fault.ts"

const command = (args: ReadonlyArray<string>) =>
  Effect.flatMap(Programs.file("sandbox"), (file) => ChildProcess.make(process.execPath, [file, ...args]))

const line =
  (to: Array<string>) =>
  (...texts: ReadonlyArray<unknown>) =>
    void to.push(`${texts.join(" ")}\n`)

/** Runs the command to its end, in this process: all of it but what stands in `main.ts`. */
const run = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const stdout: Array<string> = []
  const stderr: Array<string> = []
  const exit = yield* Command.run.pipe(
    Effect.provideService(Console.Console, { ...console, log: line(stdout), error: line(stderr) }),
    // The later service of two counts.
    Effect.provide([NodeServices.layer, Stdio.layerTest({ args: Effect.succeed(args) })]),
    Effect.exit
  )
  return { stdout: stdout.join(""), stderr: stderr.join(""), isSuccess: exit._tag === "Success" }
})

describe("Command", () => {
  it.effect.each([
    [["--plan", "gold"], /^Invalid value for flag --plan: "gold"\. [^\n]*\.\n$/],
    [["--jitter", "soon"], /^Invalid value for flag --jitter: "soon"\. Expected a duration such as 20ms or 1s\.\n$/],
    // The next flag is what is refused.
    [["--jitter", "1 second", "--http-jitter", "1.5m", "--http-lag", "20 milliseconds", "--plan", "gold"], /"gold"/],
    [["--from", "yesterday"], /^Invalid value for flag --from: "yesterday"\. Expected a time such as [^\n]*\.\n$/],
    [["--port", "70000"], /^Invalid value for flag --port: "70000"\. [^\n]*\.\n$/]
  ] as const)("answers %s with one sentence", ([args, sentence]) =>
    Effect.gen(function* () {
      const { isSuccess, stderr, stdout } = yield* run(args)
      assert.match(stderr, sentence)
      assert.deepStrictEqual([stdout, isSuccess], ["", false])
    })
  )

  it.live("answers an address where it cannot listen with one sentence, and a code", () =>
    Effect.gen(function* () {
      const handle = yield* command(["--host", "192.0.2.1"])
      const [stdout, stderr, code] = yield* Effect.all(
        [
          Stream.mkString(Stream.decodeText(handle.stdout)),
          Stream.mkString(Stream.decodeText(handle.stderr)),
          handle.exitCode
        ],
        { concurrency: 3 }
      )
      assert.match(stderr, /^The sandbox cannot listen on 192\.0\.2\.1:8080: [^\n]*\.\n$/)
      assert.deepStrictEqual([stdout, Number(code)], ["", 1])
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("lists every kind of fault, and ends", () =>
    Effect.gen(function* () {
      const { isSuccess, stdout } = yield* run(["--faults"])
      const listed = stdout.trimEnd().split("\n")
      assert.isTrue(isSuccess)
      assert.deepStrictEqual(
        listed.map((line) => line.split("  ")[0]),
        [...Fault.table, ...Fault.liveTable].map(({ grammar }) => grammar)
      )
      for (const name of ["POSITION", "FORM"]) {
        const taking = listed.filter((line) => line.split(" ")[0]?.endsWith(`=${name}`))
        assert.isNotEmpty(taking)
        for (const line of taking) assert.match(line, new RegExp(`; ${name} is .|: \`null\``))
      }
      assert.notInclude(stdout, "below")
    })
  )

  it.live("tells where it listens, and stops when it is interrupted", () =>
    Effect.gen(function* () {
      const handle = yield* command(["--port", "0", "--plan", "trial"])
      const greeting = yield* handle.stdout.pipe(
        Stream.decodeText(),
        Stream.takeUntil((text) => text.includes("Ctrl+C")),
        Stream.mkString
      )
      assert.match(greeting, /^export SLUICE_BASE_URL=http:\/\/127\.0\.0\.1:\d+\/v4 SLUICE_API_KEY=demo-key\n/)
      assert.match(greeting, /paid +http:\/\/127\.0\.0\.1:\d+\/v4\n/)
      assert.include(greeting, "api_key=demo-key (plan trial)")
      yield* handle.kill({ killSignal: "SIGINT" })
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
