import { assert, layer } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import { readFileSync } from "node:fs"
import { codes } from "../src/program/ExitCode.ts"
import { until } from "../../node/test/Harness.ts"
import { environment, folder, inProcess, key, type Ran, services, sluice, sluiceProcess } from "./Process.ts"

const prices = ["get", "timeseries/asset-metrics", "--assets", "btc", "--metrics", "PriceUSD", "--limit", "2"]

/** Faults of the service, and the code each ends with. */
const faults: ReadonlyArray<readonly [fault: string, kind: keyof typeof codes, next: RegExp]> = [
  ["status=401", "key", /^Check the key: SLUICE_API_KEY/m],
  ["status=403", "licence", /^The licence of this key/m],
  ["status=404", "missing", /^Check the names in the request/m],
  ["status=410", "missing", /is gone \(410\)[^\n]*\n`sluice endpoints` lists the endpoints\.$/m],
  ["status=400", "usage", /^`sluice describe/m],
  ["status=429", "rate", /; sent once[^\n]*\n.*`sluice quota`/],
  ["status=429;retry-after=3600", "rate", /wait 1h, longer than the longest wait of 5m.*\n.*SLUICE_LONGEST_WAIT/],
  ["status=503", "network", /^Try again later\./m],
  ["status=503;retry-after=3600", "network", /wait 1h, longer than the longest wait of 5m.*\n.*SLUICE_LONGEST_WAIT/],
  ["reset", "network", /^Try again later\./m]
]

/** The service names each reply anew. */
const withoutTrace = (ran: Ran): Ran => ({ ...ran, stderr: ran.stderr.replace(/ \(trace [\w-]+\)/, "") })

layer(services, { excludeTestServices: true })("what goes wrong", (it) => {
  it.effect("names the limit that a reply exceeded, and where to set it", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* sluice(prices, { SLUICE_MAX_PAGE_BYTES: "10" })
      assert.strictEqual(code, codes.reply)
      const next =
        "If the reply is right, raise the limit: SLUICE_MAX_PAGE_BYTES, or max_page_bytes in the config file."
      assert.strictEqual(stderr.split("\n")[1], next)
    })
  )

  const pasted = "https://user:s3cr3t@api.example.test/v4/x?a=b&api_key=s3cr3t&c=d"
  const places: ReadonlyArray<ReadonlyArray<string>> = [
    ["get", pasted],
    ["describe", pasted],
    [pasted],
    ["quota", pasted],
    [...prices, "--root", pasted],
    [...prices, "--root", pasted.replace("https:", "https")],
    [...prices, "--start_time", pasted],
    [...prices, "--page_size", pasted],
    [...prices, "--columns", pasted, "--format", "csv"],
    [...prices, "--config", pasted],
    [...prices.with(0, "download").slice(0, -2), "--output", "x", "--every", pasted]
  ]
  for (const args of places) {
    it.effect(`does not print the key of a URL that was pasted: \`${args.join(" ").replace(pasted, "<url>")}\``, () =>
      Effect.gen(function* () {
        for (const words of [args, [...args, "--json"]]) {
          const { code, stderr, stdout } = yield* sluice(words)
          assert.notInclude(stderr + stdout, "s3cr3t")
          assert.strictEqual(code, codes.usage)
        }
      })
    )
  }

  for (const [fault, kind, next] of faults) {
    it.effect(`ends with the code of ${kind} when the service answers with ${fault}`, () =>
      Effect.gen(function* () {
        const sandbox = yield* Sandbox.Sandbox
        const env = { SLUICE_BASE_URL: sandbox.faultUrl(fault) }
        const { code, stderr, stdout } = yield* sluice([...prices, "--retries", "0"], env)
        assert.deepStrictEqual([code, stdout], [codes[kind], ""])
        assert.match(stderr, next)
        const json = yield* sluice([...prices, "--retries", "0", "--json"], env)
        assert.deepInclude(JSON.parse(json.stderr).error, { kind, exit: codes[kind] })
        assert.deepStrictEqual([json.code, json.stdout], [codes[kind], ""])
      })
    )
  }

  it.effect("names the address where nobody listens, and what to check", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* sluice(["quota", "--root", "http://127.0.0.1:1/v4", "--retries", "0"])
      assert.strictEqual(code, codes.network)
      assert.match(
        stderr,
        /refused the connection\.\nIs `sluice sandbox` running\? Otherwise check the network, and that the root/
      )
    })
  )

  it.effect("says where a key can be set when there is none", () =>
    Effect.gen(function* () {
      for (const empty of ["", " "]) {
        const { code, stderr } = yield* sluice(["quota"], { SLUICE_BASE_URL: "paid", SLUICE_API_KEY: empty })
        assert.strictEqual(code, codes.key)
        assert.match(stderr, /^sluice: https:[^\n]* needs a key/)
        assert.match(stderr, /\nSet SLUICE_API_KEY, put api_key into the config file, or use `--root community`\.\n$/)
      }
    })
  )

  it.effect("says that no key was sent to a root that asks for one, and names the variable that set a wrong root", () =>
    Effect.gen(function* () {
      const bare = yield* sluice(["quota"], { ...(yield* environment), SLUICE_API_KEY: "" })
      assert.strictEqual(bare.code, codes.key)
      assert.match(bare.stderr, /\nNo key was sent: set SLUICE_API_KEY, or api_key in the config file\.\n$/)
      const wrong = yield* sluice(["quota"], { SLUICE_BASE_URL: "example.com/v4" })
      assert.match(
        wrong.stderr,
        /^sluice: SLUICE_BASE_URL: "example.com\/v4" [^;]*; did you mean "https:\/\/example.com\/v4"\?\n/
      )
    })
  )

  for (const args of [prices, [...prices.with(0, "download").slice(0, -2), "--output", "/nonexistent/new"]]) {
    it.effect(`says with --json that it waits, as a JSON object of standard error: ${args[0]}`, () =>
      Effect.gen(function* () {
        const sandbox = yield* Sandbox.Sandbox
        const env = {
          ...(yield* environment),
          SLUICE_BASE_URL: sandbox.faultUrl("status=429;retry-after=60")
        }
        const { outputs, run } = inProcess([...args, "--json"], env)
        const waiting = yield* Effect.forkChild(run)
        const said = yield* until(Effect.sync(outputs.stderr), (text) => text.includes("\n"))
        assert.match(JSON.parse(said.split("\n")[0] ?? "").waiting.message, /^Waits 1m /)
        yield* Fiber.interrupt(waiting)
      })
    )
  }

  it.effect("says what an unexpected reply had", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const env = { SLUICE_BASE_URL: sandbox.faultUrl("wrong-type=time") }
      const { code, stderr } = yield* sluice([...prices, "--retries", "0"], env)
      assert.strictEqual(code, codes.reply)
      assert.match(stderr, /unexpected reply/)
    })
  )

  it.effect("has the same message and code in a process of its own, with nothing on standard output and no key", () =>
    Effect.gen(function* () {
      const env = { SLUICE_API_KEY: "no-such-key-zebra" }
      for (const args of [prices, ["get", "zebra", "--json"]]) {
        const ran = yield* sluiceProcess(args, env)
        assert.deepStrictEqual(withoutTrace(ran), withoutTrace(yield* sluice(args, env)))
        assert.deepStrictEqual([ran.code, ran.stdout], [args === prices ? codes.key : codes.usage, ""])
        assert.notInclude(ran.stderr, "no-such-key")
      }
    })
  )

  it.effect("never prints the key, whatever its source, valid or not", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const home = yield* folder
      yield* fs.makeDirectory(`${home}/sluice`)
      const { url } = yield* Sandbox.Sandbox
      const file = `${home}/sluice/config.toml`
      const runs = []
      for (const secret of [key, "no-such-key-zebra"]) {
        runs.push(yield* sluice([...prices], { SLUICE_API_KEY: secret }))
        runs.push(yield* sluice([...prices, "--api-key", secret], { SLUICE_API_KEY: "" }))
        runs.push(yield* sluice(["quota", "--json", `--api-key=${secret}`]))
        runs.push(yield* sluice([...prices, "--apikey", secret]))
        runs.push(yield* sluice([...prices, `--apikey=${secret}`]))
        runs.push(yield* sluice(["--apikey", secret, ...prices]))
        const fromFile = { SLUICE_API_KEY: "", SLUICE_BASE_URL: "", XDG_CONFIG_HOME: home }
        for (const text of [
          `root = "${url}"\napi_key = "${secret}"\n`,
          `api_key = "${secret}\n`,
          `api_key = ${secret}\n`,
          `api_kye = "${secret}"\n`,
          `{"api_key": "${secret}"`
        ]) {
          yield* fs.writeFileString(file, text)
          runs.push(yield* sluice([...prices], fromFile))
        }
      }
      const codesSeen = new Set(runs.map(({ code }) => code))
      assert.includeMembers([...codesSeen], [0, codes.usage, codes.key])
      for (const { stderr, stdout } of runs) {
        assert.notInclude(stdout + stderr, key)
        assert.notInclude(stdout + stderr, "zebra")
        assert.notInclude(stdout + stderr, "bug of sluice")
      }
    })
  )

  it.effect("suggests /v4 when a root without it answers 404", () =>
    Effect.gen(function* () {
      const { url } = yield* Sandbox.Sandbox
      const root = url.replace(/\/v4$/, "")
      const { code, stderr } = yield* sluice([...prices, "--root", root, "--retries", "0"])
      assert.strictEqual(code, codes.missing)
      assert.strictEqual(
        stderr.split("\n")[1],
        `Does the root ${root} lack /v4? If not, check the names in the request.`
      )
    })
  )

  it.effect("has its exit codes in the documentation, each with its category", () =>
    Effect.sync(() => {
      const page = readFileSync(new URL("../../../docs/command-line.md", import.meta.url), "utf8")
      const rows = [...page.matchAll(/^\| (\d+) \| (\w+) \|/gm)].map(([, code, kind]) => [kind, Number(code)])
      assert.deepStrictEqual(Object.fromEntries(rows), codes)
    })
  )
})
