import { assert, describe, it } from "@effect/vitest"
import { BlockchainJobs, type Client } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import * as FakeApi from "./FakeApi.ts"
import * as JobScript from "./JobScript.ts"
import * as Virtual from "./Virtual.ts"
import { gzipSync } from "node:zlib"

const { balances, balancesOf, done, doneWith, gz, gzOf, linesOf, packed, url } = JobScript

const key = "k3y+of/mine=="

/** Reads the results of a job while the clock goes on. */
const read = (script: ReadonlyArray<FakeApi.Script>, options: Client.Options = {}) =>
  Effect.gen(function* () {
    const api = FakeApi.make(script)
    const records: Array<unknown> = []
    const said: Array<string> = []
    const logger = Logger.make(({ message }) => {
      said.push(String(message))
    })
    const result = yield* BlockchainJobs.accountBalances.results("job-1").pipe(
      Stream.runForEach((record) => Effect.sync(() => records.push(record))),
      Effect.result,
      Effect.provide(api.layer({ apiKey: Redacted.make(key), ...JobScript.patient, ...options })),
      JobScript.drive,
      Effect.provide(Logger.layer([logger])),
      Effect.provideService(References.MinimumLogLevel, "All")
    )
    const error = result._tag === "Failure" ? result.failure : undefined
    const cause = error?._tag === "JobUnread" ? error.error : undefined
    return { api, records, error, cause, said, open: yield* api.open }
  })

const text = (body: string): FakeApi.Reply => ({ body })

const array = JSON.stringify(balances)

/** Where the host refuses, the service is asked again; otherwise the host is. */
const alternating = (reply: FakeApi.Script, status: FakeApi.Reply): ReadonlyArray<FakeApi.Script> =>
  Predicate.hasProperty(reply, "status") && reply.status === 403 ? [status] : Array(20).fill(reply)

/** Bytes in pieces of one, so that every boundary is met. */
const bits = (bytes: Uint8Array) => [...bytes].map((byte) => Uint8Array.of(byte))

const tricky = [
  { account: 'a"],[{\\', balance: "1" },
  ...balancesOf(2, 7).map((one) => ({ ...one, note: ["]", { x: [1, 2] }] }))
]

describe("A file of results", () => {
  it.effect.each([
    ["compressed lines", gz],
    ["lines", text(linesOf(balances))],
    ["lines without the last line feed", text(linesOf(balances).trimEnd())],
    ["a compressed array", { body: [packed(array)] }],
    ["an array", text(array)],
    ["an indented array", text(`\n ${JSON.stringify(balances, null, 2)}\n`)],
    ["an array with a byte order mark", text(`\ufeff${array}`)],
    ["compressed lines, a byte at a time", { body: bits(packed(linesOf(balances))) }],
    ["a compressed array, a byte at a time", { body: bits(packed(array)) }]
  ] as ReadonlyArray<readonly [string, FakeApi.Reply]>)("may be %s", ([name, file]) =>
    Effect.gen(function* () {
      // Where nothing marks the end it is read twice.
      const { error, open, records } = yield* read([done(1), file, ...(name.includes("without") ? [file] : [])])
      assert.isUndefined(error)
      assert.deepStrictEqual(records, balances)
      assert.strictEqual(open, 0)
    })
  )

  it.effect.each([JSON.stringify(tricky), JSON.stringify(tricky, null, 1), linesOf(tricky)])(
    "may hold brackets, quotes and commas in its texts: %s",
    (body) =>
      Effect.gen(function* () {
        const { error, records } = yield* read([done(1), { body: bits(FakeApi.bytes(body)) }])
        assert.isUndefined(error)
        assert.deepStrictEqual(records, tricky)
      })
  )

  it.effect.each(["", "[]", " [ ] \n", "\n"])("may be empty: %j", (body) =>
    Effect.gen(function* () {
      const { error, records } = yield* read([done(1), { body: [packed(body)] }])
      assert.isUndefined(error)
      assert.deepStrictEqual(records, [])
    })
  )

  it.effect("is followed by the next, in the order of the job", () =>
    Effect.gen(function* () {
      const { records } = yield* read([done(3), gzOf(balancesOf(2)), gzOf(balancesOf(2, 2)), gzOf(balancesOf(2, 4))])
      assert.deepStrictEqual(records, balancesOf(6))
    })
  )

  it.effect.each([
    ['[{"account":"a","balance":"1"},]', 1],
    ['[,{"account":"a","balance":"1"}]', 0],
    ['[{"account":"a","balance":"1"},,{"account":"b","balance":"1"}]', 1],
    ['[{"account":"a","balance":"1"} {"account":"b","balance":"1"}]', 0],
    ['[{"account":"a","balance":"1"}]x', 1],
    ['[{"account":"a","balance":"1"}][{"account":"b","balance":"1"}]', 1],
    ['[["a"]]', 0],
    ["[1]", 0],
    ['"a"', 0],
    ['{"data":[{"account":"a","balance":"1"}]}\n', 0],
    ["<html>\n", 0]
  ] as const)("is refused as Decode where it is no list of records: %s", ([body, emitted]) =>
    Effect.gen(function* () {
      const { cause, records } = yield* read([done(1), ...Array(9).fill(text(body))])
      assert.strictEqual(cause?._tag, "Decode", String(cause))
      assert.strictEqual(records.length, emitted)
    })
  )
})

