/** What to do about failures of requests, of live streams and of jobs. */
import type { ApiError } from "@sluice/core/ApiError"
import type { BadSplit, PlanExceeded } from "@sluice/core/Bulk"
import type { JobError, JobUnread } from "@sluice/core/JobError"
import type { LiveError } from "@sluice/core/LiveError"
import * as Advice from "./Advice.ts"
import * as ClusterAdvice from "./ClusterAdvice.ts"

/** A request was refused, or got no reply that can be read. */
export type RequestFailure = ApiError | LiveError | BadSplit | PlanExceeded | Exclude<JobError, JobUnread>

const waitLonger = () => `Try again then, or allow a longer wait: ${Advice.placesOf("longestWait")}.`

/** Whether a root is a URL that does not end in a version, as those of the service do. */
const lacksVersion = (root: string | undefined) =>
  root !== undefined && /^https?:/i.test(root) && !/\/v\d+\/*$/.test(root)

export const flagOf = (option: PlanExceeded["option"]): string =>
  option === "maxBytes" ? "--max-bytes" : "--max-requests"

export const advice: Advice.Table<RequestFailure> = {
  InvalidRequest: {
    kind: "usage",
    next: ({ endpoint, kind, parameter = "" }) => {
      // The header of a fault of the stand-in: no endpoint has it, and the reason says where its kinds are listed.
      if (parameter.startsWith("x-")) return undefined
      // One of several is missing, which the message names.
      if (kind === "missing" && parameter !== "") return `Add --${parameter}; ${Advice.describe(endpoint)}`
      return kind === "refused" ? Advice.listing(endpoint, parameter) : Advice.describe(endpoint)
    }
  },
  BadSplit: {
    kind: "usage",
    next: ({ endpoint, parameter = "", wildcard }) =>
      wildcard === undefined || !endpoint.startsWith("/timeseries/")
        ? Advice.describe(endpoint)
        : `${Advice.listing(endpoint, parameter)} Name some, or split by time alone with \`--every\`.`
  },
  PlanExceeded: {
    kind: "usage",
    next: ({ option }) =>
      `Allow more with \`${flagOf(option)}\`, or ask for less: \`sluice plan\` says what each entity takes.`
  },
  Unauthorized: {
    kind: "key",
    next: (_, target) => {
      if (target.withheldFrom !== undefined) return Advice.withheld(target, target.withheldFrom)
      if (!target.hasKey) return "No key was sent: set SLUICE_API_KEY, or api_key in the config file."
      return "Check the key: SLUICE_API_KEY, or api_key in the config file; `--root community` needs none."
    }
  },
  Forbidden: {
    kind: "licence",
    next: ({ plan, root }) =>
      root.includes("community")
        ? "The community root has only community data; other data needs a key and `--root paid`."
        : `The licence of this key${plan === undefined ? "" : ` (plan ${plan})`} does not cover it: request less, or ask the provider for a larger licence.`
  },
  NotFound: {
    kind: "missing",
    next: (_, { root }) =>
      lacksVersion(root)
        ? `Does the root ${root} lack /v4? If not, check the names in the request.`
        : "Check the names in the request; the reference-data endpoints list those that exist."
  },
  Deprecated: {
    kind: "missing",
    next: ({ replacement }) =>
      replacement.length === 0
        ? "`sluice endpoints` lists the endpoints."
        : `Use ${replacement.join(" or ")} instead; \`sluice endpoints\` lists the endpoints that sluice knows.`
  },
  RateLimited: {
    kind: "rate",
    next: ({ longestWait }) =>
      longestWait === undefined
        ? "Another program uses this key or address: wait, or stop that program; `sluice quota` shows what is left."
        : waitLonger()
  },
  Unavailable: {
    kind: "network",
    next: ({ kind, longestWait, phase, reason, transient }, target) => {
      const { root = "" } = target
      if (longestWait !== undefined) return waitLonger()
      if (kind === "quotaStore") return ClusterAdvice.onQuotaStore(reason, Advice.placesOf("quotaStore"))
      if (phase === "connect") {
        const isStandIn = /^https?:\/\/(?:localhost|127\.[\d.]+|\[::1\])[:/]/i.test(root)
        const first = isStandIn ? "Is `sluice sandbox` running? Otherwise check" : "Check"
        return `${first} the network, and that the root is right (--root, SLUICE_BASE_URL).${Advice.offline(target)}`
      }
      return transient
        ? `Try again later.${Advice.offline(target)}`
        : "If it happens again, report it to the provider with the trace."
    }
  },
  Decode: {
    kind: "reply",
    next: ({ setting }, { root }) =>
      setting === undefined
        ? lacksVersion(root)
          ? `Does the root ${root} lack /v4? If not, a newer version of sluice may read the reply.`
          : "The reply does not match the documented interface: a newer version of sluice may read it."
        : `If the reply is right, raise the limit: ${Advice.placesOf(setting)}.`
  },
  TooSlow: {
    kind: "system",
    next: "Read the output faster, raise --capacity, or choose another --when-full: suspend or drop-oldest."
  },
  TooManyConnections: { kind: "rate", next: "Close other live streams of this key." },
  JobUnconfirmed: { kind: "network", next: "Start it again only if a second job does no harm." },
  JobFailed: { kind: "missing", next: "Start it again, or report it to the provider." },
  JobExpired: { kind: "missing", next: "Start it again with `sluice jobs start`." },
  JobUnfinished: {
    kind: "incomplete",
    next: ({ id }) => `Later \`sluice jobs status ${id}\` tells whether it is done.`
  },
  JobUnknown: { kind: "missing", next: "Check the id; a job belongs to the key that started it." },
  JobResultRefused: { kind: "reply", next: "Report it to the provider." },
  JobResultGone: { kind: "missing", next: "Try again later, or start the job again." }
}
