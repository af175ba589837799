import { assert, describe, it, layer } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Client from "@sluice/core/Client"
import * as Root from "@sluice/core/Root"
import { Dialect, Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as fs from "node:fs"
import * as TestMode from "../../core/test/TestMode.ts"
import * as Virtual from "../../core/test/Virtual.ts"
import { codes } from "../src/program/ExitCode.ts"
import type { Question } from "../src/service/Question.ts"
import * as Report from "../src/service/Report.ts"
import * as Service from "../src/service/Service.ts"
import * as Survey from "../src/service/Survey.ts"
import { plain } from "../src/terminal/Style.ts"
import { inProcess } from "./Process.ts"

const key = "canary7xq2vk9zw4t"

interface Asked extends Sandbox.Options {
  readonly questions?: ReadonlyArray<Question>
  readonly isCommunity?: boolean
  readonly fault?: string
  readonly licence?: { readonly withoutPaths: ReadonlyArray<string> }
}

/** Asks a stand-in in memory whose data moves. */
const survey = ({ fault, isCommunity, licence = { withoutPaths: [] }, questions, ...options }: Asked = {}) =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.Sandbox
    const paid = fault === undefined ? sandbox.url : sandbox.faultUrl(fault)
    const client = isCommunity
      ? Client.layer({ root: sandbox.communityUrl })
      : Client.layer({ root: paid, apiKey: Redacted.make(key) })
    const report = yield* Effect.provide(Survey.run(questions), Layer.provideMerge(Service.layer, client))
    const answers = Object.fromEntries(report.findings.map(({ answer, name }) => [name, answer]))
    return { report, answers, stats: yield* sandbox.stats }
  }).pipe(
    Effect.provide(
      Sandbox.layerMemory({
        live: { speed: 1 },
        ...options,
        keys: { [key]: { plan: options.plan ?? "download", licence } }
      })
    ),
    (asked) => Virtual.run(asked)
  )

const text = (report: Survey.Report) => Report.lines(report, { columns: 80, isTerminal: false, style: plain })

const questionsOf = (...names: ReadonlyArray<string>) => Survey.questions.filter(({ name }) => names.includes(name))

/** The dialect and the contradictions. */
const told = (report: Survey.Report) => [report.dialect, Report.contradicting(report)]

/** The words of a question but for the usual one. */
const others = Dialect.names.flatMap((name) =>
  Dialect.questions[name].words.slice(1).map((word) => [name, word] as const)
)

describe("the questions", () => {
  it("are about one assumption each: at least forty, and each question of the dialect that can be asked read-only", () => {
    const names = Survey.questions.map(({ name }) => name)
    assert.isAtLeast(names.length, 40)
    assert.strictEqual(new Set(names).size, names.length)
    for (const name of Dialect.names) assert.strictEqual(names.includes(name), Survey.unasked[name] === undefined, name)
    const pages = fs.readFileSync(new URL("../../../docs/interface.md", import.meta.url), "utf8")
    for (const { contradictions, name, section, words } of Survey.questions) {
      assert.match(pages, new RegExp(`^#+ ${section} `, "m"), name)
      assert.isAtLeast(words.length, 1, name)
      for (const word of Object.keys(contradictions)) assert.notInclude(words, word, name)
    }
  })
})

