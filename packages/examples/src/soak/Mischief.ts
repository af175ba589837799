/**
 * Faults at random: some of the requests of a client ask the stand-in service to misbehave.
 */
import { type Array as Arr, Effect, Random } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"

/** How often something goes wrong. */
const share = 0.15

/** Without a token there is none to repeat: the service would make one up, and lead back to the first page under it. */
const following = "repeat-token"

const between = (least: number, most: number) => Random.nextIntBetween(least, most)

const after = (kind: string, most: number) => Effect.map(between(1, most), (amount) => `${kind}${amount}`)

/**
 * What can go wrong, the likelier the more often it stands here.
 *
 * Left out is what no client can see: a clean end between two lines, so that a body that ends cleanly here ends inside a
 * record; and compressed bytes that are wrong, of which the checksum tells at the end.
 */
const faults: Arr.NonEmptyReadonlyArray<Effect.Effect<string>> = [
  after("reset-after=", 200_000),
  after("reset-after=", 200_000),
  after("reset-after=record:", 3_000),
  after("close-after=", 200_000),
  after("close-after=", 200_000),
  after("stall-after=", 200_000),
  after("truncate-after=within:", 3_000),
  after("truncate-after=within:", 3_000),
  after("gzip-cut=", 40_000),
  after("cut-line=", 3_000),
  after("error-line=", 3_000),
  ...[
    "status=500",
    "status=502;body=empty;headers=none",
    "status=503;body=html",
    "status=429;headers=none;retry-after=1",
    "error-body,echo-key",
    "redirect=http://elsewhere.invalid",
    "reset",
    "close",
    "garbage",
    "stall",
    "slow=50",
    "drip=20000",
    "empty-page",
    "foreign-token",
    "foreign-next-url",
    following,
    "envelope=data-null",
    "wrong-type=time",
    "extra-fields",
    "duplicate-keys",
    "latin1",
    "bom",
    "split-utf8",
    "blank-lines",
    "crlf;headers=malformed",
    "rate-headers=absurd"
  ].map((fault) => Effect.succeed(fault))
]

const drawn = Effect.gen(function* () {
  if ((yield* Random.next) >= share) return undefined
  return yield* Effect.flatten(Random.choice(faults))
})

const isFollowing = ({ urlParams }: HttpClientRequest.HttpClientRequest) =>
  urlParams.params.some(([name]) => name === "next_page_token")

/** The header by which the stand-in is asked. */
const header = "x-sandbox-fault"

/** What has been asked for so far. */
export interface Asked {
  readonly requests: number
  /** How often, by kind. */
  readonly faults: Readonly<Record<string, number>>
}

/** Makes a client ask for faults, in an order that follows from the seed; which loop meets which is up to chance. */
export const make = Effect.fnUntraced(function* (seed: number) {
  const asked = { requests: 0, faults: {} as Record<string, number> }
  // One generator for all requests, or each of them would begin the sequence anew.
  const random = yield* Random.withSeed(Effect.service(Random.Random), seed)
  const meet = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
    const fault = yield* Effect.provideService(drawn, Random.Random, random)
    asked.requests += 1
    if (fault === undefined || (fault === following && !isFollowing(request))) return request
    const kind = fault.replace(/[=;,].*$/, "")
    asked.faults[kind] = (asked.faults[kind] ?? 0) + 1
    return HttpClientRequest.setHeader(request, header, fault)
  })
  return {
    disturb: HttpClient.mapRequestEffect(meet),
    asked: Effect.sync((): Asked => ({ requests: asked.requests, faults: { ...asked.faults } }))
  }
})
