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
 * - `damages`: the reply cannot be read, so it is requested once more; a second time ends the call.
 * - `ends`: the call ends, now or at its next request.
 */
export type Harm = "passes" | "once" | "damages" | "ends"

/** Only for requests with a token: without one, the stand-in would invent one that leads back to the first page. */
const following = "repeat-token"

/**
 * Valid JSON that is no record. A line may have been damaged in transit, so it is requested once more. A page that arrived
 * completely is what the service sent, so it is not.
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
 * The faults. One that is listed several times is drawn as often.
 *
 * Faults that no client can detect are left out: a clean end between two lines (so a clean end here is inside a record), and
 * wrong compressed bytes, which only the checksum at the end reveals.
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

/** The faults of the requests of one call, in the order they were sent. */
export interface Call {
  readonly met: Array<Harm>
}

/** The call whose requests are sent. */
const Current = Context.Reference<Call | undefined>("soak/Call", { defaultValue: () => undefined })

/** Runs a call, and passes the faults of its requests to the handler of its failure. */
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

/** Tells whether the faults of a call explain its failure. If not, another attempt would have avoided the error. */
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

/** The header that carries a fault to the stand-in. */
const header = "x-sandbox-fault"

/** The faults requested so far. */
export interface Asked {
  readonly requests: number
  /** How often, by kind. */
  readonly faults: Readonly<Record<string, number>>
}

/**
 * Makes a client request faults with this share of its requests. Their order follows from the seed; which loop meets
 * which does not.
 */
export const make = Effect.fnUntraced(function* (seed: number, share: number) {
  const asked: { requests: number; readonly faults: Record<string, number> } = { requests: 0, faults: {} }
  // One generator for all requests, or each of them would restart the sequence.
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