describe("a survey", () => {
  it.effect("of a service with the better supported answers contradicts nothing, in few requests", () =>
    Effect.gen(function* () {
      const { answers, report, stats } = yield* survey()
      assert.deepStrictEqual(told(report), ["", []])
      assert.strictEqual(report.requests, stats.requests)
      assert.isBelow(report.requests, 100)
      const open = Survey.questions.filter(({ name }) => ["unclear", "forbidden"].includes(answers[name] ?? ""))
      assert.deepStrictEqual(
        open.map(({ name }) => name),
        []
      )
      const lines = text(report)
      assert.strictEqual(lines.at(-1), "dialect: the better supported answers throughout")
      for (const line of lines) assert.isAtMost(line.length, 100)
    })
  )

  for (const [name, word] of others) {
    const questions = questionsOf(name)
    if (questions.length === 0) continue
    it.effect(`names ${name}=${word}`, () =>
      Effect.gen(function* () {
        const isCommunity = name === "disabledParameters"
        const { report } = yield* survey({ dialect: { [name]: word }, questions, isCommunity })
        assert.strictEqual(report.dialect, `${name}=${word}`)
        assert.isAtMost(report.requests, 5)
      })
    )
  }

  it.effect("names whatever dialect the service speaks", () =>
    Effect.gen(function* () {
      for (const seed of TestMode.seeds(1, 10)) {
        const dialect = Dialect.draw(seed)
        const isCommunity = seed % 3 === 0
        const { answers, report, stats } = yield* survey({ dialect, isCommunity })
        const unknown = ["not asked", "implied", ...(isCommunity ? ["forbidden"] : [])]
        const asked = Object.entries(dialect).filter(([name]) => !unknown.includes(answers[name] ?? ""))
        assert.deepStrictEqual(told(report), [Dialect.format(Object.fromEntries(asked)), []], `seed ${seed}`)
        assert.isBelow(stats.requests, 200)
      }
    })
  )

  it.effect("stays below the smallest plan, whatever the headers say of it", () =>
    Effect.gen(function* () {
      for (const rateLimitHeaders of Dialect.questions.rateLimitHeaders.words) {
        const { stats } = yield* survey({
          plan: "trial",
          dialect: { rateLimitHeaders },
          questions: Survey.questions.slice(0, 25)
        })
        assert.isAbove(stats.requests, 20)
        assert.strictEqual(stats.rejected, 0)
      }
    })
  )

  it.effect("of the community root needs no key, and asks no live streams", () =>
    Effect.gen(function* () {
      const { answers, report, stats } = yield* survey({ isCommunity: true })
      assert.deepStrictEqual([report.plan, ...told(report)], ["community", "", []])
      assert.deepInclude(answers, {
        community: "yes",
        disabledParameters: "reject",
        protocolWarnings: "forbidden",
        wrongKey: "not asked",
        sequence: "not asked"
      })
      assert.deepStrictEqual([stats.rejected, stats.opened], [0, 0])
    })
  )

  it.effect("tells what a key may not read", () =>
    Effect.gen(function* () {
      const withoutPaths = ["/timeseries/market-orderbooks", "/timeseries-stream/market-orderbooks"]
      const { answers } = yield* survey({ licence: { withoutPaths } })
      for (const name of [
        "bookUpdates",
        "bookType",
        "startWithSnapshot",
        "bookSnapshots",
        "bookStart",
        "leavingLevels"
      ]) {
        assert.strictEqual(answers[name], "forbidden", name)
      }
      assert.strictEqual(answers["limit"], "paging_from")
    })
  )

  it.effect("tells what a user would notice of an answer that contradicts the client", () =>
    Effect.gen(function* () {
      const { report } = yield* survey({ fault: "reversed", questions: questionsOf("seriesOrder") })
      assert.deepStrictEqual(Report.contradicting(report), ["seriesOrder"])
      assert.match(
        text(report).join("\n"),
        /^seriesOrder +other +12\.1 +contradicts what sluice relies on: Reads warn/m
      )
    })
  )

  it.effect("has no part of the key in its report, even where the service repeats it", () =>
    Effect.gen(function* () {
      const questions = [...Survey.questions.slice(0, 25), ...Survey.questions.slice(-6)]
      const { report } = yield* survey({ fault: "echo-key,live-echo-key", questions })
      const all = `${JSON.stringify(report)}${text(report).join("\n")}`
      for (let at = 0; at + 6 <= key.length; at++) assert.notInclude(all, key.slice(at, at + 6))
    })
  )
})

/** A key that reads neither books nor live streams, about which a survey waits for time to pass. */
const stream = ["market-quotes", "market-orderbooks", "market-candles", "market-trades"]
const quick = {
  plan: "download",
  licence: { withoutPaths: stream.map((name) => `/timeseries-stream/${name}`) }
} as const

const doctor = (root: string, args: ReadonlyArray<string> = []) => {
  const env = { SLUICE_BASE_URL: root, SLUICE_API_KEY: key, HOME: "/nonexistent", NO_COLOR: "1" }
  return inProcess(["doctor", "--service", ...args], env).run
}

layer(Layer.mergeAll(Sandbox.layer({ keys: { [key]: quick } }), NodeServices.layer), { excludeTestServices: true })(
  "sluice doctor --service",
  (it) => {
    it.effect("prints the checks, the answers and the dialect, and ends with 0", () =>
      Effect.gen(function* () {
        const { url } = yield* Sandbox.Sandbox
        const { code, stderr, stdout } = yield* doctor(url)
        assert.deepStrictEqual([code, stderr], [0, ""])
        assert.match(stdout, /^ok {4}key {7}accepted/m)
        assert.match(stdout, /^gzip +yes +2\.7$/m)
        assert.match(stdout, /\ndialect: the better supported answers throughout\n$/)
        assert.notInclude(stdout, key)
      })
    )

    it.effect("ends with 8 where an answer contradicts what the client relies on", () =>
      Effect.gen(function* () {
        const { faultUrl } = yield* Sandbox.Sandbox
        const { code, stderr, stdout } = yield* doctor(faultUrl("reversed"), ["--json"])
        const { service } = JSON.parse(stdout)
        assert.strictEqual(code, codes.reply)
        assert.deepInclude(
          service.findings.find(({ name }: Survey.Finding) => name === "seriesOrder"),
          { answer: "other", section: "12.1" }
        )
        assert.match(stderr, /checks failed: .*seriesOrder/)
      })
    )

    it.effect("asks the community root where there is neither a key nor a root", () =>
      Effect.gen(function* () {
        const env = { HOME: "/nonexistent", HTTPS_PROXY: "http://127.0.0.1:1", NO_COLOR: "1" }
        const { code, stdout } = yield* inProcess(["doctor", "--service"], env).run
        assert.strictEqual(code, codes.network)
        assert.include(stdout, `root      ${Root.community.url}\n`)
        assert.include(stdout, "key       none is needed")
      })
    )

    it.effect("asks nothing where a check failed", () =>
      Effect.gen(function* () {
        const { stats } = yield* Sandbox.Sandbox
        const { url } = yield* Sandbox.Sandbox
        const before = (yield* stats).requests
        const { code, stdout } = yield* doctor(url, ["--api-key", "no-such-key"])
        assert.deepStrictEqual([code, (yield* stats).requests], [codes.key, before + 1])
        assert.notInclude(stdout, "dialect:")
      })
    )
  }
)
