import { assert, describe, it } from "@effect/vitest"
import { BlockchainJobs, type Client, Endpoints, Job, JobError } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as FakeApi from "../FakeApi.ts"
import * as Fixtures from "../Fixtures.ts"
import * as JobScript from "./JobScript.ts"
import * as Virtual from "../Virtual.ts"
import * as TestLog from "../TestLog.ts"

const { balances, done, gzOf, job, running, started } = JobScript

describe("Fixtures of jobs", () => {
  it("are one for every operation that starts jobs, and for no other path", () => {
    assert.deepStrictEqual(
      Fixtures.jobs.map(({ path }) => path).toSorted(),
      Endpoints.jobs.map(({ path }) => path).toSorted()
    )
  })
})

describe.each(Fixtures.jobs.map((fixture) => [fixture.path, fixture] as const))("%s", (path, fixture) => {
  const operation = Endpoints.jobs.find((one) => one.path === path)!

  it.effect.each(fixture.replies)("starts a job, waits and gives its records: $name", ({ body, query }) =>
    Effect.gen(function* () {
      const api = JobScript.api([started, running, done(1), gzOf(body.data)])
      const records = yield* Stream.runCollect(operation(Fixtures.paramsOf(path, query))).pipe(
        Effect.provide(api.layer(JobScript.patient)),
        JobScript.drive
      )
      assert.deepStrictEqual<unknown>(records, body.data)
      assert.deepStrictEqual(
        api.seen.map(({ method, target }) => `${method} ${target}`),
        [`PUT ${path}`, "GET /jobs?ids=job-1", "GET /jobs?ids=job-1", "GET /0.json.gz?signature=s"]
      )
      assert.deepStrictEqual(Object.fromEntries(api.seen[0]!.form), Fixtures.queryOf(path, query))
      assert.include(api.seen[0]!.headers["content-type"], "application/x-www-form-urlencoded")
    })
  )

  it.effect.each(fixture.broken)("refuses: $name", ({ at, body }) =>
    Effect.gen(function* () {
      const api = JobScript.api([done(1), ...Array(3).fill(gzOf(body.data as ReadonlyArray<unknown>))])
      const error = yield* Stream.runDrain(operation.results("job-1")).pipe(
        Effect.flip,
        Effect.provide(api.layer(JobScript.patient)),
        JobScript.drive
      )
      assert.deepInclude(error, { _tag: "JobUnread", id: "job-1", endpoint: path } as const)
      const cause = error._tag === "JobUnread" ? error.error : undefined
      assert.deepInclude(cause, { _tag: "Decode", line: 1, path: at } as const)
    })
  )
})

const ask = { assets: "btc", accounts: ["a", "b"], at_height: 1 }

const submit = (script: ReadonlyArray<FakeApi.Script>, options?: Client.Options) =>
  Effect.gen(function* () {
    const api = JobScript.api(script)
    const result = yield* BlockchainJobs.accountBalances
      .submit(ask)
      .pipe(Effect.result, Effect.provide(api.layer(options)), Virtual.run)
    return { api, error: result._tag === "Failure" ? result.failure : undefined, result }
  })

const cut = (code: string) => Effect.fail(new FakeApi.Cut({ code }))

