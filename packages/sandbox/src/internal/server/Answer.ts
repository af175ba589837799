/** Answers an admitted request: parameters, paging, format and body. */
import * as Effect from "effect/Effect"
import * as Body from "../reply/Body.ts"
import type { Caller } from "../request/Caller.ts"
import * as Endpoint from "../listing/Endpoint.ts"
import * as Spec from "../faults/Spec.ts"
import * as LineFaults from "../faults/LineFaults.ts"
import type { EchoedText } from "../faults/EchoedText.ts"
import * as RecordFaults from "../faults/RecordFaults.ts"
import * as TokenFaults from "../faults/TokenFaults.ts"
import * as BodyFaults from "../faults/BodyFaults.ts"
import * as Listing from "../listing/Listing.ts"
import type { Settings } from "./Options.ts"
import * as Paging from "../listing/Paging.ts"
import * as Offered from "../request/Offered.ts"
import * as Query from "../request/Query.ts"
import * as Refusal from "../request/Refusal.ts"
import type { Reply } from "../reply/Reply.ts"

export interface Request {
  readonly endpoint: Endpoint.Endpoint
  readonly parts: Endpoint.Parts
  readonly caller: Caller
  readonly query: Query.Query
  readonly faults: ReadonlyArray<Spec.Fault>
  readonly quotation: EchoedText
  /** Address of the endpoint as the caller wrote it, without the query. */
  readonly pageUrl: string
}

// A page of up to this many records is written at once and sent with its length.
const small = 1000

const tokenMembers = (request: Request, token: string): string => {
  const url = `${TokenFaults.url(request.pageUrl, request.faults)}?${Query.withParameter(request.query, "next_page_token", token)}`
  return `,"next_page_token":${JSON.stringify(token)},"next_page_url":${JSON.stringify(url)}`
}

// The service may send one object or an array, under either name (docs/interface.md 2.8).
const warningMember = ({ warnings }: Listing.Listing, { dialect: { protocolWarnings } }: Settings): string => {
  if (warnings === undefined) return ""
  if (protocolWarnings === "plural") return `,"warnings":${JSON.stringify(warnings)}`
  return `,"warning":${JSON.stringify(protocolWarnings === "array" ? warnings : warnings[0])}`
}

const heartbeatMember = ({ heartbeats }: Listing.Listing): string =>
  heartbeats === undefined ? "" : `,"heartbeats":${JSON.stringify(heartbeats)}`

// Undefined when the whole list is one reply: with json_stream, and where an endpoint has no paging.
const paging = Effect.fnUntraced(function* ({ caller, endpoint, query }: Request, isStream: boolean) {
  const usual = Endpoint.pagingFrom(endpoint)
  if (isStream || usual === "none") return undefined
  const { maximum, otherwise } = Endpoint.pageSize(endpoint, query, caller.dialect)
  const size = Query.integer(query, "page_size") ?? otherwise
  if (size > maximum) return yield* Refusal.badParameter("page_size", `Must be at most ${maximum}.`)
  const asked = query.get("paging_from")
  const from: Paging.From = asked === undefined ? usual : asked === "start" ? "start" : "end"
  return { size, from }
})

const slice = Effect.fnUntraced(function* (
  request: Request,
  listing: Listing.Listing,
  paged: { readonly size: number; readonly from: Paging.From } | undefined,
  settings: Settings
) {
  const { endpoint, faults, query } = request
  const warning = Spec.has(faults, "warnings") ? "" : warningMember(listing, settings)
  // Members added by a fault come last, after the tokens.
  const shows = (from: number, to: number, tokens = "") => ({
    from,
    to,
    tail: `${warning}${heartbeatMember(listing)}${tokens}${TokenFaults.members(faults, listing, { from, to }, request.quotation.sentence)}`
  })
  if (paged === undefined) return shows(0, listing.length)
  const { from, size } = paged
  const binding = Paging.binding([endpoint.path, ...request.parts.values()].join(" "), query)
  const token = query.get("next_page_token")
  const position: Paging.Position =
    token === undefined
      ? { at: Paging.first(from, listing.length), empty: 0 }
      : yield* Paging.position(token, binding, from, listing)
  const empties = Spec.find(faults, "empty-page")?.amount ?? 0
  if (position.empty < empties) {
    const again = Paging.token(binding, from, { ...position, empty: position.empty + 1 }, listing)
    return shows(0, 0, tokenMembers(request, again))
  }
  const page = Paging.page(from, position.at, size, listing.length, settings.dialect.emptyLastPage === "yes")
  const next = page.next === undefined ? undefined : Paging.token(binding, from, { at: page.next, empty: 0 }, listing)
  const shown = TokenFaults.next({ binding, from, listing, size, token, position, next }, faults)
  const overlap = token === undefined ? 0 : (Spec.find(faults, "overlap")?.amount ?? 0)
  return shows(
    from === "start" ? Math.max(0, page.from - overlap) : page.from,
    from === "end" ? Math.min(listing.length, page.to + overlap) : page.to,
    shown === undefined ? "" : tokenMembers(request, shown)
  )
})

