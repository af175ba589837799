/**
 * The undisturbed run: what a target gives from a service without faults, read once and remembered.
 */
import { type ApiError, Client } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import { Effect, Layer, Logger, Redacted, Schema, Stream, Struct } from "effect"
import type { Schedule } from "./Schedule.ts"
import * as Targets from "./Targets.ts"

/** A record, as far as records are compared. */
export type Row = Readonly<Record<string, unknown>>

/** The undisturbed run. */
export interface Expected {
  /** In ascending order. */
  readonly rows: ReadonlyArray<Row>
  /** Every row as text. */
  readonly texts: ReadonlyArray<string>
  /** The error of a call that the service refuses even without faults. */
  readonly error: ApiError.ApiError["_tag"] | undefined
  /** Whether a value is a record. */
  readonly isRecord: (value: unknown) => boolean
}

/** The key everybody knows. */
export const apiKey = Redacted.make("demo-key")

const known = new Map<string, Expected>()

/** The most targets remembered, because long runs read millions. */
const most = 5_000

const read = Effect.fnUntraced(function* (target: Targets.Target, root: Schedule["client"]["root"]) {
  const endpoint = Targets.endpointOf(target)
  const sandbox = yield* Sandbox.Sandbox
  const client = Client.layer({
    root: root === "paid" ? sandbox.url : sandbox.communityUrl,
    apiKey: root === "paid" ? apiKey : undefined,
    plan: "download",
    deprecated: "ignore"
  })
  const content = Targets.contentOf(target)
  const rows: Array<Row> = []
  // Type boundary, here and below: an endpoint known only at run time takes its parameters as data and checks them.
  const error = yield* endpoint(content as never).pipe(
    // Type boundary: the client has checked every record against its schema, and each is a struct.
    Stream.runForEachArray((batch) => Effect.sync(() => rows.push(...(batch as ReadonlyArray<Row>)))),
    Effect.as(undefined),
    Effect.catch((error) => Effect.succeed(error._tag)),
    Effect.provide(client),
    Effect.orDie
  )
  // Type boundary: the records of this library are checked without services.
  const record = endpoint.record(target.content as never) as Schema.Codec<unknown>
  const expected: Expected = {
    rows,
    texts: rows.map((row) => JSON.stringify(row)),
    error,
    isRecord: Schema.is(record)
  }
  return expected
})

/** Reads what the undisturbed run gives. */
export const of = (
  target: Targets.Target,
  { client: { root }, sandbox }: Pick<Schedule, "client" | "sandbox">
): Effect.Effect<Expected> =>
  Effect.suspend(() => {
    const dialect = Struct.pick(sandbox.dialect ?? {}, Targets.questions)
    const name = JSON.stringify([root, target.path, Targets.contentOf(target), dialect])
    const earlier = known.get(name)
    if (earlier !== undefined) return Effect.succeed(earlier)
    return read(target, root).pipe(
      Effect.provide([Layer.fresh(Sandbox.layerMemory({ dialect })), Logger.layer([])]),
      Effect.tap((expected) =>
        Effect.sync(() => {
          if (known.size >= most) known.clear()
          known.set(name, expected)
        })
      )
    )
  })
