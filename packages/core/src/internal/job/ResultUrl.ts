/**
 * Decides which addresses of results are read. They come from the service, lie on another host, and are fetched without the
 * key.
 */
import * as Predicate from "effect/Predicate"
import * as Root from "../../Root.ts"

/** What the decision depends on. */
export interface Options {
  readonly root: Root.Root
  /** Removes the key from text, however it is escaped there. */
  readonly scrub: (text: string) => string
}

/** The longest address that is read. Signed ones have about a thousand characters. */
const longest = 8_000

/**
 * Why an address is not read; nothing where it is. The address is not quoted, because its signature is a secret.
 *
 * An address inside a private network is read only where the root is local, as that of a test: a program with access to such
 * a network must not be led into it. Only addresses written as numbers, and names that are private by definition, are
 * recognised; what other names resolve to is not known here.
 */
export const issue = (text: unknown, { root, scrub }: Options): string | undefined => {
  if (!Predicate.isString(text) || text === "") return "it has no address"
  if (text.length > longest) return `its address is longer than ${longest} characters`
  const url = URL.parse(text)
  if (url === null) return "its address is no absolute URL"
  if (url.protocol !== "https:" && url.protocol !== "http:") return "its address is no http(s) URL"
  if (url.username !== "" || url.password !== "") return "its address holds credentials"
  if (scrub(url.href) !== url.href || url.searchParams.has("api_key")) return "its address holds an API key"
  if (Root.isLocal(root)) return undefined
  if (url.protocol === "http:" && root.url.startsWith("https:")) return "its address is not https, as the service is"
  return isPrivate(url.hostname) ? "its address is inside a private network" : undefined
}

/** Names that never lead to a public host (RFC 6761, RFC 6762, RFC 8375), and names without a dot. */
const privateName = /(?:^|\.)(?:localhost|local|internal|lan|home|corp|intranet|home\.arpa)\.?$|^[^.:[\]]+\.?$/

const isPrivate = (host: string): boolean => {
  // `URL` writes an IPv4 address in any of its forms as four decimal numbers.
  const four = /^(\d+)\.(\d+)\.\d+\.\d+$/.exec(host)
  if (four !== null) return isPrivateFour(Number(four[1]), Number(four[2]))
  return host.startsWith("[") ? isPrivateSix(host.slice(1, -1)) : privateName.test(host)
}

const isPrivateFour = (first: number, second: number): boolean =>
  [0, 10, 127].includes(first) ||
  first >= 224 ||
  (first === 100 && second >= 64 && second < 128) ||
  (first === 169 && second === 254) ||
  (first === 172 && second >= 16 && second < 32) ||
  (first === 192 && (second === 0 || second === 168)) ||
  (first === 198 && (second === 18 || second === 19))

/** Only 2000::/3 is public; within it, 2002::/16 and 2001::/32 hold IPv4 addresses. */
const isPrivateSix = (host: string): boolean => !/^[23][\da-f]{3}:/.test(host) || /^2002:|^2001:(?::|0:)/.test(host)