const many = balancesOf(4_000)
const whole = packed(linesOf(many))

const cutAt = (bytes: Uint8Array, at: number): FakeApi.Reply => ({ body: [bytes.slice(0, at), FakeApi.cut] })

/** The same job with new addresses of these files. */
const renewedAs = (...files: ReadonlyArray<number>) =>
  doneWith(files.map((file) => `${JobScript.files}/${file}.json.gz?signature=new`))

describe("A download of results that breaks off", () => {
  it.effect.each([
    ["reset in the middle", cutAt(whole, whole.length >> 1)],
    ["reset at its first byte", cutAt(whole, 1)],
    ["ended properly before its first byte", { body: [] }],
    ["reset before its head", Effect.fail(FakeApi.cut)],
    ["ended early without an error", { body: [whole.slice(0, whole.length >> 1)] }],
    ["without the checksum at its end", { body: [whole.slice(0, -8)] }],
    ["refused with a 503", { status: 503, body: "" }],
    ["refused with a 429", { status: 429, headers: { "retry-after": "3" }, body: "" }]
  ] as ReadonlyArray<readonly [string, FakeApi.Script]>)(
    "is read again without a record lost or repeated: %s",
    ([, broken]) =>
      Effect.gen(function* () {
        const { api, error, open, records } = yield* read([done(1), broken, broken, { body: [whole] }])
        assert.isUndefined(error)
        assert.deepStrictEqual(records, many)
        assert.strictEqual(open, 0)
        assert.strictEqual(api.seen.filter(({ url }) => url.origin === JobScript.files).length, 3)
      })
  )

  it.effect("is read again also when the file is an array, cut between two records", () =>
    Effect.gen(function* () {
      const body = JSON.stringify(many)
      const at = body.indexOf("},{", body.length >> 1) + 2
      const { error, records } = yield* read([
        done(1),
        text(body.slice(0, at)),
        text(body.slice(0, at - 1)),
        text(body)
      ])
      assert.isUndefined(error)
      assert.deepStrictEqual(records, many)
    })
  )

  it.effect("fails when the file has changed meanwhile, and says how far it came", () =>
    Effect.gen(function* () {
      const other = gzOf(balancesOf(4_000, 1))
      const { cause, error, records } = yield* read([done(1), cutAt(whole, whole.length >> 1), other, other])
      assert.strictEqual(cause?._tag, "Unavailable")
      assert.match(String(cause?.message), /the records changed/)
      assert.deepInclude(error, { delivered: records.length } as never)
      assert.isNotEmpty(records)
      assert.deepStrictEqual(records, many.slice(0, records.length))
    })
  )

  it.effect("is ended where it stands still, and read again", () =>
    Effect.gen(function* () {
      const body = linesOf(many)
      const still: FakeApi.Reply = { body: [body.slice(0, body.length >> 1), Effect.never] }
      const api = FakeApi.make([done(1), still, text(body)])
      const run = Stream.runCollect(BlockchainJobs.accountBalances.results("job-1"))
      const records = yield* Virtual.run(Effect.provide(run, api.layer()))
      assert.deepStrictEqual<unknown>(records, many)
      assert.strictEqual(yield* api.open, 0)
    })
  )

  it.effect("fails as Unavailable where it brings no byte each time", () =>
    Effect.gen(function* () {
      const { cause, error, records } = yield* read([done(2), gz, ...Array.from({ length: 20 }, () => text(""))])
      assert.deepInclude(error, { _tag: "JobUnread", delivered: 3 } as const)
      assert.deepInclude(cause, { _tag: "Unavailable", transient: true, reason: "the file is empty" } as const)
      assert.deepStrictEqual(records, balances)
    })
  )

  it.effect("fails, and loses nothing silently, where a second compressed file follows the first", () =>
    Effect.gen(function* () {
      const two = [packed(linesOf(balances)), packed(linesOf(balances))]
      for (const body of [two, [Buffer.concat(two)]]) {
        const { cause } = yield* read([done(1), ...Array.from({ length: 20 }, () => ({ body }))])
        assert.strictEqual(cause?._tag, "Unavailable")
      }
    })
  )

  it.effect("fails when it breaks off at the same place each time", () =>
    Effect.gen(function* () {
      const { cause, records } = yield* read([done(1), ...Array(20).fill(cutAt(whole, whole.length >> 1))])
      assert.deepInclude(cause, { _tag: "Unavailable", transient: true } as const)
      assert.deepStrictEqual(records, many.slice(0, records.length))
    })
  )

  it.effect("asks for the address again when it has expired, and goes on where it was", () =>
    Effect.gen(function* () {
      const renewed = `${JobScript.files}/0.json.gz?signature=new`
      const expired: FakeApi.Reply = { status: 403, body: "<Error><Code>AccessDenied</Code></Error>" }
      const script = [done(1), cutAt(whole, whole.length >> 1), expired, doneWith([renewed]), { body: [whole] }]
      const { api, error, records } = yield* read(script)
      assert.isUndefined(error)
      assert.deepStrictEqual(records, many)
      assert.strictEqual(api.seen.at(-1)?.url.href, renewed)
    })
  )

  it.effect.each([401, 403, 404, 410])("fails when the host does not give the file out: %i", (status) =>
    Effect.gen(function* () {
      const { error } = yield* read([done(2), gz, { status, body: "secret-signature" }, done(2)])
      assert.deepInclude(error, { _tag: "JobResultGone", id: "job-1", file: 2, status, delivered: 3 } as const)
    })
  )

  it.effect.each([401, 403, 404, 410])("fails so too when the host refuses the renewed address: %i", (status) =>
    Effect.gen(function* () {
      const renewed = doneWith([`${JobScript.files}/0.json.gz?signature=new`])
      const { error } = yield* read([done(1), { status: 403, body: "" }, renewed, { status, body: "" }])
      assert.deepInclude(error, { _tag: "JobResultGone", id: "job-1", file: 1, status, delivered: 0 } as const)
    })
  )

  it.effect("reads each file once when the renewed addresses come in another order", () =>
    Effect.gen(function* () {
      const expired: FakeApi.Reply = { status: 403, body: "" }
      const script = [done(2), expired, renewedAs(1, 0), gz, expired, renewedAs(1, 0), gzOf(balancesOf(2, 3))]
      const { api, error, records } = yield* read(script)
      assert.isUndefined(error)
      assert.deepStrictEqual(records, balancesOf(5))
      const given = api.seen.filter(({ url }) => url.search.endsWith("new")).map(({ url }) => url.pathname)
      assert.deepStrictEqual(given, ["/0.json.gz", "/1.json.gz"])
    })
  )

  it.effect.each([
    ["fewer files", renewedAs(0)],
    ["more files", renewedAs(0, 1, 2)],
    ["another file in its place", renewedAs(2, 1)],
    ["a file twice", renewedAs(0, 0)]
  ] as const)("fails when the renewed list has %s", ([, renewed]) =>
    Effect.gen(function* () {
      const { error, records } = yield* read([done(2), { status: 403, body: "" }, renewed])
      assert.deepInclude(error, { _tag: "JobResultGone", file: 1, status: 403 } as const)
      assert.deepStrictEqual(records, [])
    })
  )

  it.effect.each([1, 2])("asks again when the list misses the job %i times while its address is renewed", (missing) =>
    Effect.gen(function* () {
      const none = Array.from({ length: missing }, () => FakeApi.page([]))
      const { error, records } = yield* read([done(1), { status: 403, body: "" }, ...none, renewedAs(0), gz])
      assert.isUndefined(error)
      assert.deepStrictEqual(records, balances)
    })
  )

  it.effect("fails as unknown when the list keeps missing the job while its address is renewed", () =>
    Effect.gen(function* () {
      const { error } = yield* read([done(1), { status: 403, body: "" }, ...Array(3).fill(FakeApi.page([]))])
      assert.deepInclude(error, { _tag: "JobUnknown", id: "job-1" } as const)
    })
  )

  it.effect("says that the job has expired where the service says so", () =>
    Effect.gen(function* () {
      const expired = FakeApi.page([{ ...JobScript.job, status: "expired" }])
      const { error } = yield* read([done(1), { status: 404, body: "" }, expired])
      assert.deepInclude(error, { _tag: "JobExpired", id: "job-1" } as const)
    })
  )

  it.effect("does not follow a redirect", () =>
    Effect.gen(function* () {
      const { api, cause } = yield* read([done(1), { status: 302, headers: { location: "http://169.254.169.254/" } }])
      assert.deepInclude(cause, { _tag: "Unavailable", status: 302 } as const)
      assert.strictEqual(api.seen.length, 2)
    })
  )
})