describe("Starting a job", () => {
  it.effect("asks for the whole of the day that a range ends with, to its last moment", () =>
    Effect.gen(function* () {
      const api = JobScript.api([started])
      const range = { start_time: "2024-02-28", end_time: "2024-02-29" }
      yield* BlockchainJobs.balanceUpdates
        .submit({ assets: "btc", accounts: "a", ...range })
        .pipe(Effect.provide(api.layer()), Virtual.run)
      assert.deepStrictEqual(Object.fromEntries(api.seen[0]!.form), {
        assets: "btc",
        accounts: "a",
        start_time: "2024-02-28",
        end_time: "2024-02-29T23:59:59.999999999"
      })
    })
  )

  it.effect.each(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"])(
    "is repeated after %s, with which nothing was sent",
    (code) =>
      Effect.gen(function* () {
        const { api, result } = yield* submit([cut(code), started])
        assert.strictEqual(result._tag === "Success" ? result.success.id : "", "job-1")
        assert.strictEqual(api.seen.length, 2)
      })
  )

  it.effect("is not repeated after ENOTFOUND, which does not pass, and was not sent", () =>
    Effect.gen(function* () {
      const { api, error } = yield* submit([cut("ENOTFOUND")])
      assert.deepInclude(error, { _tag: "Unavailable", phase: "connect" } as const)
      assert.strictEqual(api.seen.length, 1)
    })
  )

  it.effect.each(["ECONNRESET", "ETIMEDOUT", "EPIPE", "UND_ERR_SOCKET", "HPE_INVALID_CONSTANT", "ESOMETHING"])(
    "says that a job may be running after %s, and sends nothing more",
    (code) =>
      Effect.gen(function* () {
        const { api, error } = yield* submit([cut(code)])
        assert.deepInclude(error, { _tag: "JobUnconfirmed", endpoint: "/blockchain-job/account-balances" } as const)
        assert.match(String(error?.message), /a job may be running/)
        assert.strictEqual(api.seen.length, 1)
      })
  )

  it.effect.each([408, 500, 502, 504, 520, 522, 524, 201, 202, 204])(
    "says that a job may be running after status %i",
    (status) =>
      Effect.gen(function* () {
        const { api, error } = yield* submit([{ status, body: "" }])
        assert.deepInclude(error, { _tag: "JobUnconfirmed", status } as const)
        assert.strictEqual(api.seen.length, 1)
      })
  )

  it.effect.each([
    ["no JSON", "<html>"],
    ["cut off", '{"job_id":"jo'],
    ["empty", ""],
    ["without an id", "{}"],
    ["with an id that is no text", '{"job_id":7,"job_url":""}'],
    ["with an empty id", '{"job_id":"","job_url":""}'],
    ["with an id that is a list", '{"job_id":"a,b","job_url":""}'],
    ["with an id that acts on a terminal", '{"job_id":"\\u001b[2J","job_url":""}'],
    ["with an id of a megabyte", JSON.stringify({ job_id: "x".repeat(900_000) })],
    ["with more than a megabyte", JSON.stringify({ job_id: "x", job_url: "y".repeat(2_000_000) })],
    ["with an error of no known type", '{"error":{"type":"boom","message":"?"}}'],
    ["broken off", ["{", FakeApi.cut] as const],
    ["silent after its head", ["{", Effect.never] as const]
  ] as ReadonlyArray<readonly [string, string | ReadonlyArray<FakeApi.Piece>]>)(
    "says that a job may be running after a reply that is %s",
    ([, body]) =>
      Effect.gen(function* () {
        const { api, error } = yield* submit([{ body }])
        assert.strictEqual(error?._tag, "JobUnconfirmed")
        assert.isBelow(String(error?.message).length, 400)
        assert.strictEqual(api.seen.length, 1)
        assert.strictEqual(yield* api.open, 0)
      })
  )

  it.effect("says so too when no reply comes in time", () =>
    Effect.gen(function* () {
      const { error } = yield* submit([Effect.never])
      assert.strictEqual(error?._tag, "JobUnconfirmed")
    })
  )

  it.effect("is repeated after a whole 429 and a whole 503, no sooner than they ask", () =>
    Effect.gen(function* () {
      const wait = { "retry-after": "30" }
      const { api, result } = yield* submit([
        FakeApi.refusal(429, "rate_limit_exceeded", "", wait),
        { status: 503, headers: wait, body: "" },
        started
      ])
      assert.strictEqual(result._tag, "Success")
      const [, second = 0, third = 0] = yield* api.times
      assert.isAtLeast(second, 30_000)
      assert.isAtLeast(third - second, 30_000)
    })
  )

  it.effect("is refused with the error of the service", () =>
    Effect.gen(function* () {
      const { error } = yield* submit([FakeApi.refusal(403, "forbidden", "Not with this key.")])
      assert.strictEqual(error?._tag, "Forbidden")
    })
  )

  it.effect.each([
    [{}, "missing", "accounts"],
    [{ assets: "btc", accounts: "a" }, "missing", undefined],
    [{ assets: "btc", accounts: "a", at_height: 1, at_slot: 1 }, "excluded", "at_height"],
    [{ assets: "btc", accounts: "a", at_height: -1 }, "malformed", "at_height"],
    [{ assets: ["btc", "ltc"], accounts: "a", at_height: 1 }, "malformed", "at_height"],
    [{ assets: "*", accounts: "a", at_slot: 1 }, "malformed", "at_slot"]
  ] as const)("refuses %j before anything is sent", ([params, kind, parameter]) =>
    Effect.gen(function* () {
      const api = FakeApi.make([])
      const error = yield* BlockchainJobs.accountBalances
        // Type boundary: what no program that compiles can ask.
        .submit(params as never)
        .pipe(Effect.flip, Effect.provide(api.layer()))
      assert.deepInclude(error, { _tag: "InvalidRequest", kind } as const)
      if (parameter !== undefined && kind !== "missing") assert.deepInclude(error, { parameter } as never)
    })
  )

  it.effect.each([
    {},
    { start_time: "2026-01-01" },
    { assets: "btc,ltc", start_height: 1, end_height: 2 },
    { end_slot: 5 },
    { start_height: 1, end_height: 2, start_slot: 3, end_slot: 4 }
  ])("refuses the range %j", (range) =>
    Effect.gen(function* () {
      const api = FakeApi.make([])
      const error = yield* BlockchainJobs.balanceUpdates
        .submit({ assets: "btc", accounts: "a", ...range })
        .pipe(Effect.flip, Effect.provide(api.layer()))
      assert.strictEqual(error._tag, "InvalidRequest")
    })
  )
})

