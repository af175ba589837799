import * as Clock from "effect/Clock"
import type { Client } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { gzipSync } from "node:zlib"
import * as FakeApi from "../FakeApi.ts"

/** Where the files of results lie. */
export const { files } = FakeApi

export const url = (index: number) => `${files}/${index}.json.gz?signature=s`

export const job = { id: "job-1", creation_time: "2026-01-01T00:00:00.000000000Z" }

/** The reply to a start. */
export const started: FakeApi.Reply = { body: '{"job_id":"job-1","job_url":"/jobs?api_key=k&ids=job-1"}' }

export const running = FakeApi.page([{ ...job, status: "running" }])

/** A completed job with these files, or with so many. */
export const doneWith = (urls: ReadonlyArray<unknown>) =>
  FakeApi.page([{ ...job, status: "completed", results: urls.map((url) => ({ url })) }])

export const done = (count: number) => doneWith(Array.from({ length: count }, (_, index) => url(index)))

/** Balances of so many accounts. */
export const balancesOf = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({ account: `account-${from + index}`, balance: `${from + index}.5` }))

export const balances = balancesOf(3)

export const linesOf = (records: ReadonlyArray<unknown>) => records.map((one) => `${JSON.stringify(one)}\n`).join("")

/** A compressed file of this text. */
export const packed = (text: string): Uint8Array =>
  // Small blocks, so that the first records can be read long before the last.
  new Uint8Array(gzipSync(text, { memLevel: 1 }))

/** A file of these records, one on each line. */
export const gzOf = (records: ReadonlyArray<unknown>): FakeApi.Reply => ({ body: [packed(linesOf(records))] })

export const gz = gzOf(balances)

/** A scripted service, and a scripted host of files beside it. */
export const api = FakeApi.make

/** Gives files as long as they take: they are decompressed in real time, of which the test clock knows nothing. */
export const patient: Client.Options = { idle: Infinity, firstByte: Infinity, minBytesPerSecond: 0 }

/** Runs an effect that works in real time, while the test clock goes on. */
export const drive = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect, { startImmediately: true })
    while (fiber.pollUnsafe() === undefined) {
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust("50 millis")
    }
    return yield* Fiber.join(fiber)
  })

let ahead = 0

/** Sets the wall clock ahead or back, for programs in {@link withWallClock}. */
export const jump = (millis: number) =>
  Effect.sync(() => {
    ahead = ahead === 0 ? millis : -ahead
  })

/** Runs a program whose wall clock can be set, while monotonic time goes on. */
export const withWallClock = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Clock.clockWith((clock) =>
    Effect.provideService(
      Effect.ensuring(
        self,
        Effect.sync(() => {
          ahead = 0
        })
      ),
      Clock.Clock,
      Object.create(clock, {
        currentTimeMillis: { get: () => Effect.map(clock.currentTimeMillis, (now) => now + ahead) },
        currentTimeMillisUnsafe: { value: () => clock.currentTimeMillisUnsafe() + ahead }
      }) as Clock.Clock
    )
  )
