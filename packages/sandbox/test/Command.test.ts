import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ChildProcess from "effect/process/ChildProcess"
import * as Stream from "effect/Stream"
import * as Fault from "../src/Fault.ts"

const command = (args: ReadonlyArray<string>) =>
  ChildProcess.make(process.execPath, [new URL("../src/main.ts", import.meta.url).pathname, ...args])

const run = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const handle = yield* command(args)
  const [stdout, stderr, code] = yield* Effect.all(
    [
      Stream.mkString(Stream.decodeText(handle.stdout)),
      Stream.mkString(Stream.decodeText(handle.stderr)),
      handle.exitCode
    ],
    { concurrency: 3 }
  )
  return { stdout, stderr, code: Number(code) }
}, Effect.scoped)

const wrong: ReadonlyArray<readonly [args: ReadonlyArray<string>, sentence: RegExp]> = [
  [["--plan", "gold"], /^Invalid value for flag --plan: "gold"\. [^\n]*\.\n$/],
  [["--port", "70000"], /^Invalid value for flag --port: "70000"\. [^\n]*\.\n$/],
  [["--host", "192.0.2.1"], /^The sandbox cannot listen on 192\.0\.2\.1:8080: [^\n]*\.\n$/]
]

describe("Command", () => {
  for (const [args, sentence] of wrong) {
    it.live(`answers ${args.join(" ")} with one sentence and a code`, () =>
      Effect.gen(function* () {
        const { code, stderr, stdout } = yield* run(args)
        assert.match(stderr, sentence)
        assert.strictEqual(stdout, "")
        assert.strictEqual(code, 1)
      }).pipe(Effect.provide(NodeServices.layer))
    )
  }

  it.live("lists every kind of fault, and ends", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* run(["--faults"])
      const listed = stdout.trimEnd().split("\n")
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(
        listed.map((line) => line.split("  ")[0]),
        [...Fault.table, ...Fault.liveTable].map(({ grammar }) => grammar)
      )
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("tells where it listens, and stops when it is interrupted", () =>
    Effect.gen(function* () {
      const handle = yield* command(["--port", "0", "--plan", "trial"])
      const greeting = yield* handle.stdout.pipe(
        Stream.decodeText(),
        Stream.takeUntil((text) => text.includes("Ctrl+C")),
        Stream.mkString
      )
      assert.match(greeting, /^export SLUICE_BASE_URL=http:\/\/127\.0\.0\.1:\d+\/v4 SLUICE_API_KEY=sandbox-key\n/)
      assert.match(greeting, /paid +http:\/\/127\.0\.0\.1:\d+\/v4\n/)
      assert.include(greeting, "api_key=sandbox-key (plan trial)")
      yield* handle.kill({ killSignal: "SIGINT" })
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
