/** Options that no compiler has checked. */
import { InvalidRequest } from "../../ApiError.ts"

/** Which values each option may have, and the same in words. */
export type Rules<Options> = Readonly<
  Record<keyof Options, readonly [allows: (value: unknown) => boolean, expected: string]>
>

/** The error of the first option that is unknown or has none of its values. */
export const faultOf = <Options extends object>(
  endpoint: string,
  rules: Rules<Options>,
  options: Options
): InvalidRequest | undefined => {
  const known = new Map<string, Rules<Options>[keyof Options]>(Object.entries(rules))
  for (const [parameter, value] of Object.entries(options)) {
    const [allows, expected] = known.get(parameter) ?? []
    if (allows === undefined || expected === undefined) {
      const reason = `is not a possible option; there are ${[...known.keys()].join(", ")}`
      return new InvalidRequest({ endpoint, kind: "unknown", parameter, reason })
    }
    if (value !== undefined && !allows(value)) {
      return new InvalidRequest({ endpoint, kind: "malformed", parameter, reason: expected })
    }
  }
  return undefined
}
