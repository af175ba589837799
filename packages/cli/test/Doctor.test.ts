import { assert, describe, it, layer } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Clock from "effect/Clock"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { versions } from "node:process"
import * as ClockSkew from "../src/commands/doctor/ClockSkew.ts"
import { codes } from "../src/program/ExitCode.ts"
import * as ProxyInUse from "../src/settings/ProxyInUse.ts"
import { environment, folder, inProcess, key, services, sluice } from "./Process.ts"

interface Check {
  readonly name: string
  readonly status: string
  readonly message: string
  readonly next?: string
}

/** Runs the checks; gives them by name, and the exit code. */
const doctor = Effect.fnUntraced(function* (args: ReadonlyArray<string> = [], env: Record<string, string> = {}) {
  const { code, stderr, stdout } = yield* sluice(["doctor", "--json", ...args], env)
  const { checks, status }: { readonly checks: ReadonlyArray<Check>; readonly status: string } = JSON.parse(stdout)
  const of = (name: string) => checks.find((check) => check.name === name)
  return { code, status, stderr, of, names: checks.map(({ name }) => name) }
})

const all = ["versions", "settings", "root", "key", "proxy", "service", "plan", "quota", "clock"]

layer(services, { excludeTestServices: true })("doctor", (it) => {
  it.effect("checks versions, settings, root, key, proxy, service, plan, quota and clock with one request", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const before = (yield* sandbox.stats).requests
      const { code, names, of, status, stderr } = yield* doctor()
      assert.deepStrictEqual([code, status, stderr, names], [0, "ok", "", all])
      assert.strictEqual((yield* sandbox.stats).requests, before + 1)
      assert.match(
        of("versions")?.message ?? "",
        new RegExp(`^sluice 0.1.0, Node.js ${versions.node}, Effect 4\\.1\\.`)
      )
      assert.strictEqual(of("root")?.message, `${sandbox.url}, from SLUICE_BASE_URL`)
      assert.strictEqual(of("key")?.message, "accepted, from SLUICE_API_KEY")
      assert.strictEqual(of("plan")?.message, "download")
      assert.match(of("quota")?.message ?? "", /^5,\d{3} of 6,000 requests left$/)
      assert.strictEqual(of("clock")?.message, "in step with the service")
    })
  )

  it.effect("prints a line for each, with what to do below it, and never the key", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* sluice(["doctor", "--api-key", "no-such-key"])
      assert.deepStrictEqual([code, stderr], [codes.key, "sluice: a check failed: key.\n"])
      assert.match(stdout, /^ok {4}versions {2}sluice /)
      assert.match(
        stdout,
        /^fail {2}key {7}.* no valid key was sent to\n(?: {16}.*\n)+? {16}Check the key: SLUICE_API_KEY/m
      )
      assert.match(stdout, /^ok {4}service {3}answered in \d+ ms$/m)
      for (const line of stdout.split("\n")) assert.isAtMost(line.length, 80)
      assert.notInclude(stdout, "no-such-key")
      const { code: fine, stdout: warned } = yield* sluice(["doctor", "--api-key", key])
      assert.strictEqual(fine, 0)
      assert.match(
        warned,
        /^warn {2}key {7}from --api-key, which other users of this machine can see\n {16}Set SLUICE_API_KEY/m
      )
      assert.notInclude(warned, key)
    })
  )

  it.effect("ends with the code of what failed, and tells the rest as far as it is known", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const missing = yield* doctor([], { SLUICE_BASE_URL: "paid", SLUICE_API_KEY: "" })
      assert.deepStrictEqual([missing.code, missing.of("key")?.status], [codes.key, "fail"])
      assert.deepStrictEqual(missing.names, ["versions", "settings", "root", "key", "proxy"])
      const nobody = yield* doctor(["--root", "http://127.0.0.1:1/v4"])
      assert.deepStrictEqual([nobody.code, nobody.of("service")?.status], [codes.network, "fail"])
      assert.match(nobody.of("service")?.next ?? "", /^Is `sluice sandbox` running\?/)
      const down = yield* doctor([], { SLUICE_BASE_URL: sandbox.faultUrl("status=503;id=doctor") })
      assert.deepStrictEqual([down.code, down.of("service")?.status], [codes.network, "fail"])
      assert.strictEqual(down.of("clock")?.status, "ok")
      const root = yield* doctor(["--root", "ftp://x"])
      assert.deepStrictEqual([root.code, root.names], [codes.usage, ["versions", "root"]])
      const setting = yield* doctor([], { SLUICE_PARALLEL: "0" })
      assert.deepStrictEqual([setting.code, setting.of("settings")?.status], [codes.usage, "fail"])
      const file = yield* doctor(["--config", "/nowhere"])
      assert.deepStrictEqual([file.code, file.names], [codes.usage, ["versions", "settings"]])
      assert.deepInclude(JSON.parse(file.stderr).error, { kind: "usage", tag: "Unhealthy", exit: codes.usage })
    })
  )

  it.effect("warns of a config file that others can read, and of a root over which everybody can", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = `${yield* folder}/config.toml`
      const { url } = yield* Sandbox.Sandbox
      yield* fs.writeFileString(file, `root = "${url}"\napi_key = "${key}"\n`)
      const env = { SLUICE_API_KEY: "", SLUICE_BASE_URL: "" }
      for (const [mode, status] of [
        [0o644, "warn"],
        [0o600, "ok"]
      ] as const) {
        yield* fs.chmod(file, mode)
        const { code, of, status: worst } = yield* doctor(["--config", file], env)
        assert.deepStrictEqual([code, of("settings")?.status, worst], [0, status, status])
        assert.strictEqual(of("key")?.message, "accepted, from api_key in the config file")
      }
      const open = yield* doctor(["--root", "http://example.invalid/v4"])
      assert.deepInclude(open.of("root"), { status: "warn", next: "Use an https: root." })
    })
  )

  it.effect("tells a clock that is wrong", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const env = yield* environment
      for (const [shift, status, words] of [
        [60_000, "warn", "ahead of"],
        [-60_000, "warn", "behind"],
        [3_600_000, "fail", "ahead of"]
      ] as const) {
        const now = () => clock.currentTimeMillisUnsafe() + shift
        const shifted: Clock.Clock = Object.assign(Object.create(clock), {
          currentTimeMillisUnsafe: now,
          currentTimeMillis: Effect.sync(now)
        })
        const { code, stdout } = yield* Effect.provideService(
          inProcess(["doctor", "--json"], env).run,
          Clock.Clock,
          shifted
        )
        const check = JSON.parse(stdout).checks.find(({ name }: Check) => name === "clock")
        assert.deepStrictEqual([check.status, code], [status, status === "fail" ? codes.system : 0])
        assert.include(check.message, words)
        assert.match(check.next, /^Set the clock/)
      }
    })
  )
})

