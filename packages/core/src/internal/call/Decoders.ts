/** The decoders of one endpoint: one, or one for the values of the parameters that its records depend on. */
import type * as Schema from "effect/Schema"
import * as Params from "../../Params.ts"
import * as RecordDecoder from "../wire/RecordDecoder.ts"
import type { Reader } from "../wire/Reader.ts"

export interface Definition<P, A, Encoded> {
  /** The parameters that decide the schema of a record. */
  readonly dependsOn: ReadonlyArray<keyof P>
  readonly record: (params: P) => Schema.Codec<A, Encoded>
}

/** Gives the decoder for some parameters, with a reader of records where there is one. */
export type Decoders<P, A> = (params: P, reader: Reader["records"] | undefined) => RecordDecoder.RecordDecoder<A>

/** The most decoders of one endpoint that are kept. */
const capacity = 100

/**
 * Builds decoders on first use, because a program reads few of the endpoints it imports. Keeps those used last, because
 * compiling a schema costs more than reading a page.
 */
export const make = <P, A extends Encoded, Encoded>({
  dependsOn,
  record
}: Definition<P, A, Encoded>): Decoders<P, A> => {
  const kept = new Map<string, RecordDecoder.RecordDecoder<A>>()
  return (params, reader) => {
    const name = JSON.stringify([
      reader !== undefined,
      ...dependsOn.map((parameter) => Params.items(params[parameter]))
    ])
    const decoder = kept.get(name) ?? RecordDecoder.make(record(params), reader)
    kept.delete(name)
    kept.set(name, decoder)
    const [oldest] = kept.keys()
    if (kept.size > capacity && oldest !== undefined) kept.delete(oldest)
    return decoder
  }
}
