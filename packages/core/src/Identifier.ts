/** Identifiers of external providers, for filters that accept them (docs/interface.md 11.1). */
import type * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/**
 * Text that names one thing in a filter: the service's own name, `<namespace>:<symbol>` or `<namespace>:by-id:<id>`.
 *
 * **Details**
 *
 * The only known namespace is `talos`. Plain text is accepted too, and checked when the call runs.
 */
export type Identifier = string & Brand.Brand<"Identifier">

/** A namespace known today, or one the service adds later. */
export type Namespace = "talos" | (string & {})

/** A symbol. For a market, the symbol of its exchange comes first. */
export type Symbols = readonly [string] | readonly [exchange: string, symbol: string]

/** A number. For a market, the number of its exchange comes first. */
export type Ids = readonly [number | bigint] | readonly [exchange: number | bigint, symbol: number | bigint]

/** The text has none of the forms that the service looks up. */
export class NotIdentifier extends Schema.TaggedError<NotIdentifier>()("NotIdentifier", { text: Schema.String }) {
  override get message() {
    return `"${this.text}" is no identifier: expected a name, <namespace>:<symbol> or <namespace>:by-id:<number>`
  }
}

// Assumed: a market's provider name has two parts (`talos:coinbase:BTC-USD`, `talos:by-id:1001:24`; docs/interface.md
// 11.1).
const byNumber = /^[^:,\s]+:by-id(?::\d+){1,2}$/
const bySymbolText = /^[^:,\s]+(?<!:by-id)(?::(?!by-id(?::|$))[^:,\s][^:,]*){1,2}$/
const name = /^[^:,]*[^:,\s][^:,]*$/

/** Tells whether text has one of the three forms. */
export const isIdentifier = (text: string): text is Identifier =>
  text === text.trim() && (name.test(text) || byNumber.test(text) || bySymbolText.test(text))

const checked = (text: string): Result.Result<Identifier, NotIdentifier> =>
  isIdentifier(text) ? Result.succeed(text) : Result.fail(new NotIdentifier({ text }))

/** Builds the service's own name of a thing, such as `btc`. */
export const byName = (name: string): Result.Result<Identifier, NotIdentifier> =>
  name.includes(":") ? Result.fail(new NotIdentifier({ text: name })) : checked(name)

/**
 * Builds a provider's name of a thing: `bySymbol("talos", "BTC")` is `talos:BTC`. A market's has two parts, exchange and
 * symbol.
 */
export const bySymbol = (namespace: Namespace, ...symbol: Symbols): Result.Result<Identifier, NotIdentifier> => {
  const text = [namespace, ...symbol].join(":")
  const isWhole = [namespace, ...symbol].every((part) => !part.includes(":"))
  return isWhole && bySymbolText.test(text) ? checked(text) : Result.fail(new NotIdentifier({ text }))
}

/**
 * Builds a provider's number of a thing: `byId("talos", 24)` is `talos:by-id:24`. A market's has two parts.
 *
 * A number too large for JavaScript goes as a bigint.
 */
export const byId = (namespace: Namespace, ...id: Ids): Result.Result<Identifier, NotIdentifier> => {
  const text = [namespace, "by-id", ...id].join(":")
  const isExact = id.every((part) => typeof part === "bigint" || Number.isSafeInteger(part))
  return isExact && byNumber.test(text) ? checked(text) : Result.fail(new NotIdentifier({ text }))
}

/** {@link byName} for a name known to be one; throws `NotIdentifier`. */
export const byNameUnsafe = (name: string): Identifier => Result.getOrThrow(byName(name))

/** {@link bySymbol} for parts known to be right; throws `NotIdentifier`. */
export const bySymbolUnsafe = (namespace: Namespace, ...symbol: Symbols): Identifier =>
  Result.getOrThrow(bySymbol(namespace, ...symbol))

/** {@link byId} for parts known to be right; throws `NotIdentifier`. */
export const byIdUnsafe = (namespace: Namespace, ...id: Ids): Identifier => Result.getOrThrow(byId(namespace, ...id))
