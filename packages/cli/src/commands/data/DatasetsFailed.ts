/**
 * Works on several datasets, of which one that fails does not stop the others.
 */
import { harmless } from "@sluice/core/PlainText"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Explain, type Explained } from "../../settings/Explain.ts"
import * as GlobalFlags from "../../settings/GlobalFlags.ts"
import { OutputFailed, Screen } from "../../terminal/Screen.ts"

const Failed = Schema.Struct({
  name: Schema.String,
  kind: Schema.String,
  tag: Schema.String,
  message: Schema.String,
  next: Schema.UndefinedOr(Schema.String)
})

/** Some of the datasets of a file failed. The worst decides the category. */
export class DatasetsFailed extends Schema.TaggedError<DatasetsFailed>()("DatasetsFailed", {
  file: Schema.String,
  /** How many there are. */
  count: Schema.Int,
  failed: Schema.Array(Failed)
}) {
  override get message() {
    return `${this.failed.length} of ${this.count} datasets of ${this.file} failed`
  }
}

/** Says why a dataset failed. */
export const lineOf = ({
  message,
  name,
  next
}: Pick<Explained, "message" | "next"> & { readonly name: string }): string =>
  harmless(`${name}: failed: ${message}${/[.?!]$/.test(message) ? "" : "."}${next === undefined ? "" : ` ${next}`}`)

/** Works on each. Tells of those that failed when they do, and fails with all of them when all others are done. */
export const each = Effect.fnUntraced(function* <
  A extends { readonly name: string },
  E extends { readonly _tag: string; readonly message: string },
  R,
  R2
>(
  file: string,
  datasets: ReadonlyArray<A>,
  concurrency: number | "unbounded",
  work: (dataset: A) => Effect.Effect<void, E, R>,
  tell: (dataset: A, failure: Explained) => Effect.Effect<void, OutputFailed, R2>
) {
  const explain = yield* Explain
  const { err, say } = yield* Screen
  const isJson = yield* GlobalFlags.Json
  const attempt = (dataset: A) =>
    Effect.matchEffect(work(dataset), {
      onSuccess: () => Effect.succeed([]),
      onFailure: (error) =>
        // An output that cannot be written is that of all.
        error instanceof OutputFailed
          ? Effect.fail(error)
          : Effect.gen(function* () {
              const failure = yield* explain(error)
              yield* tell(dataset, failure)
              return [{ ...failure, name: dataset.name }]
            })
    })
  const failed = (yield* Effect.forEach(datasets, attempt, { concurrency })).flat()
  if (failed.length === 0) return
  if (!isJson) yield* say(failed.map((one) => `${err.style.red(lineOf(one))}\n`).join(""))
  return yield* new DatasetsFailed({ file, count: datasets.length, failed })
})