/** A request as the community root reads it: it refuses what it has disabled, or ignores it. */
const atRoot = (request: Request): Effect.Effect<Request, Refusal.Refusal> => {
  const { caller, endpoint, query } = request
  const names = caller.isCommunity ? Offered.disabled(endpoint.operation).filter((name) => query.has(name)) : []
  const [first] = names
  if (first === undefined) return Effect.succeed(request)
  if (caller.dialect.disabledParameters === "reject") {
    return Effect.fail(Refusal.badParameter(first, "Parameter is disabled."))
  }
  return Effect.succeed({ ...request, query: new Map([...query].filter(([name]) => !names.includes(name))) })
}

export const make = Effect.fnUntraced(function* (
  incoming: Request,
  settings: Settings,
  onRecords: (count: number) => void
) {
  const request = yield* atRoot(incoming)
  const { caller, endpoint, faults, query } = request
  if (settings.dialect.unknownParameters === "reject") {
    // The official Python client sends the parts of a path a second time.
    yield* Query.refuseUnknown(query, [...Offered.known(endpoint.operation), ...request.parts.keys()])
  }
  const given = yield* Offered.read(endpoint.operation, query, caller.isCommunity)
  const isStream = Offered.isStream(endpoint.operation, query)
  const isPretty = Query.flag(query, "pretty")
  const paged = yield* paging(request, isStream)
  if (caller.isCommunity && !Endpoint.isCommunity(endpoint)) return yield* Refusal.forbidden
  if ((caller.licence.withoutPaths ?? []).includes(endpoint.path)) return yield* Refusal.forbidden
  const gone = Spec.find(faults, "removed")?.amount ?? 0
  const listing = Listing.drop(yield* endpoint.list(given, caller, request.parts), gone)
  const batch = BodyFaults.countsRecords(faults) ? 1 : Body.BATCH
  const reply = (text: Iterable<string>, isSmall: boolean): Reply => ({
    status: 200,
    headers: { "Content-Type": isStream ? "application/x-ndjson" : "application/json", Vary: "Accept-Encoding" },
    content: BodyFaults.content(Body.encode(text), isSmall, faults)
  })
  if (isStream) {
    const text = Body.lines(RecordFaults.apply(listing, faults, 0, listing.length), batch, onRecords)
    return reply(LineFaults.apply(text, faults, request.quotation.sentence), false)
  }
  if (Endpoint.isSingle(endpoint)) {
    const text = RecordFaults.apply(listing, faults, 0, 1).rows(0, 1)
    onRecords(1)
    return reply(isPretty ? [`${JSON.stringify(JSON.parse(text.join("")), null, 2)}\n`] : text, true)
  }
  const part = yield* slice(request, listing, paged, settings)
  const { from, to } = part
  const ordered = Spec.has(faults, "reversed") ? Listing.reverse(listing, from, to) : listing
  // The envelope around one page (docs/interface.md 2.1).
  const records = RecordFaults.apply(ordered, faults, from, to)
  const text = Body.between('{"data":[', records, part, `]${part.tail}}`, batch, onRecords)
  // With a fault, the reply is not reformatted, which would undo the fault.
  if (!isPretty || faults.length > 0) return reply(text, to - from <= small)
  return reply([`${JSON.stringify(JSON.parse([...text].join("")), null, 2)}\n`], to - from <= small)
})