describe("the clock of the service", () => {
  const date = "Sun, 01 Nov 2026 12:00:00 GMT"
  const at = Date.parse(date)

  it("is in step where the date may name the second in which the reply was made", () => {
    for (const [sent, received] of [
      [at, at + 100],
      [at + 999, at + 1_500],
      [at - 500, at],
      [at - 5_000, at + 5_000]
    ] as const) {
      assert.strictEqual(ClockSkew.of({ sent, received, date }), 0)
    }
  })

  it("is otherwise as far off as is certain", () => {
    assert.strictEqual(ClockSkew.of({ sent: at + 11_000, received: at + 11_200, date }), 10_000)
    assert.strictEqual(ClockSkew.of({ sent: at - 10_200, received: at - 10_000, date }), -10_000)
    assert.isUndefined(ClockSkew.of({ sent: at, received: at, date: "soon" }))
    assert.isUndefined(ClockSkew.of({ sent: at, received: at, date: undefined }))
  })
})

layer(services, { excludeTestServices: true })("a root that has the key in its path", (it) => {
  it.effect("is told without it", () =>
    Effect.gen(function* () {
      const env = { SLUICE_BASE_URL: `http://127.0.0.1:1/${key}/v4` }
      for (const args of [["doctor", "--json"], ["doctor"]]) {
        const { stderr, stdout } = yield* sluice(args, env)
        assert.include(stdout, "http://127.0.0.1:1/<redacted>/v4")
        assert.notInclude(stdout + stderr, key)
      }
    })
  )
})

const of = (root: string, env: Record<string, string>) =>
  Effect.provide(ProxyInUse.of(root), ConfigProvider.layer(ConfigProvider.fromEnv({ env })))

describe("the proxy in use", () => {
  it.effect("is that of the environment for the root, without its password", () =>
    Effect.gen(function* () {
      const both = { HTTPS_PROXY: "http://user:secret@tls:3128", HTTP_PROXY: "plain:8080" }
      assert.strictEqual(yield* of("https://api.example.com/v4", {}), "none")
      assert.strictEqual(yield* of("https://api.example.com/v4", both), "tls:3128, from HTTPS_PROXY")
      assert.strictEqual(yield* of("http://api.example.com/v4", both), "plain:8080, from HTTP_PROXY")
      assert.strictEqual(yield* of("https://a.b/v4", { http_proxy: "http://x:1" }), "x:1, from http_proxy")
      assert.strictEqual(yield* of("http://127.0.0.1:1/v4", both), "none: this machine is reached directly")
      for (const [list, isUsed] of [
        ["example.com", false],
        [".example.com", false],
        ["api.example.com:443", false],
        ["api.example.com:80", true],
        ["other.com, *", false],
        ["*.api.example.com", true],
        ["example.com.", false],
        ["*example.com", true],
        ["ample.com", true]
      ] as const) {
        const said = yield* of("https://api.example.com/v4", { ...both, NO_PROXY: list })
        assert.strictEqual(said === "none: NO_PROXY has api.example.com", !isUsed, list)
      }
    })
  )
})
