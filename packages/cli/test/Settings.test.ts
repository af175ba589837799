import { assert, layer } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { readFileSync } from "node:fs"
import { codes } from "../src/program/ExitCode.ts"
import * as Variables from "../src/settings/Variables.ts"
import { folder, key, services, sluice } from "./Process.ts"

const prices = ["get", "timeseries/asset-metrics", "--assets", "btc", "--metrics", "PriceUSD", "--limit", "2"]

/** Settings that are wrong in the environment, and where the advice sends. */
const settings: ReadonlyArray<readonly [variable: string, value: string, expected: string, key: string]> = [
  ["SLUICE_LONGEST_WAIT", "600", "a duration such as 30 seconds, or Infinity", "longest_wait"],
  ["SLUICE_LONGEST_WAIT", "-1s", "a duration such as 30 seconds, or Infinity", "longest_wait"],
  ["SLUICE_IDLE_TIMEOUT", "0 seconds", "a duration above zero such as 30 seconds, or Infinity", "idle_timeout"],
  ["SLUICE_CONNECT_TIMEOUT", "0s", "a duration above zero such as 30 seconds, or Infinity", "connect_timeout"],
  ["SLUICE_MIN_BYTES_PER_SECOND", "-1", "bytes a second, a number from 0 up", "min_bytes_per_second"],
  ["SLUICE_GZIP", "perhaps", "true or false", "gzip"],
  ["SLUICE_PARALLEL", "0", "a whole number from 1 up", "parallel"],
  ["SLUICE_MAX_PAGE_BYTES", "0", "a whole number from 1 up", "max_page_bytes"],
  ["SLUICE_MAX_LINE_BYTES", "0", "a whole number from 1 up", "max_line_bytes"]
]

layer(services, { excludeTestServices: true })("settings", (it) => {
  for (const [variable, value, expected, key] of settings) {
    it.effect(`names ${variable} when it is ${value}, says what it may be, and where it is set`, () =>
      Effect.gen(function* () {
        const { code, stderr } = yield* sluice(prices, { [variable]: value })
        const next = `Change it where it is set: ${variable}, or ${key} in the config file.`
        assert.deepStrictEqual([code, stderr], [codes.usage, `sluice: ${variable}: expected ${expected}.\n${next}\n`])
      })
    )
  }

  it.effect("reads root and key from the config file, unless a flag or a variable overrides them", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const home = yield* folder
      const { communityUrl, url } = yield* Sandbox.Sandbox
      yield* fs.makeDirectory(`${home}/sluice`)
      yield* fs.writeFileString(`${home}/sluice/config.json`, JSON.stringify({ root: url, api_key: key }))
      const nothing = { SLUICE_API_KEY: "", SLUICE_BASE_URL: "" }
      const env = Object.fromEntries(Object.entries({ ...nothing, XDG_CONFIG_HOME: home }))
      const quota = (more: ReadonlyArray<string>, over: Record<string, string> = {}) =>
        Effect.map(sluice(["quota", "--json", ...more], { ...env, ...over }), ({ code, stdout }) => ({
          code,
          ...(stdout === "" ? {} : { root: JSON.parse(stdout).root, plan: JSON.parse(stdout).plan })
        }))
      assert.deepStrictEqual(yield* quota([]), { code: 0, root: url, plan: "download" })
      assert.deepInclude(yield* quota(["--root", communityUrl]), { code: 0, root: communityUrl, plan: "community" })
      assert.deepInclude(yield* quota([], { SLUICE_BASE_URL: communityUrl }), { root: communityUrl })
      assert.deepInclude(yield* quota(["--api-key", "no-such-key"]), { code: codes.key })
      yield* fs.writeFileString(`${home}/other.toml`, `root = "${communityUrl}"\n`)
      assert.deepInclude(yield* quota(["--config", `${home}/other.toml`]), { root: communityUrl })
    })
  )

  it.effect("says which root the key of the config file belongs to, when it was not sent to another", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = `${yield* folder}/config.toml`
      const { url } = yield* Sandbox.Sandbox
      yield* fs.writeFileString(file, `root = "https://example.test/v4"\napi_key = "${key}"\n`)
      const env = { SLUICE_API_KEY: "", SLUICE_BASE_URL: "" }
      const words = "The key of the config file belongs to https://example.test/v4 and was not sent to"
      for (const root of [url, "paid"]) {
        const { code, stderr } = yield* sluice(["quota", "--root", root, "--config", file], env)
        assert.deepStrictEqual([code, stderr.split("\n")[1]], [codes.key, `${words} ${root}; set SLUICE_API_KEY.`])
      }
      const own = yield* sluice(["quota", "--root", url, "--config", file, "--api-key", "no-such-key"], env)
      assert.match(own.stderr, /\nCheck the key: /)
    })
  )

  it.effect("reads numbers, text and booleans from the config file, and rejects invalid values", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = `${yield* folder}/config.toml`
      const quota = (text: string) =>
        Effect.andThen(fs.writeFileString(file, text), sluice(["quota", "--json", "--config", file]))
      const right =
        'min_bytes_per_second = 100\nparallel = 2\nmax_page_bytes = 1000000\ngzip = false\nlongest_wait = "infinity"\n'
      assert.deepInclude(yield* quota(right), { code: 0, stderr: "" })
      assert.deepInclude(yield* quota('min_bytes_per_second = "100"\ngzip = "true"\n'), { code: 0, stderr: "" })
      for (const [text, reason] of [
        ["idle_timeout = 30", "has a value for idle_timeout that is not text; put it in quotes"],
        ["root = true", "has a value for root that is not text; put it in quotes"],
        ["parallel = true", "has a value for parallel that is not a number"],
        ["gzip = 1", "has a value for gzip that is neither true nor false"]
      ] as const) {
        const { code, stderr } = yield* quota(text)
        assert.strictEqual(code, codes.usage)
        assert.strictEqual(JSON.parse(stderr).error.message, `the config file ${file} ${reason}`)
      }
    })
  )

  it.effect(
    "has its settings in the documentation and in help, by their names in the environment and the config file",
    () =>
      Effect.gen(function* () {
        const page = readFileSync(new URL("../../../docs/settings.md", import.meta.url), "utf8")
        const rows = [...page.matchAll(/^\|[^|]*\| `(SLUICE_\w+)` \| `(\w+)` \|/gm)].map(([, variable, key]) => [
          variable,
          key
        ])
        const names = Variables.all.map(({ key, variable }) => [variable, key])
        assert.sameDeepMembers(rows, names)
        const { stdout } = yield* sluice(["help", "settings"])
        for (const [variable, key] of names) assert.match(stdout, new RegExp(`^  ${variable} +${key}: `, "m"))
      })
  )

  it.effect("does not send the key of the config file to another root", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const home = yield* folder
      const { url } = yield* Sandbox.Sandbox
      yield* fs.makeDirectory(`${home}/sluice`)
      yield* fs.writeFileString(`${home}/sluice/config.toml`, `root = "https://example.com/v4"\napi_key = "${key}"\n`)
      const { code } = yield* sluice(["quota", "--root", url], {
        SLUICE_API_KEY: "",
        SLUICE_BASE_URL: "",
        XDG_CONFIG_HOME: home
      })
      assert.strictEqual(code, codes.key)
    })
  )
})
