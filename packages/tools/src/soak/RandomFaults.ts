/**
 * Faults at random: some of the requests of a client ask the stand-in service to misbehave.
 */
import { Simulation } from "@sluice/sandbox"
import { HttpClient, HttpClientRequest } from "effect/http"
import * as Draw from "../../../core/test/Draw.ts"

/** Faults that another attempt passes, but for those by which a call waits for a window, or for a body that drips. */
const faults = [...Simulation.transient, "cut-line=7", "error-line=7", "error-body", "blank-lines", "crlf"].filter(
  (fault) => !/429|drip/.test(fault)
)

/** Makes a client request faults with this share of its requests; which loop meets which does not follow from the seed. */
export const make = (seed: number, share: number) => {
  const draw = Draw.from(seed)
  return HttpClient.mapRequest((request) => {
    if (!draw.chance(share)) return request
    const fault = draw.one(faults).replace("#", () => String(draw.below(180_000)))
    return HttpClientRequest.setHeader(request, "x-sandbox-fault", fault)
  })
}