describe("The address of a result", () => {
  it.effect.each([
    "file:///etc/passwd",
    "ftp://files.example.com/x",
    "javascript:alert(1)",
    "data:text/plain,x",
    "/relative",
    "//files.example.com/x",
    "",
    null,
    "http://files.example.com/x",
    "https://user:pass@files.example.com/x",
    "https://127.0.0.1/x",
    "https://2130706433/x",
    "https://0x7f.1/x",
    "https://0177.0.0.1/x",
    "https://10.0.0.1/x",
    "https://100.64.0.1/x",
    "https://169.254.169.254/latest/meta-data",
    "https://172.16.0.1/x",
    "https://192.168.0.1/x",
    "https://0.0.0.0/x",
    "https://255.255.255.255/x",
    "https://[::1]/x",
    "https://[::]/x",
    "https://[fd00::1]/x",
    "https://[fe80::1]/x",
    "https://[::ffff:127.0.0.1]/x",
    "https://[64:ff9b::7f00:1]/x",
    "https://[2002:7f00:1::]/x",
    "https://localhost/x",
    "https://localhost./x",
    "https://a.localhost/x",
    "https://metadata.google.internal/x",
    "https://printer.local/x",
    "https://intranet/x",
    "https://files.example.com/x?api_key=other",
    `https://files.example.com/x?k=${encodeURIComponent(key)}`,
    `https://files.example.com/${encodeURIComponent(encodeURIComponent(key))}/x`,
    `https://files.example.com/x#${key}`,
    `https://files.example.com/${"x".repeat(9_000)}`
  ])("is refused, and nothing is requested: %j", (address) =>
    Effect.gen(function* () {
      const { api, error, records, said } = yield* read([doneWith([url(0), address])])
      assert.deepInclude(error, { _tag: "JobResultRefused", id: "job-1", file: 2 } as const)
      assert.strictEqual(api.seen.length, 1)
      assert.deepStrictEqual(records, [])
      for (const one of [String(error?.message), ...said]) {
        assert.notInclude(one, key)
        assert.notInclude(one, "passwd")
      }
    })
  )

  it.effect("is refused where the job lists it twice, which would repeat its records", () =>
    Effect.gen(function* () {
      const { api, error } = yield* read([doneWith([url(0), url(1), url(0)])])
      assert.deepInclude(error, {
        _tag: "JobResultRefused",
        file: 3,
        reason: "its address is that of file 1"
      } as const)
      assert.strictEqual(api.seen.length, 1)
    })
  )

  it.effect("may be local where the root is, and http where the root is", () =>
    Effect.gen(function* () {
      const address = "http://127.0.0.1:8081/x"
      const { error } = yield* read([doneWith([address]), gz], { root: "http://localhost:8080/v4" })
      assert.isUndefined(error)
    })
  )

  it.effect("is requested as it is, without the key in any form", () =>
    Effect.gen(function* () {
      const address = `${JobScript.files}/a%20b/x.gz?sig=a%2Bb%2Fc%3D&expires=2026-01-01T00%3A00%3A00Z`
      const { api } = yield* read([doneWith([address]), gz])
      const [, file] = api.seen
      assert.strictEqual(file?.url.href, address)
      assert.notInclude(JSON.stringify(file?.headers), key)
      assert.deepStrictEqual(
        Object.keys(file?.headers ?? {}).filter((name) => /key|auth|cookie|trace|b3/.test(name)),
        []
      )
    })
  )

  it.effect("is in no log and no error, for its signature is a secret", () =>
    Effect.gen(function* () {
      const address = `${JobScript.files}/x.gz?signature=s3cr3t`
      const replies: ReadonlyArray<FakeApi.Script> = [
        Effect.fail(FakeApi.cut),
        { status: 500, body: address },
        { status: 403, body: address },
        { status: 429, body: address, headers: { "retry-after": address } },
        text(`${address}\n`)
      ]
      for (const reply of replies) {
        const { error, said } = yield* read([doneWith([address]), reply, ...alternating(reply, doneWith([address]))])
        assert.isDefined(error)
        assert.notInclude([...said, String(error?.message), JSON.stringify(error)].join("\n"), "s3cr3t")
      }
    })
  )
})

