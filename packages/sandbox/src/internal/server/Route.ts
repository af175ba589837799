/** Parses the path of a request: root, endpoint, and a fault in the path. */
import * as Result from "effect/Result"
import * as Endpoint from "../listing/Endpoint.ts"
import * as Tracker from "../../endpoints/blockchainV2/Tracker.ts"
import * as Chain from "../../endpoints/blockchainV2/Chain.ts"
import * as Catalog from "../../endpoints/catalog/Catalog.ts"
import * as Profile from "../../endpoints/Profile.ts"
import * as ReferenceData from "../../endpoints/ReferenceData.ts"
import * as Constituents from "../../endpoints/Constituents.ts"
import * as SecurityMaster from "../../endpoints/SecurityMaster.ts"
import * as Taxonomy from "../../endpoints/Taxonomy.ts"
import { jobs } from "../../endpoints/jobs/Jobs.ts"
import { assetMetrics } from "../../endpoints/timeseries/AssetMetrics.ts"
import * as Chains from "../../endpoints/timeseries/Chains.ts"
import * as HolderMetrics from "../../endpoints/timeseries/HolderMetrics.ts"
import * as Indexes from "../../endpoints/timeseries/Indexes.ts"
import * as Markets from "../../endpoints/timeseries/Markets.ts"
import * as Refusal from "../request/Refusal.ts"

export const endpoints: ReadonlyMap<string, Endpoint.Endpoint> = new Map(
  [
    ...ReferenceData.all,
    ...Profile.all,
    ...Taxonomy.all,
    ...Catalog.all,
    assetMetrics,
    ...HolderMetrics.all,
    ...Markets.all,
    ...Indexes.all,
    ...Chains.all,
    ...Constituents.all,
    ...Chain.all,
    ...SecurityMaster.all,
    ...Tracker.all,
    jobs
  ].map((source) => [source.path, Endpoint.make(source)])
)

export interface Route {
  readonly isCommunity: boolean
  /** The spec in the path; undefined when there is none. */
  readonly fault: string | undefined
  readonly path: string
}

const form = /^(?:\/fault\/([^/]*))?(\/community)?\/v4(\/[^?]*)$/

/** Decodes a part of a path. A malformed escape is kept as it stands; the fault grammar then refuses it by name. */
export const decoded = (text: string): string =>
  Result.getOrElse(
    Result.try(() => decodeURIComponent(text)),
    () => text
  )

const templates = [...endpoints.values()]
  .filter(({ path }) => path.includes("{"))
  .map((endpoint) => ({ endpoint, form: new RegExp(`^${endpoint.path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`) }))

const none: Endpoint.Parts = new Map()

export const find = (
  path: string
): { readonly endpoint: Endpoint.Endpoint; readonly parts: Endpoint.Parts } | undefined => {
  const endpoint = endpoints.get(path)
  if (endpoint !== undefined) return { endpoint, parts: none }
  for (const { endpoint, form } of templates) {
    const groups = form.exec(path)?.groups
    if (groups === undefined) continue
    return { endpoint, parts: new Map(Object.entries(groups).map(([name, text]) => [name, decoded(text)])) }
  }
  return undefined
}

export const parse = (pathname: string): Result.Result<Route, Refusal.Refusal> => {
  const match = form.exec(pathname)
  if (match === null) return Result.fail(Refusal.notFound(pathname))
  return Result.succeed({
    isCommunity: match[2] !== undefined,
    fault: match[1] === undefined ? undefined : decoded(match[1]),
    path: match[3] ?? ""
  })
}

export const split = (url: string): readonly [pathname: string, search: string] => {
  const at = url.indexOf("?")
  return at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)]
}

const longest = 10_000

export const refuse = (
  url: string,
  needed: { readonly name: string | undefined; readonly key: unknown } | undefined
): Refusal.Refusal | undefined => {
  if (url.length > longest) return Refusal.uriTooLong
  if (needed === undefined || needed.key !== undefined) return undefined
  return needed.name === undefined || needed.name === "" ? Refusal.unauthorized : Refusal.wrongCredentials
}
