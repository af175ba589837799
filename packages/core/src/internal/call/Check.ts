/** Checks the parameters of a call before anything is sent. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { InvalidRequest } from "../../ApiError.ts"
import * as Parameter from "../../Parameter.ts"
import * as Params from "../../Params.ts"
import { withoutKey } from "../../PlainText.ts"

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/**
 * Checks parameters against an endpoint's schema.
 *
 * Fails with `InvalidRequest` for the first parameter that is unknown, missing, out of range, or excluded by another.
 */
export const make = <P>(endpoint: string, schema: Schema.Codec<P, P>) => {
  const decode = Schema.decodeUnknownEffect(schema, { onExcessProperty: "error" })
  return (params: unknown): Effect.Effect<P, InvalidRequest> =>
    Effect.mapError(decode(params), ({ issue }) => {
      const [first] = issuesOf(issue).issues
      const kind = kindOf(issue)
      const parameter = first?.path?.[0]
      const name = parameter === undefined ? undefined : String(parameter)
      const value = name === undefined || !Predicate.isObject(params) ? undefined : Reflect.get(params, name)
      return new InvalidRequest({
        endpoint,
        kind,
        parameter: name,
        value: value === undefined ? undefined : withoutKey(Params.items(value).join(",") || String(value)),
        reason:
          (name === undefined ? undefined : sentences[kind]) ??
          withoutKey(`${withValue(first?.message ?? "not readable", value)}`)
      })
    })
}

const sentences: { readonly [Kind in InvalidRequest["kind"]]?: string } = {
  missing: "is required",
  unknown: "is not a parameter of this endpoint"
}

/** The kind of the first issue, whose message is shown. */
const kindOf = (issue: SchemaIssue.Issue): InvalidRequest["kind"] => {
  switch (issue._tag) {
    case "MissingKey":
      return "missing"
    case "UnexpectedKey":
      return "unknown"
    case "Composite":
      return kindOf(issue.issues[0])
    case "Pointer":
      return kindOf(issue.issue)
    case "Filter":
      if (Parameter.isRequiring(issue.filter.annotations)) return "missing"
      return Parameter.excludedBy(issue.filter.annotations) === undefined ? "malformed" : "excluded"
    default:
      return "malformed"
  }
}

/** A sentence with the refused value, which many name already. */
const withValue = (sentence: string, value: unknown): string => {
  if (!Predicate.isString(value) && !Predicate.isNumber(value) && !Predicate.isBoolean(value)) return sentence
  const shown = JSON.stringify(value)
  const has = /, got |^cannot be c|^needs "/.test(sentence) || (Predicate.isString(value) && sentence.includes(shown))
  return has ? sentence : `${sentence}, got ${shown}`
}
