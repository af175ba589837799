import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { RequestListener } from "node:http"
import { codes } from "../src/program/ExitCode.ts"
import { json, serve } from "../../node/test/Server.ts"
import { folder, inProcess } from "./Process.ts"

/** Clears the screen, sets the title, sends a C1 control, turns the direction, and adds a line of its own. */
const hostile = "a\u001B[2Jb\u001B]0;t\u0007c\u009B31md\u202Ee\nsluice: all is well\rf"

/** The lines, if a terminal would print and not do what stands in them. */
const linesOf = (text: string) => {
  const lines = text.split(/\r?\n/)
  for (const line of lines) assert.notMatch(line, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u, JSON.stringify(text))
  return lines
}

interface Sides {
  readonly isTerminal?: boolean
  readonly retries?: number
}

/** Runs the command over a service that does what the test says. */
const run = Effect.fnUntraced(function* (
  listener: RequestListener,
  args: ReadonlyArray<string>,
  { isTerminal, retries = 0 }: Sides = {}
) {
  const { url } = yield* serve(listener)
  const env = { SLUICE_BASE_URL: url, SLUICE_API_KEY: "zebra", NO_COLOR: "1" }
  return yield* inProcess([...args, `--retries=${retries}`], env, { isTerminal }).run
})

const refusing =
  (status: number, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers })
    response.end(JSON.stringify({ error: { type: hostile, message: `Bad parameter 'x'. ${hostile}` } }))
  }

/** Sends headers that Node.js would refuse to send. */
const odd: RequestListener = (request) => {
  request.socket.end(
    Buffer.from(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-ratelimit-limit: 6000, 6000;w=20\r\n` +
        `x-ratelimit-plan: a\u009B31mb\r\ncf-ray: a\u009B31mb\r\nconnection: close\r\n\r\n{"data":[{"asset":"a"}]}`,
      "latin1"
    )
  )
}

const record = { asset: hostile, full_name: `"${hostile}"`, [hostile]: hostile }

const giving =
  (more: object = {}): RequestListener =>
  (_request, response) =>
    json(response, { data: [record], ...more })

const assets = ["get", "reference-data/assets", "--limit=1"]

describe("text of a hostile service reaches the terminal as text:", () => {
  for (const status of [400, 401, 403, 404, 410, 429, 503]) {
    it.live(`the error of a refusal with ${status}, for people and for programs`, () =>
      Effect.gen(function* () {
        const to = yield* folder
        for (const args of [assets, ["quota"], ["download", "reference-data/assets", "--output", `${to}/new`]]) {
          const { code, stderr, stdout } = yield* run(refusing(status, { "retry-after": "0" }), args)
          assert.isAbove(code, codes.bug)
          const [first = "", ...more] = linesOf(stderr).slice(0, -1)
          assert.match(first, /^sluice: /)
          assert.isBelow(more.length, 2)
          linesOf(stdout)
          const lines = linesOf((yield* run(refusing(status, { "retry-after": "0" }), [...args, "--json"])).stderr)
          assert.strictEqual(lines.length, 2)
          assert.property(JSON.parse(lines[0]!), "error")
        }
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
    )
  }

  it.live("the message about a retry, for people and for programs", () =>
    Effect.gen(function* () {
      const again = refusing(503, { "retry-after": "1" })
      const said = /^Waits 1s and tries again: \/reference-data\/assets: unavailable \(reply\): .*Bad parameter 'x'/
      const [first = "", second = ""] = linesOf((yield* run(again, assets, { retries: 1 })).stderr)
      assert.match(first, said)
      assert.match(second, /^sluice: /)
      const [line = "", error = ""] = linesOf((yield* run(again, [...assets, "--json"], { retries: 1 })).stderr)
      assert.match(JSON.parse(line).waiting.message, said)
      assert.property(JSON.parse(error), "error")
    }).pipe(Effect.scoped)
  )

  it.live("a warning for programs, as one JSON object a line", () =>
    Effect.gen(function* () {
      const warned = giving({ warning: { type: hostile, message: hostile } })
      const { code, stderr } = yield* run(warned, [...assets, "--format=csv", "--json"])
      assert.strictEqual(code, 0)
      const lines = linesOf(stderr).slice(0, -1)
      assert.strictEqual(lines.length, 2)
      for (const line of lines) assert.isString(JSON.parse(line).warning.message)
    }).pipe(Effect.scoped)
  )

  it.live("a warning of a page, and of keys without a column", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* run(giving({ warning: { type: hostile, message: hostile } }), [
        ...assets,
        "--format=csv"
      ])
      assert.strictEqual(code, 0)
      const lines = linesOf(stderr)
      assert.strictEqual(lines.length, 3)
      for (const line of lines.slice(0, -1)) assert.match(line, /^warning: /)
    }).pipe(Effect.scoped)
  )

  it.live("the name of the plan", () =>
    Effect.gen(function* () {
      for (const more of [[], ["--json"]]) {
        const { code, stdout } = yield* run(odd, ["quota", ...more])
        assert.strictEqual(code, 0)
        linesOf(stdout)
        const plan = more.length > 0 ? JSON.parse(stdout).plan : /^ +plan +(.*)$/m.exec(stdout)?.[1]
        assert.strictEqual(plan, String.raw`a\u009b31mb`)
      }
    }).pipe(Effect.scoped)
  )

  for (const format of ["table", "csv", "ndjson"]) {
    it.live(`records as ${format} on a terminal`, () =>
      Effect.gen(function* () {
        const args = [...assets, `--format=${format}`]
        const { code, stdout } = yield* run(giving(), args, { isTerminal: true })
        assert.strictEqual(code, 0)
        const lines = linesOf(stdout)
        assert.include(stdout, String.raw`\u009b31m`)
        if (format === "ndjson") assert.deepStrictEqual(JSON.parse(lines[0]!), record)
      }).pipe(Effect.scoped)
    )
  }

  it.live("but files and pipes get every character", () =>
    Effect.gen(function* () {
      const csv = yield* run(giving(), [...assets, "--format=csv", "--columns=asset"])
      assert.strictEqual(csv.stdout, `asset\r\n"${hostile}"\r\n`)
      const ndjson = yield* run(giving(), assets)
      assert.strictEqual(ndjson.stdout, `${JSON.stringify(record)}\n`)
    }).pipe(Effect.scoped)
  )
})
