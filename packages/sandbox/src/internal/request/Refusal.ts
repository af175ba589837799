/** The documented refusals: status, stable type and message (docs/interface.md 7). */
import * as Schema from "effect/Schema"

/** A request that the service answers with an error. */
export class Refusal extends Schema.TaggedError<Refusal>()("Refusal", {
  status: Schema.Int,
  type: Schema.String,
  message: Schema.String
}) {}

const refuse = (status: number, type: string, message: string): Refusal => new Refusal({ status, type, message })

/** Refuses a parameter. */
export const badParameter = (name: string, detail: string): Refusal =>
  refuse(400, "bad_parameter", `Bad parameter '${name}'. ${detail}`)

/** Refuses one value of a parameter, in the words that clients are known to read the value from. */
export const unsupported = (name: string, value: string): Refusal =>
  badParameter(name, `Value '${value}' is not supported.`)

/** Refuses an alert that does not exist: 404, though with the type of a 400 (docs/interface.md 7.2). */
export const unknownAlert = (value: string): Refusal =>
  refuse(404, "bad_parameter", `Bad parameter 'alerts'. Value '${value}' is not supported.`)

/** Refuses a query without a parameter that must be there; the service's own refusal is unknown. */
export const missing = (name: string): Refusal => badParameter(name, "Missing required parameter.")

/** Refuses a parameter that cannot stand beside another; the service's own words are unknown. */
export const exclusive = (name: string, other: string): Refusal =>
  badParameter(name, `It cannot be used together with '${other}'.`)

/** Refuses a request without a key at the paid root. */
export const unauthorized: Refusal = refuse(401, "unauthorized", "Requested resource requires authorization.")

/** Refuses a key that nobody holds. */
export const wrongCredentials: Refusal = refuse(401, "wrong_credentials", "Supplied credentials are not valid.")

/** Refuses a whole path that the key, or the community root, does not include. */
export const forbidden: Refusal = refuse(
  403,
  "forbidden",
  "Requested resource is not available with supplied credentials."
)

/** Refuses one metric that the key does not include. */
export const forbiddenMetric = (metric: string, frequency: string, asset: string): Refusal =>
  refuse(
    403,
    "forbidden",
    `Requested metric '${metric}' with frequency '${frequency}' for asset '${asset}' is not available with supplied credentials.`
  )

/** Refuses what does not exist; the service's own body is unknown. */
export const unknown = (what: string): Refusal => refuse(404, "not_found", `${what} not found.`)

/** Refuses a path that does not exist. */
export const notFound = (path: string): Refusal => unknown(`Path '${path}'`)

/** Refuses a method other than GET (docs/interface.md 4; the status is an assumption). */
export const methodNotAllowed = (method: string): Refusal =>
  refuse(405, "method_not_allowed", `Method '${method}' is not allowed.`)

/** Refuses a URI of more than 10000 characters; answered without a body. */
export const uriTooLong: Refusal = refuse(414, "uri_too_long", "")

/** Refuses a request beyond the plan's window; the body is an assumption (docs/interface.md 8.3). */
export const rateLimitExceeded: Refusal = refuse(
  429,
  "rate_limit_exceeded",
  "Too many requests. See the X-RateLimit headers for the limit in force."
)

/** Refuses a connection beyond those that a key may have; status and body are assumptions (docs/interface.md 6.1). */
export const tooManyConnections: Refusal = refuse(429, "rate_limit_exceeded", "Too many parallel connections.")
