import { assert, describe, it } from "@effect/vitest"
import { BlockchainJobs } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as JobScript from "./JobScript.ts"
import { gzipSync } from "node:zlib"
import { read, text } from "./JobReading.ts"

const { balancesOf, done, job, linesOf, packed } = JobScript

const many = balancesOf(4_000)
const whole = packed(linesOf(many))

/** A page of a hundred jobs, and not the last. */
const others = (nth: number) => {
  const ids = Array.from({ length: 100 }, (_, index) => `other-${nth}-${index}`)
  const jobs = ids.map((id) => ({ ...job, id, status: "running" }))
  return FakeApi.page(jobs, `token-${nth}`)
}

describe("A hostile list", () => {
  it.effect("whose pages have other jobs without end does not have the one that is asked for", () =>
    Effect.gen(function* () {
      const { api, error } = yield* read(Array.from({ length: 100 }, (_, nth) => others(nth)))
      assert.strictEqual(error?._tag, "JobUnknown")
      // Three lists of a thousand jobs, each of them read a page ahead.
      assert.isAtMost(api.seen.length, 33)
    })
  )
})

describe("A hostile file", () => {
  it.effect("that grows to a thousand times its length is given up early", () =>
    Effect.gen(function* () {
      const bomb = new Uint8Array(gzipSync('{"account":"a","balance":"1"}\n'.repeat(500_000), { level: 9 }))
      const { cause, records } = yield* read([done(1), { body: [bomb] }])
      assert.deepInclude(cause, { _tag: "Unavailable", transient: false } as const)
      assert.match(String(cause?.message), /300 times/)
      assert.isBelow(records.length, 400_000)
    })
  )

  it.effect("that goes on with blocks without content is given up", () =>
    Effect.gen(function* () {
      const head = new Uint8Array(gzipSync("").subarray(0, 10))
      const blocks = new Uint8Array(Buffer.from("000000ffff".repeat(20_000), "hex"))
      const body = [head, ...Array.from({ length: 12 }, () => blocks), Effect.never]
      const { cause, records } = yield* read([done(1), ...Array.from({ length: 10 }, () => ({ body }))])
      assert.deepInclude(cause, { _tag: "Unavailable", phase: "body" } as const)
      assert.deepStrictEqual(records, [])
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
      yield* JobScript.drive(Effect.provide(run, api.layer(JobScript.patient)))
      assert.strictEqual(yield* api.open, 0)
    })
  )
})
