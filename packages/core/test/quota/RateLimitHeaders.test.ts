import { assert, describe, it } from "@effect/vitest"
import { parse } from "../../src/internal/quota/RateLimitHeaders.ts"
import * as Fixtures from "../Fixtures.ts"

interface Case {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  readonly meaning: {
    readonly limit: number | null
    readonly windowSeconds: number | null
    readonly remaining: number | null
    readonly resetSeconds: number | null
    readonly plan: string | null
  }
}

/** Effect hands headers over in lower case. */
const lower = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

const seconds = (millis: number | undefined) => (millis === undefined ? null : millis / 1000)

const cases = Fixtures.read<ReadonlyArray<Case>>("rate-limit-headers.json")

describe("RateLimitHeaders", () => {
  it.each(cases.map((one) => [one.name, one] as const))("%s", (_, { headers, meaning }) => {
    const read = parse(lower(headers), 0)
    assert.deepStrictEqual(
      {
        limit: read.limit ?? null,
        windowSeconds: seconds(read.policies.find(({ limit }) => limit === read.limit)?.window),
        remaining: read.remaining ?? null,
        resetSeconds: seconds(read.reset),
        plan: read.plan ?? null
      },
      meaning
    )
  })

  it("keeps every policy that names a window", () => {
    assert.deepStrictEqual(parse({ "x-ratelimit-limit": "10, 10;w=1, 50;w=60, 7" }, 0).policies, [
      { limit: 10, window: 1_000 },
      { limit: 50, window: 60_000 }
    ])
  })

  const now = Date.parse("2026-08-01T00:00:00Z")
  it.each([
    ["seconds", "7", 7_000],
    ["zero", "0", 0],
    ["a date to come", "Sat, 01 Aug 2026 00:00:30 GMT", 30_000],
    ["a date of RFC 850", "Saturday, 01-Aug-26 00:00:30 GMT", 30_000],
    ["a date of asctime, which is UTC too", "Sat Aug  1 00:00:30 2026", 30_000],
    ["a date that HTTP does not know", "1 Aug 2026 00:00:30", undefined],
    ["a date gone by", "Fri, 31 Jul 2026 23:59:00 GMT", 0],
    ["a date too far to believe", "Sun, 01 Aug 2027 00:00:00 GMT", undefined],
    ["an epoch", "1785542400", undefined],
    ["a fraction", "1.5", undefined],
    ["a negative number", "-1", undefined],
    ["empty", "", undefined],
    ["words", "soon", undefined]
  ] as const)("reads Retry-After: %s", (_, text, wait) => {
    assert.strictEqual(parse({ "retry-after": text }, now).retryAfter, wait)
  })

  // Each of these took seconds to hours when the time grew with the square of the length.
  it.each([
    ["quotes that never close", '10, 10;w=6;comment="' + '\\"'.repeat(500_000)],
    ["quotes", '10, 10;w=6, "' + '"'.repeat(1_000_000)],
    ["policies", "10, 10;w=6" + ", 1;w=1".repeat(150_000)],
    ["commas", "10, 10;w=6" + ",".repeat(1_000_000)],
    ["parameters", "10, 10;w=6" + ";w".repeat(500_000)],
    ["digits", "10, 10;w=6, " + "9".repeat(1_000_000)],
    ["blanks", "10, 10;w=6;" + " ".repeat(1_000_000) + "x"]
  ])("reads the beginning of an endless X-RateLimit-Limit and keeps few policies: %s", (_, text) => {
    const { limit, policies } = parse({ "x-ratelimit-limit": text }, 0)
    assert.strictEqual(limit, 10)
    assert.isAtMost(policies.length, 16)
  })

  it("reads no wait and no plan of a megabyte", () => {
    const long = "Sat, 01 Aug 2026 00:00:30 GMT ".repeat(40_000)
    assert.isUndefined(parse({ "retry-after": long }, now).retryAfter)
    assert.strictEqual(parse({ "x-ratelimit-plan": long }, now).plan?.length, 50)
    assert.isUndefined(parse({ "x-ratelimit-reset": "1".repeat(1_000_000) }, now).reset)
  })
})