describe("A hostile file", () => {
  it.effect("that grows to a thousand times its length is given up early", () =>
    Effect.gen(function* () {
      const bomb = new Uint8Array(gzipSync('{"account":"a","balance":"1"}\n'.repeat(5_000_000), { level: 9 }))
      const { cause, records } = yield* read([done(1), { body: [bomb] }])
      assert.deepInclude(cause, { _tag: "Unavailable", transient: false } as const)
      assert.match(String(cause?.message), /300 times/)
      assert.isBelow(records.length, 4_000_000)
    })
  )

  it.effect.each([
    ["a record", `{"account":"${"x".repeat(70_000)}","balance":"1"}\n`],
    ["a record of an array", `[{"account":"${"x".repeat(70_000)}","balance":"1"}]`],
    ["nothing but blanks", " ".repeat(70_000)],
    ["nothing but empty lines", "\n".repeat(70_000)],
    ["nothing but brackets", "[".repeat(70_000)]
  ] as const)("cannot fill the memory with %s", ([, body]) =>
    Effect.gen(function* () {
      const { cause } = yield* read([done(1), text(body)], { limits: { maxLineBytes: 65_536 } })
      assert.deepInclude(cause, { _tag: "Decode", setting: "limits.maxLineBytes" } as const)
    })
  )

  it.effect("that never ends is read only as far as it is asked for", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([done(1), { body: [linesOf(many), Effect.never] }])
      const records = yield* BlockchainJobs.accountBalances
        .results("job-1")
        .pipe(Stream.take(10), Stream.runCollect, Effect.provide(api.layer(JobScript.patient)), JobScript.drive)
      assert.deepStrictEqual<unknown>(records, many.slice(0, 10))
      assert.strictEqual(yield* api.open, 0)
    })
  )

  it.effect("with an error in place of a record fails without quoting it", () =>
    Effect.gen(function* () {
      const { cause } = yield* read([done(1), ...Array(10).fill(text('{"error":{"type":"x","message":"s3cr3t"}}\n'))])
      assert.strictEqual(cause?._tag, "Unavailable")
      assert.notInclude(String(cause?.message), "s3cr3t")
    })
  )

  it.effect("is closed when its reader is interrupted", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([done(1), { body: [whole.slice(0, whole.length >> 1), Effect.never] }])
      const run = Stream.runDrain(BlockchainJobs.accountBalances.results("job-1")).pipe(
        Effect.timeoutOption("1 second")
      )
      yield* Virtual.run(Effect.provide(run, api.layer()))
      assert.strictEqual(yield* api.open, 0)
    })
  )
})
