import { assert, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as GroupCommands from "../src/commands/GroupCommands.ts"
import * as EndpointIndex from "../src/endpoints/EndpointIndex.ts"
import { codes } from "../src/program/ExitCode.ts"
import { key, services, sluice } from "./Process.ts"

const startOf = (accounts: string) =>
  ["jobs", "start", "balance-updates", "--assets", "btc", "--accounts", accounts].concat([
    "--start_height",
    "700000",
    "--end_height",
    "700004"
  ])

const idOf = (stdout: string): string => stdout.trimEnd()

const results = (id: string) => sluice(["jobs", "results", "balance-updates", id])

it("takes a word for each operation that starts jobs", () => {
  assert.deepStrictEqual([...GroupCommands.kinds], [...EndpointIndex.jobs.keys()])
})

layer(services, { excludeTestServices: true })("jobs", (it) => {
  it.effect("starts a job, shows its status, waits for it and writes its records", () =>
    Effect.gen(function* () {
      const started = yield* sluice(startOf("treasury-btc"))
      assert.deepStrictEqual([started.code, started.stderr], [0, ""])
      const id = idOf(started.stdout)
      assert.match(id, /^[\w-]+$/)
      const shown = yield* sluice(["jobs", "status", id])
      assert.include(JSON.parse(shown.stdout), { id })
      const { code, stderr, stdout } = yield* sluice(["jobs", "results", "balance-updates", id])
      assert.deepStrictEqual([code, stderr], [0, ""])
      const heights = stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).height)
      assert.deepStrictEqual(heights, ["700000", "700001", "700002", "700003", "700004"])
      assert.notInclude(`${started.stdout}${shown.stdout}${stdout}`, key)
      const csv = yield* sluice(["jobs", "results", "balance-updates", id, "--format", "csv", "--columns", "height"])
      assert.strictEqual(csv.stdout, `${["height", ...heights].join("\r\n")}\r\n`)
    })
  )

  it.effect("prints the id of a job as JSON where JSON is asked for", () =>
    Effect.gen(function* () {
      const { stdout } = yield* sluice([...startOf("treasury-btc"), "--json"])
      assert.match(JSON.parse(stdout).id, /^[\w-]+$/)
    })
  )

  it.effect("prints the jobs that there are, and then names one that the service does not list", () =>
    Effect.gen(function* () {
      const id = idOf((yield* sluice(startOf("treasury-btc"))).stdout)
      const { code, stderr, stdout } = yield* sluice(["jobs", "status", id, "nosuch"])
      assert.include(JSON.parse(stdout), { id })
      assert.strictEqual(code, codes.missing)
      assert.match(stderr, /the service knows no job nosuch\.\nCheck the id/)
    })
  )

  it.effect("says that a job may be of another kind where its records cannot be read", () =>
    Effect.gen(function* () {
      const updates = yield* results(idOf((yield* sluice(startOf("treasury-btc"))).stdout))
      const { txid } = JSON.parse(updates.stdout.split("\n")[0] ?? "")
      const started = yield* sluice(["jobs", "start", "transactions", "--assets", "btc", "--txids", txid])
      const { code, stderr } = yield* results(idOf(started.stdout))
      assert.strictEqual(code, codes.reply)
      assert.match(stderr, /or the job is of another kind\.\n$/)
    })
  )

  it.effect.each(GroupCommands.kinds)("is described with its parameters, its records and a command: %s", (kind) =>
    Effect.gen(function* () {
      const { code, stdout } = yield* sluice(["describe", `blockchain-job/${kind}`])
      assert.strictEqual(code, 0)
      assert.include(stdout, `PUT /blockchain-job/${kind}`)
      assert.include(stdout, "--assets")
      assert.include(stdout, "Record ")
      assert.include(stdout, `sluice jobs start ${kind} --assets btc`)
      const data = JSON.parse((yield* sluice(["describe", `/blockchain-job/${kind}`, "--json"])).stdout)
      assert.deepInclude(data, { path: `blockchain-job/${kind}`, splitsByTime: false })
    })
  )

  it.effect.each(GroupCommands.kinds)("help lists its parameters, and only those: start %s", (kind) =>
    Effect.gen(function* () {
      const { code, stdout } = yield* sluice(["jobs", "start", kind, "--help"])
      assert.strictEqual(code, 0)
      const parameters = EndpointIndex.jobs.get(kind)?.endpoint.parameters.keys() ?? []
      const listed = (stdout.split("\nParameters\n")[1] ?? "").split("\n\n")[0] ?? ""
      assert.deepStrictEqual(
        [...listed.matchAll(/^ {2}--(\w+)/gm)].map(([, name]) => name),
        [...parameters]
      )
      assert.include(stdout, `sluice jobs start ${kind} --assets btc`)
    })
  )

  it.effect("help without a kind says how to list the parameters of one", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* sluice(["jobs", "start", "--help"])
      assert.strictEqual(code, 0)
      assert.include(stdout.replaceAll(/\s+/g, " "), "`sluice jobs start <kind> --help` lists the parameters")
      for (const kind of GroupCommands.kinds) assert.include(stdout, `sluice jobs start ${kind} --assets btc`)
    })
  )

  it.effect("ends with a sentence and a code where there is no result to come", () =>
    Effect.gen(function* () {
      const expired = yield* results("sandbox-expired")
      assert.strictEqual(expired.code, codes.missing)
      assert.match(expired.stderr, /sandbox-expired have expired/)
      assert.strictEqual((yield* results("sandbox-failed")).code, codes.missing)
      assert.strictEqual((yield* results("a,b")).code, codes.usage)
      const bare = ["jobs", "start", "account-balances", "--assets", "btc", "--accounts", "a"]
      const missing = yield* sluice(bare)
      assert.strictEqual(missing.code, codes.usage)
      assert.include(missing.stderr, "`sluice describe blockchain-job/account-balances` lists its parameters")
      assert.notInclude(missing.stderr, "Add --;")
      const none = yield* sluice(bare.slice(0, 5))
      assert.include(
        none.stderr,
        "Add --accounts; `sluice describe blockchain-job/account-balances` lists its parameters"
      )
    })
  )
})