const read = (
  script: ReadonlyArray<FakeApi.Script>,
  options: { readonly job?: Job.ResultOptions; readonly client?: Client.Options; readonly id?: string } = {}
) =>
  Effect.gen(function* () {
    const api = JobScript.api(script)
    const records: Array<unknown> = []
    const { elapsed, exit } = yield* BlockchainJobs.accountBalances.results(options.id ?? "job-1", options.job).pipe(
      Stream.runForEach((record) => Effect.sync(() => records.push(record))),
      Effect.result,
      Effect.provide(api.layer(options.client)),
      (effect) => Virtual.timed(effect, "2 days")
    )
    const result = yield* exit
    const error = result._tag === "Failure" ? result.failure : undefined
    return { api, records, error, elapsed, open: yield* api.open }
  })

const status = (state: object): FakeApi.Reply => FakeApi.page([{ ...job, ...state }])

describe("Waiting for a job", () => {
  it.effect("ends with a typed error when it stays in a state that nobody knows", () =>
    Effect.gen(function* () {
      const api = FakeApi.serve(() => Effect.succeed(status({ status: "queued" })))
      const error = yield* Stream.runDrain(BlockchainJobs.accountBalances.results("job-1")).pipe(
        Effect.flip,
        Effect.provide(api.layer()),
        (effect) => Virtual.run(effect, "1 day")
      )
      assert.deepInclude(error, { _tag: "JobUnfinished", id: "job-1", status: "queued" } as const)
      const times = yield* api.times
      assert.isAtMost(times.at(-1) ?? 0, 6 * 3_600_000)
      assert.isAtMost(times.length, 800)
    })
  )

  it.effect("takes another schedule", () =>
    Effect.gen(function* () {
      const poll = Job.polling({ base: "10 seconds", cap: "10 seconds", within: "1 minute" })
      const { api, error } = yield* read(Array(20).fill(running), { job: { poll } })
      assert.deepInclude(error, { _tag: "JobUnfinished", status: "running" } as const)
      assert.strictEqual(api.seen.length, 7)
    })
  )

  it.effect.each([
    [
      { status: "failed", error: { type: "oops", message: "too much" } },
      { _tag: "JobFailed", type: "oops", reason: "too much" }
    ],
    [{ status: "failed" }, { _tag: "JobFailed", reason: "the service gives no reason" }],
    [
      { status: "aborted", error: { type: "stop" } },
      { _tag: "JobFailed", status: "aborted", reason: "stop" }
    ],
    [
      { status: "expired", expiration_time: "2026-01-01" },
      { _tag: "JobExpired", since: "2026-01-01" }
    ]
  ] as const)("ends with a typed error: %j", ([state, expected]) =>
    Effect.gen(function* () {
      const { error } = yield* read([status(state)])
      assert.deepInclude(error, { id: "job-1", ...expected } as never)
    })
  )

  it.effect("says that the service does not know a job, when it is missing from several replies", () =>
    Effect.gen(function* () {
      const other = FakeApi.page([{ id: "job-2", status: "completed" }])
      const { error } = yield* read([FakeApi.page([]), other, FakeApi.page([])])
      assert.strictEqual(error?._tag, "JobUnknown")
    })
  )

  it.effect("goes on after a job was missing, and after a fault that passes", () =>
    Effect.gen(function* () {
      const { records } = yield* read([
        FakeApi.page([]),
        { status: 502 },
        done(1),
        { body: JobScript.linesOf(balances) }
      ])
      assert.deepStrictEqual(records, balances)
    })
  )

  it.effect("names the job when a request fails for good", () =>
    Effect.gen(function* () {
      const { error } = yield* read([FakeApi.refusal(401, "wrong_credentials", "No.")])
      assert.deepInclude(error, { _tag: "JobUnread", id: "job-1" } as const)
      assert.match(String(error?.message), /job job-1 was not read/)
    })
  )

  it.effect("is not misled by a wall clock that jumps", () =>
    Effect.gen(function* () {
      const api = FakeApi.serve(() => Effect.andThen(JobScript.jump(90_000_000), Effect.succeed(running)))
      const run = Stream.runDrain(
        BlockchainJobs.accountBalances.results("job-1", { poll: Job.polling({ within: "1 hour" }) })
      )
      const error = yield* JobScript.withWallClock(Effect.flip(Effect.provide(run, api.layer()))).pipe(Virtual.run)
      assert.strictEqual(error._tag, "JobUnfinished")
      assert.isAbove(api.seen.length, 100)
    })
  )

  it.effect("stops when it is interrupted, and leaves no socket open", () =>
    Effect.gen(function* () {
      const api = FakeApi.serve(() => Effect.succeed(running))
      const run = Stream.runDrain(BlockchainJobs.accountBalances.results("job-1"))
      const fiber = yield* Effect.forkChild(Effect.provide(run, api.layer()))
      yield* TestClock.adjust("10 minutes")
      yield* Fiber.interrupt(fiber)
      const count = api.seen.length
      assert.isAbove(count, 3)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(api.seen.length, count)
      assert.strictEqual(yield* api.open, 0)
    })
  )
})

