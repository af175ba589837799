/**
 * Refuses a parameter that an endpoint does not have, with the one that was perhaps meant. The endpoint refuses it too, but
 * knows no such names: each page of a browser would load the search for them.
 */
import { InvalidRequest } from "@sluice/core/ApiError"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Params from "@sluice/core/Params"
import { withoutKey } from "@sluice/core/PlainText"
import * as Effect from "effect/Effect"
import { nearest } from "@sluice/node/internal/options/Nearest"

/** Fails at the first parameter that resembles one of the endpoint, such as `startTime`. Others are left to the endpoint. */
export const check = Effect.fnUntraced(function* (
  { parameters, path }: Endpoint.Info,
  params: object | undefined
): Effect.fn.Return<void, InvalidRequest> {
  const known = [...parameters.keys()]
  for (const [name, value] of Object.entries(params ?? {})) {
    const meant = parameters.has(name) || value === undefined ? undefined : nearest(name, known)
    if (meant === undefined) continue
    return yield* new InvalidRequest({
      endpoint: path,
      kind: "unknown",
      parameter: name,
      value: withoutKey(Params.items(value).join(",") || String(value)),
      reason: `is not a parameter of this endpoint; did you mean ${JSON.stringify(meant)}?`
    })
  }
})
