/**
 * Faults at random: some of the requests of a client ask the stand-in service to misbehave.
 */
import { type Array as Arr, Context, Effect, Random } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"

/**
 * What a fault may do to the call whose request meets it.
 *
 * - `passes`: nothing at all.
 * - `once`: the attempt fails, and another helps.
 * - `damages`: the reply cannot be read; it is asked for once more, and a second time ends the call.
 * - `ends`: the call ends, now or at its next request.
 */
export type Harm = "passes" | "once" | "damages" | "ends"

/** Without a token there is none to repeat: the service would make one up, and lead back to the first page under it. */
const following = "repeat-token"

/**
 * Records that are none, in JSON that can be read: a line may have been damaged on its way, and is asked for once more; of
 * a page that arrived whole this is what the service says, and it would say it again.
 */
type Nonsense = "nonsense"

interface Fault {
  readonly harm: Harm | Nonsense
  readonly spec: Effect.Effect<string>
}

const after = (harm: Harm, kind: string, most: number): Fault => ({
  harm,
  spec: Effect.map(Random.nextIntBetween(1, most), (amount) => `${kind}${amount}`)
})

const plain = (harm: Fault["harm"], ...specs: ReadonlyArray<string>): ReadonlyArray<Fault> =>
  specs.map((spec) => ({ harm, spec: Effect.succeed(spec) }))

/**
 * What can go wrong, the likelier the more often it stands here.
 *
 * Left out is what no client can see: a clean end between two lines, so that a body that ends cleanly here ends inside a
 * record; and compressed bytes that are wrong, of which the checksum tells at the end.
 */
const faults: Arr.NonEmptyReadonlyArray<Fault> = [
  after("once", "reset-after=", 200_000),
  after("once", "reset-after=", 200_000),
  after("once", "reset-after=record:", 3_000),
  after("once", "close-after=", 200_000),
  after("once", "close-after=", 200_000),
  after("once", "stall-after=", 200_000),
  after("once", "truncate-after=within:", 3_000),
  after("once", "truncate-after=within:", 3_000),
  after("once", "gzip-cut=", 40_000),
  after("once", "cut-line=", 3_000),
  after("once", "error-line=", 3_000),
  after("damages", "damage=", 200_000),
  ...plain(
    "once",
    "status=500",
    "status=502;body=empty;headers=none",
    "status=503;body=html",
    "status=429;headers=none;retry-after=1",
    "error-body,echo-key",
    "reset",
    "close",
    "garbage",
    "content-length=5",
    "stall"
  ),
  ...plain("damages", "latin1"),
  ...plain("nonsense", "envelope=data-null", "wrong-type=time"),
  ...plain("ends", "redirect=http://elsewhere.invalid", "foreign-token", following),
  ...plain(
    "passes",
    "slow=50",
    "drip=20000",
    "empty-page",
    "empty-page=3",
    "foreign-next-url",
    "extra-fields",
    "duplicate-keys",
    "number=9007199254740993",
    "tail",
    "tail=warnings",
    "warnings=2,control-text",
    "long-token=100",
    "long-header=Link;size=8000",
    "bom",
    "split-utf8",
    "blank-lines",
    "crlf;headers=malformed",
    "rate-headers=absurd"
  )
]

const drawn = (share: number) =>
  Effect.gen(function* () {
    if ((yield* Random.next) >= share) return undefined
    const { harm, spec } = yield* Random.choice(faults)
    return { harm, spec: yield* spec }
  })

/** What the requests of one call have met, in the order in which they were sent. */
export interface Call {
  readonly met: Array<Harm>
}

/** The call whose requests are sent. */
const Current = Context.Reference<Call | undefined>("soak/Call", { defaultValue: () => undefined })

/** Runs a call, and hands what its requests have met to whoever handles its failure. */
export const call = <A, E, R, E2, R2>(
  self: Effect.Effect<A, E, R>,
  onFailure: (error: E, met: ReadonlyArray<Harm>) => Effect.Effect<unknown, E2, R2>
): Effect.Effect<void, E2, R | R2> =>
  Effect.suspend(() => {
    const current: Call = { met: [] }
    return self.pipe(
      Effect.provideService(Current, current),
      Effect.asVoid,
      Effect.catch((error) => Effect.asVoid(onFailure(error, current.met)))
    )
  })

/** Tells whether what a call met leaves it no way but to fail: without that, another attempt would have spared its error. */
export const explains = (met: ReadonlyArray<Harm>): boolean => {
  const [before, last] = met.slice(-2)
  return met.slice(-2).includes("ends") || (before === "damages" && last === "damages")
}

const has = ({ urlParams }: HttpClientRequest.HttpClientRequest, name: string, value?: string) =>
  urlParams.params.some((param) => param[0] === name && (value === undefined || param[1] === value))

const isFollowing = (request: HttpClientRequest.HttpClientRequest) => has(request, "next_page_token")

const harmOf = ({ harm }: Pick<Fault, "harm">, request: HttpClientRequest.HttpClientRequest): Harm => {
  if (harm !== "nonsense") return harm
  return has(request, "format", "json_stream") ? "damages" : "ends"
}

/** The header by which the stand-in is asked. */
const header = "x-sandbox-fault"

/** What has been asked for so far. */
export interface Asked {
  readonly requests: number
  /** How often, by kind. */
  readonly faults: Readonly<Record<string, number>>
}

/** Makes a client ask for faults with this share of its requests, in an order that follows from the seed; which loop meets which is up to chance. */
export const make = Effect.fnUntraced(function* (seed: number, share: number) {
  const asked = { requests: 0, faults: {} as Record<string, number> }
  // One generator for all requests, or each of them would begin the sequence anew.
  const random = yield* Random.withSeed(Effect.service(Random.Random), seed)
  const meet = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
    const fault = yield* Effect.provideService(drawn(share), Random.Random, random)
    const isMet = fault !== undefined && (fault.spec !== following || isFollowing(request))
    asked.requests += 1
    ;(yield* Current)?.met.push(isMet ? harmOf(fault, request) : "passes")
    if (!isMet) return request
    const kind = fault.spec.replace(/[=;,].*$/, "")
    asked.faults[kind] = (asked.faults[kind] ?? 0) + 1
    return HttpClientRequest.setHeader(request, header, fault.spec)
  })
  return {
    disturb: HttpClient.mapRequestEffect(meet),
    asked: Effect.sync((): Asked => ({ requests: asked.requests, faults: { ...asked.faults } }))
  }
})
