import { assert, layer } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { readFileSync } from "node:fs"
import { until } from "../../node/test/Harness.ts"
import { codes } from "../src/program/ExitCode.ts"
import { bash, folder, services, shell, sluice } from "./Process.ts"

const minutes = "get timeseries/asset-metrics --assets btc,eth --metrics PriceUSD --frequency 1m"

/** What is to be done in a shell by the documentation: blocks of it, each a line or more. */
const blocksOf = (file: string) => {
  const page = readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8")
  return [...page.matchAll(/```sh\n([\s\S]*?)```/g)]
    .map(([, block = ""]) =>
      block
        .replaceAll(/\\\n\s*/g, "")
        .trimEnd()
        .split("\n")
    )
    .filter((lines) => lines.some((line) => line.startsWith("sluice")))
}

/**
 * Runs a line as a shell would. Of one that runs the command once, and begins with it, the shell reads the words, the command runs
 * in this process with them, and the shell runs the line again with what the command has written.
 */
const runLine = Effect.fnUntraced(function* (line: string, place: string) {
  const [name, ...words] = line.split(" ")
  if (name === "sluice" && !/[^\w\s./:,=-]/.test(line)) return yield* sluice(words, {}, { folder: place })
  if (!/^sluice (?!.*\bsluice )/.test(line)) return yield* shell(line, place)
  const fs = yield* FileSystem.FileSystem
  const beside = yield* folder
  const [args, stdout] = [`${beside}/args`, `${beside}/stdout`]
  yield* bash(`sluice() { printf '%s\\0' "$@" >> "${args}"; }\n${line}`, yield* folder)
  const ran = yield* sluice((yield* fs.readFileString(args)).split("\0").slice(0, -1), {}, { folder: place })
  yield* fs.writeFileString(stdout, ran.stdout)
  const { code, stderr } = yield* bash(`sluice() { cat "${stdout}"; return ${ran.code}; }\n${line}`, place)
  return { code, stderr: `${ran.stderr}${stderr}` }
})

/** What the shell offers after these words. */
const complete = (words: ReadonlyArray<string>) => {
  const line = `COMP_LINE=${JSON.stringify(words.join(" "))} COMP_POINT=\${#COMP_LINE} COMP_CWORD=${words.length - 1}`
  const array = words.map((word) => JSON.stringify(word)).join(" ")
  return `${line}; COMP_WORDS=(${array}); COMPREPLY=(); _sluice sluice ${JSON.stringify(words.at(-1))}; echo "\${COMPREPLY[@]}"`
}

layer(services, { excludeTestServices: true })("in a shell", (it) => {
  it.effect("a closed pipe ends reading at once, with success and without a message", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const before = (yield* sandbox.stats).records
      const { code, stderr, stdout } = yield* shell(`sluice ${minutes} | head -2`, yield* folder)
      assert.deepStrictEqual([code, stderr, stdout.split("\n").length], [0, "", 3])
      // Ten million were asked for: what was written is what fits into buffers on the way.
      assert.isBelow((yield* sandbox.stats).records - before, 1_000_000)
      // The service hears a moment later that the connection is closed.
      yield* until(sandbox.stats, ({ running }) => running === 0)
    })
  )

  it.effect("a limit requests no more than it needs", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const before = yield* sandbox.stats
      const { stdout } = yield* sluice([...minutes.split(" "), "--limit", "7"])
      const after = yield* sandbox.stats
      assert.strictEqual(stdout.trimEnd().split("\n").length, 7)
      assert.deepStrictEqual([after.requests - before.requests, after.records - before.records], [1, 7])
    })
  )

  it.effect("a closed pipe of events does not end the download", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const place = yield* folder
      const prices = "download timeseries/asset-metrics --assets btc,eth --metrics PriceUSD"
      const days = "--start_time 2024-01-01 --end_time 2024-06-30 --split assets --every 10d"
      const { code, stdout } = yield* shell(`sluice ${prices} ${days} --output all --json | head -1`, place)
      assert.deepInclude(JSON.parse(stdout), { _tag: "Started", parts: 38 })
      const files = (yield* fs.readDirectory(`${place}/all`)).filter((name) => name.endsWith(".ndjson"))
      assert.deepStrictEqual([code, files.length], [0, 38])
    })
  )

  it.effect("a full disk is reported, with a code of its own", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* shell(`sluice ${minutes} --limit 100 > /dev/full`, yield* folder)
      assert.strictEqual(code, codes.system)
      assert.match(stderr, /^sluice: standard output cannot be written: ENOSPC\.\n/)
    })
  )

  it.effect("colours are for terminals, unless they are forced", () =>
    Effect.gen(function* () {
      const plain = yield* sluice(["endpoints", "taxonomy"])
      assert.notInclude(plain.stdout, "\u001B")
      const forced = yield* sluice(["endpoints", "taxonomy"], { FORCE_COLOR: "1" })
      assert.include(forced.stdout, "\u001B[36m")
      const both = yield* sluice(["endpoints", "taxonomy"], { FORCE_COLOR: "1", NO_COLOR: "1" })
      assert.strictEqual(both.stdout, plain.stdout)
    })
  )

  it.effect("the completions of bash offer commands, endpoints and parameters", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* shell(
        [
          'eval "$(sluice completions bash)"',
          complete(["sluice", "desc"]),
          complete(["sluice", "get", "timeseries/asset-metrics", "--start_t"]),
          complete(["sluice", "get", "blockchain-v2/{asset}/sub-"])
        ].join("\n"),
        yield* folder
      )
      assert.deepStrictEqual(
        [code, ...stdout.trimEnd().split("\n")],
        [0, "describe", "--start_time", "blockchain-v2/{asset}/sub-accounts"]
      )
    })
  )

  for (const file of [
    "README.md",
    "docs/command-line.md",
    "docs/datasets.md",
    "packages/promise/README.md",
    "packages/site/SKILL.md"
  ]) {
    for (const block of blocksOf(file)) {
      it.effect(`the commands of ${file} run: ${block[0]}`, () =>
        Effect.gen(function* () {
          const place = yield* folder
          for (const line of block) {
            const { code, stderr } = yield* runLine(line, place)
            assert.strictEqual(code, 0, `${line}\n${stderr}`)
          }
        })
      )
    }
  }

  it.effect("the examples of the help run", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const place = yield* folder
      for (const args of [
        ["--help"],
        ["get", "--help"],
        ["get", "taxonomy/assets", "--help"],
        ["download", "--help"]
      ]) {
        const { stdout } = yield* sluice(args)
        const examples = stdout.slice(stdout.indexOf("\nExamples\n")).match(/^ {2}sluice .*$/gm) ?? []
        assert.isNotEmpty(examples)
        for (const [index, example] of examples.entries()) {
          // Each download in a folder of its own, but for the one that goes on with the first.
          const goesOn = example.includes("--resume")
          const own = `${place}/${args.join("-")}-${goesOn ? 0 : index}`
          yield* fs.makeDirectory(own, { recursive: true })
          const { code, stderr } = yield* runLine(example.trim(), own)
          assert.strictEqual(code, 0, `${example}\n${stderr}`)
        }
      }
    })
  )
})
