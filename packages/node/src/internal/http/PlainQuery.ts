/**
 * Writes commas, colons and other characters that a query may contain without escapes.
 *
 * `URLSearchParams` escapes them, which makes a list of names up to three times as long, and the service reads at most
 * 10,000 characters. It happens here, below the `HttpClient`, because the key must not be text where a program can see it.
 */
import type * as Undici from "@effect/platform-node/Undici"

// RFC 3986 3.4, without characters that a service may read as a separator or a space (`&`, `;`, `=`, `+`). `Uri.ts` of core
// counts the length in the same way.
const needless = /%(?:21|24|28|29|2C|2F|3A|3F|40|7E)/g

/** Removes unneeded escapes from the query of a request target. Its meaning stays the same. */
export const withPlainQuery = (target: string): string => {
  const at = target.indexOf("?")
  if (at === -1) return target
  // `URLSearchParams` writes a space as a plus sign, which not every service reads as a space.
  const query = target.slice(at).replaceAll("+", "%20").replaceAll(needless, decodeURIComponent)
  return `${target.slice(0, at)}${query}`
}

/** Sends every request with such a query. */
export const plainQuery: Undici.Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch({ ...options, path: withPlainQuery(options.path) }, handler)