describe("An id", () => {
  it.effect.each(["", "a,b", "a b", "a\nb", "\u001b[2J", "x".repeat(201), "s3cret-key-of-mine"])(
    "is refused before anything is sent: %j",
    (id) =>
      Effect.gen(function* () {
        const apiKey = Redacted.make("s3cret-key-of-mine")
        const { api, error } = yield* read([], { id, client: { apiKey } })
        assert.deepInclude(error, { _tag: "InvalidRequest", parameter: "ids" } as const)
        assert.notInclude(String(error?.message), "s3cret")
        assert.strictEqual(api.seen.length, 0)
      })
  )
})

/** What is logged when a start is interrupted after a second. */
const interrupted = (script: ReadonlyArray<FakeApi.Script>) =>
  Effect.gen(function* () {
    const said: Array<string> = []
    const log = TestLog.layer((text, level) => said.push(`${level} ${text}`))
    const fiber = yield* BlockchainJobs.accountBalances
      .submit(ask)
      .pipe(
        Effect.provide(JobScript.api(script).layer()),
        Effect.provide(log),
        Effect.forkChild({ startImmediately: true })
      )
    yield* TestClock.adjust("1 second")
    yield* Fiber.interrupt(fiber)
    return said
  })

describe("Interrupting the start of a job", () => {
  it.effect.each([
    ["before the reply", Effect.never],
    ["inside the reply", { body: ["{", Effect.never] }]
  ] as ReadonlyArray<readonly [string, FakeApi.Script]>)("warns that a job may be running: %s", ([, reply]) =>
    Effect.gen(function* () {
      const [warning, ...more] = yield* interrupted([reply])
      assert.match(String(warning), /^Warn .*account-balances: .*a job may be running/)
      assert.isEmpty(more)
    })
  )

  it.effect("does not say so while it waits to send again what was refused", () =>
    Effect.gen(function* () {
      const said = yield* interrupted([{ status: 503, headers: { "retry-after": "30" }, body: "" }])
      assert.notInclude(said.join(), "may be running")
    })
  )
})

describe("Errors of jobs", () => {
  it.effect("survive being sent to another process", () =>
    Effect.gen(function* () {
      const error = new JobError.JobExpired({ endpoint: "/e", id: "1", since: undefined })
      const codec = Schema.toCodecJson(JobError.JobError)
      const sent = yield* Schema.encodeUnknownEffect(codec)(error)
      const back = yield* Schema.decodeUnknownEffect(codec)(JSON.parse(JSON.stringify(sent)))
      assert.deepStrictEqual(back, error)
      assert.isTrue(JobError.isJobError(back))
    })
  )
})
