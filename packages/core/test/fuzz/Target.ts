/** What is fuzzed: every accepted fixture of every endpoint, with the parameters it answers. */
import type { Endpoint } from "@sluice/core"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as Fixtures from "../Fixtures.ts"
import * as Read from "../table/Read.ts"

/** A call with an answer that is known to be good. */
export interface Target {
  readonly name: string
  readonly endpoint: Endpoint.Any
  readonly params: never
  readonly streamParams: never
  /** Whether the records of a page come in the order they are given. */
  readonly isReversed: boolean
  readonly reply: Fixtures.Accepted["body"]
  /** Tells whether a value is a record of this call. */
  readonly isRecord: (value: unknown) => boolean
  /** Records made up from their schema. */
  readonly records: () => Arbitrary.Arbitrary<ReadonlyArray<unknown>>
}

const once = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}

const target = (fixture: Fixtures.Fixture, { body, name, query }: Fixtures.Accepted): Target => {
  const endpoint = Read.endpointOf(fixture.path)
  const params = Fixtures.paramsOf(fixture.path, query)
  // Type boundary: records need no services; endpoints known as data only do not say so.
  const record = endpoint.record(params) as Schema.Codec<unknown>
  return {
    name: `${fixture.path}: ${name}`,
    endpoint,
    params,
    streamParams: Fixtures.paramsOf(fixture.path, query, { format: "json_stream" }),
    isReversed: new URLSearchParams(query).get("paging_from") === "end",
    reply: body,
    isRecord: Schema.is(record),
    records: once(() => Arbitrary.schema(Schema.Array(record)))
  }
}

export const all: ReadonlyArray<Target> = Fixtures.all.flatMap((fixture) =>
  fixture.replies.map((reply) => target(fixture, reply))
)

/** The same, with time series as frequent as all others: they alone go on from a record. */
export const weighted: ReadonlyArray<Target> = all.flatMap((target) =>
  target.endpoint.order === "series" ? Array<Target>(20).fill(target) : [target]
)
