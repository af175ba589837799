/**
 * Writes commas, colons and whatever else a query may hold as they are, as a request leaves.
 *
 * `URLSearchParams` escapes them, which makes a list of names up to three times as long, and the service reads no more than
 * 10,000 characters. This is done here, below the `HttpClient`, because the key must be no text where a program can see it.
 */
import type * as Undici from "@effect/platform-node/Undici"

// RFC 3986 3.4, without what some service reads as a separator or a space (`&`, `;`, `=`, `+`), as `Uri.ts` of core counts.
const needless = /%(?:21|24|28|29|2C|2F|3A|3F|40|7E)/g

/** Writes the query of a request target with as few escapes as are needed; it says the same. */
export const withPlainQuery = (target: string): string => {
  const at = target.indexOf("?")
  if (at === -1) return target
  // A plus sign stands for a space, which not every service knows.
  const query = target.slice(at).replaceAll("+", "%20").replaceAll(needless, decodeURIComponent)
  return `${target.slice(0, at)}${query}`
}

/** Sends every request with such a query. */
export const plainQuery: Undici.Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch({ ...options, path: withPlainQuery(options.path) }, handler)
