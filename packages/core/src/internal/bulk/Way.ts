/** In which way a part is read, which decides how many requests it takes. */
import * as Call from "../call/Call.ts"
import * as Estimate from "./Estimate.ts"

/** A way to read a part. All but the first read a json_stream where need be; `format` is the parameter that asks for it. */
export type Way =
  /** As its parameters say: as pages, or as the json_stream that they choose. */
  | { readonly _tag: "AsGiven" }
  /** As one page that all records fit. */
  | { readonly _tag: "PageFirst"; readonly format: string }
  /** By a last page of so many records, which is all of a small part. */
  | { readonly _tag: "LastPage"; readonly format: string; readonly size: number }
  | { readonly _tag: "Stream"; readonly format: string }

/** What decides of an endpoint. */
interface Formatted extends Estimate.Estimated {
  readonly formats: ReadonlyArray<string>
}

/**
 * Chooses a json_stream where the endpoint offers it, unless the parameters choose a format or set paging. Where all records
 * fit a small page, that page is one request, and a json_stream takes another to check its end. A page has to be there before
 * its first byte is sent, and starts anew when it is cut off, so the json_stream is read where it does not come.
 */
export const of = (info: Formatted, params: object, checkEnd: boolean): Way => {
  const call = Call.make(info, params)
  const format = Call.nameOf(call, "Format")
  const isChosen = Call.givenName(call, "Format") !== undefined || Call.setsPaging(call)
  if (!info.formats.includes("json_stream") || isChosen || format === undefined) return { _tag: "AsGiven" }
  if (Estimate.fitsPage(info, params)) return { _tag: "PageFirst", format }
  const size = checkEnd ? Estimate.lastPageSize(info, params) : undefined
  return size === undefined ? { _tag: "Stream", format } : { _tag: "LastPage", format, size }
}
