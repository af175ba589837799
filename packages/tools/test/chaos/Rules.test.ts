import { assert, describe, it } from "@effect/vitest"
import * as Fault from "@sluice/sandbox/Fault"
import { Effect } from "effect"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as Faults from "../../src/chaos/Faults.ts"
import * as Run from "../../src/chaos/Run.ts"
import type * as Schedule from "../../src/chaos/Schedule.ts"

const content = {
  assets: ["btc", "eth"],
  metrics: ["PriceUSD", "AdrActCnt"],
  start_time: "2024-01-01",
  end_time: "2024-01-20"
}

const forms = { pages: { page_size: 7 }, lines: { format: "json_stream" } } as const

const times = {
  once: (fault: string) => ({ faults: [fault], always: "" }),
  always: (fault: string) => ({ faults: [], always: fault })
}

/** One series, and the fault of its first request or of every one. */
const schedule = (
  fault: string,
  form: keyof typeof forms,
  often: keyof typeof times,
  world: Schedule.World
): Schedule.Schedule => ({
  seed: 1,
  world,
  sandbox: { plan: "download", latency: 0 },
  client: {
    root: "paid",
    parallel: 2,
    // Over sockets no kind stands still, and a busy machine may be slow.
    firstByte: world === "memory" ? 2_000 : 60_000,
    idle: world === "memory" ? 2_000 : 60_000,
    deprecated: "fail",
    gzip: true,
    limits: { maxPageBytes: 2_000_000, maxLineBytes: 500_000 },
    retry: { times: 2, base: 1, cap: 5 }
  },
  streams: [
    {
      target: { path: "/timeseries/asset-metrics", content, paging: forms[form] },
      as: "records",
      consumer: { _tag: "All" },
      delay: 0,
      ...times[often](fault)
    }
  ]
})

describe("the rule of", () => {
  for (const [nth, { example, kind }] of Fault.table.entries()) {
    // In `test` once of pages and always of lines, or the other way round.
    const isTried = (form: keyof typeof forms, often: keyof typeof times) =>
      TestMode.isLong || ((form === "pages") === (often === "once")) === (nth % 2 === 0)
    it.live(`${kind} holds: ${example}, once and always, of pages and of lines`, () =>
      Effect.gen(function* () {
        const world = Faults.worksInMemory(kind) ? "memory" : "wire"
        const all = (["pages", "lines"] as const).flatMap((form) =>
          (["once", "always"] as const)
            .filter((often) => isTried(form, often))
            .map((often) => schedule(example, form, often, world))
        )
        assert.deepStrictEqual((yield* Run.run(all)).failed, [])
      })
    )
  }
})
