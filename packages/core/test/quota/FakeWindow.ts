import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FakeApi from "../FakeApi.ts"

/** So many requests in so many milliseconds. */
export interface Policy {
  readonly limit: number
  readonly window: number
}

/** A service that keeps its limit by a log of the times at which requests arrived: a window that truly slides. */
export interface Options {
  readonly policies: ReadonlyArray<Policy>
  readonly plan?: string
  /** Milliseconds from sending to the reply's head, for the so-manieth request; counted halfway. */
  readonly latency?: (nth: number) => number
  /** Pages of every list. */
  readonly pages?: number
  /** Replies in place of the page, for the so-manieth request that is let through. */
  readonly instead?: (nth: number) => FakeApi.Reply | undefined
  /** Whether replies carry the rate-limit headers. */
  readonly silent?: boolean
}

export const trial: Options = { policies: [{ limit: 10, window: 6_000 }], plan: "trial" }

/** Builds the service; `rejected` counts its 429s. */
export const make = (options: Options) => {
  const arrivals: Array<number> = []
  const { latency = () => 0, pages = 1 } = options
  const longest = Math.max(0, ...options.policies.map(({ window }) => window))
  let nth = 0
  let accepted = 0
  let rejected = 0

  const left = ({ limit, window }: Policy, now: number) => limit - arrivals.filter((at) => at > now - window).length

  const headers = (now: number) => {
    if (options.silent === true) return {}
    const [tightest] = options.policies.toSorted((a, b) => left(a, now) - left(b, now))
    if (tightest === undefined) return {}
    const oldest = arrivals.find((at) => at > now - tightest.window) ?? now
    const reset = Math.max(1, Math.ceil((oldest + tightest.window - now) / 1000))
    const quotas = options.policies.map(({ limit, window }) => `${limit};w=${window / 1000}`)
    const text = `${tightest.limit}, ${quotas.join(", ")}`
    return FakeApi.limits(text, Math.max(0, left(tightest, now)), reset, options.plan)
  }

  const pageOf = (url: URL): FakeApi.Reply => {
    const page = Number(url.searchParams.get("next_page_token") ?? "1")
    return FakeApi.page(
      [FakeApi.asset(`${url.searchParams.get("assets")}-${page}`)],
      page < pages ? `${page + 1}` : undefined
    )
  }

  const api = FakeApi.serve(({ url }) =>
    Effect.gen(function* () {
      const wait = latency(nth++)
      yield* Effect.sleep(wait / 2)
      const now = yield* Clock.currentTimeMillis
      while (arrivals.length > 0 && arrivals[0]! <= now - longest) arrivals.shift()
      const full = options.policies.some((policy) => left(policy, now) <= 0)
      if (full) rejected += 1
      else {
        arrivals.push(now)
        accepted += 1
      }
      const reply = full ? { status: 429, body: "" } : (options.instead?.(accepted) ?? pageOf(url))
      const complete = { ...reply, headers: reply.headers ?? headers(now) }
      yield* Effect.sleep(wait / 2)
      return complete
    })
  )
  return { ...api, rejected: Effect.sync(() => rejected) }
}
