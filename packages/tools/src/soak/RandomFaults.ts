/**
 * Faults at random: some of the requests of a client ask the stand-in service to misbehave.
 */
import type { ApiError } from "@sluice/core"
import { Context, Effect } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import * as Draw from "../../../core/test/Draw.ts"
import * as Faults from "../chaos/Faults.ts"
import * as Tool from "../Tool.ts"

const setting = {
  world: "wire",
  firstByte: 2_000,
  idle: 2_000,
  gzip: true,
  latency: 0,
  limits: { maxPageBytes: Infinity, maxLineBytes: Infinity },
  deprecated: "ignore",
  breaks: () => false
} as const

const unfit = /^(?:missing|wrong-type|gzip-bomb|endless)$/

/** Kinds whose number is a place, and not a length. */
const isCut = /^(?:\w+-after|damage)$/

/** Which errors the fault of a request explains. */
export interface Met {
  readonly spec: string
  readonly fails: ReadonlyArray<Faults.Tag>
}

/**
 * What a fault may do to a request, which brings lines or a page; undefined where it takes away or changes what is compared, and
 * where it sends so much that resident memory tells of it and of nothing else.
 */
export const meet = (spec: string, isLines: boolean): Met | undefined => {
  const faults = Faults.parse(spec)
  const effects = faults.map((fault) => Faults.effectsOf(fault, { ...setting, isLines, isPaged: !isLines }))
  const isSeen = effects.every(({ records = "altered" }) => records === "altered")
  const isFit = faults.every(({ amount, kind }) => !unfit.test(kind) && (isCut.test(kind) || !(amount > 10_000)))
  if (!isSeen || !isFit) return undefined
  // What was altered is not found again by an attempt that reads on from it.
  const mayDiffer = isLines && effects.some(({ records }) => records === "altered")
  return {
    spec,
    fails: [...effects.flatMap(({ fails }) => fails ?? []), ...(mayDiffer ? ["Unavailable" as const] : [])]
  }
}

/** The call whose requests are sent, with what each has met. */
const Current = Context.Reference<Array<Met> | undefined>("soak/Call", { defaultValue: () => undefined })

/** Whether the last requests of a call explain its failure. If not, another attempt would have spared it. */
export const explains = (met: ReadonlyArray<Met>, { _tag }: ApiError.ApiError): boolean =>
  met.slice(-2).some(({ fails }) => fails.includes(_tag))

/** Runs a call, and tells of its failure and whether that is explained. */
export const call = <A, R>(
  self: Effect.Effect<A, ApiError.ApiError, R>,
  onFailure: (error: ApiError.ApiError, isExplained: boolean) => void
): Effect.Effect<void, never, R> =>
  Effect.suspend(() => {
    const met: Array<Met> = []
    return self.pipe(
      Effect.provideService(Current, met),
      Effect.asVoid,
      Effect.catch((error) => Effect.sync(() => onFailure(error, explains(met, error))))
    )
  })

/** Makes a client request faults with this share of its requests; which loop meets which does not follow from the seed. */
export const make = (seed: number, share: number) => {
  const draw = Draw.from(seed)
  const counts: Record<string, number> = {}
  const drawn = (isLines: boolean): Met => {
    const context = { ...setting, isPaged: !isLines, fields: ["time"], reach: 20 }
    return meet(Faults.draw(draw, context, 1), isLines) ?? drawn(isLines)
  }
  const disturb = HttpClient.mapRequestEffect(
    Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
      const isLines = request.urlParams.params.some(([name, value]) => name === "format" && value === "json_stream")
      const met = draw.chance(share) ? drawn(isLines) : { spec: "", fails: [] }
      ;(yield* Current)?.push(met)
      for (const { kind } of Faults.parse(met.spec)) Tool.count(counts, kind)
      return met.spec === "" ? request : HttpClientRequest.setHeader(request, "x-sandbox-fault", met.spec)
    })
  )
  return { disturb, counts }
}
