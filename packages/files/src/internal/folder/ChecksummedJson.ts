/** JSON with a checksum of itself, which shows whether it was cut or edited. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Checksum from "./Checksum.ts"

/** Adds the checksum as the last key. */
export const seal = (value: object): object => ({ ...value, checksum: Checksum.ofText(JSON.stringify(value)) })

const parse = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))

/** Reads JSON text and removes the checksum. Fails with the reason why the text cannot be trusted. */
export const open = (text: string): Result.Result<object, string> => {
  const json = parse(text)
  if (Result.isFailure(json) || !Predicate.isObject(json.success)) return Result.fail("it is cut or damaged")
  const { checksum, ...value } = json.success
  return checksum === Checksum.ofText(JSON.stringify(value))
    ? Result.succeed(value)
    : Result.fail("it was edited, or damaged")
}
