import { assert, describe, it } from "@effect/vitest"
import { BlockchainJobs } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as JobScript from "./JobScript.ts"
import * as Virtual from "../Virtual.ts"
import { read, text } from "./JobReading.ts"

const { balances, balancesOf, done, doneWith, gz, gzOf, linesOf, packed } = JobScript

const array = JSON.stringify(balances)

/** Bytes in pieces of one, so that every boundary is met. */
const bits = (bytes: Uint8Array) => [...bytes].map((byte) => Uint8Array.of(byte))

const tricky = [
  { account: 'a"],[{\\', balance: "1" },
  ...balancesOf(2, 7).map((one) => ({ ...one, note: ["]", { x: [1, 2] }] }))
]

describe("A file of results", () => {
  it.effect.each([
    ["compressed lines", gz],
    ["compressed lines, the last still open", { body: [packed(linesOf(balances).trimEnd())] }],
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
      // Read twice where nothing marks the end, which a compressed file has.
      const script = [done(1), file, ...(name.includes("without") ? [file] : [])]
      const { api, error, open, records } = yield* read(script)
      assert.isUndefined(error)
      assert.strictEqual(api.seen.length, script.length)
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
