/** Works on several datasets, of which one that fails does not stop the others. */
import { harmless } from "@sluice/core/PlainText"
import * as Monotonic from "@sluice/files/internal/progress/Monotonic"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Explain, type Explained } from "../../settings/Explain.ts"
import { OutputFailed } from "../../terminal/Screen.ts"

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
  count: Schema.Int,
  failed: Schema.Array(Failed)
}) {
  override get message() {
    return `${this.failed.length} of ${this.count} datasets of ${this.file} failed: ${this.failed.map(({ name }) => name).join(", ")}`
  }
}

export const lineOf = ({
  message,
  name,
  next
}: Pick<Explained, "message" | "next"> & { readonly name: string }): string =>
  harmless(`${name}: failed: ${message}${/[.?!]$/.test(message) ? "" : "."}${next === undefined ? "" : ` ${next}`}`)

export interface Work<A, E, R, R2> {
  readonly run: (dataset: A) => Effect.Effect<void, E, R>
  /** Tells that a dataset failed, and in how many milliseconds it is tried again; nothing where it is not. */
  readonly tell: (dataset: A, failure: Explained, again: number | undefined) => Effect.Effect<void, OutputFailed, R2>
  readonly concurrency: number | "unbounded"
  /** Tries a dataset again, where waiting may help. */
  readonly isEndless: boolean
}

/** The first pause before a dataset is tried again, in milliseconds; each further one is twice as long. */
const firstPause = Duration.toMillis("1 second")

const longestPause = Duration.toMillis("5 minutes")

/** Categories, and failures of others, that stay until somebody changes the file, the place or the program. */
const lasting: ReadonlySet<string> = new Set([
  "bug",
  "usage",
  "key",
  "missing",
  "Misconfigured",
  "MissingPackage",
  "NewerVersion",
  "OtherDefinition",
  "BookkeepingDamaged",
  "DatasetDamaged",
  "FileChanged",
  "FolderOccupied",
  "UnexpectedEntry"
])

const mayPass = ({ kind, tag }: Explained) => !lasting.has(kind) && !lasting.has(tag)

/** Works on each. Tells of those that failed when they do, and fails with all of them when all others are done. */
export const run = Effect.fnUntraced(function* <
  A extends { readonly name: string },
  E extends { readonly _tag: string; readonly message: string },
  R,
  R2
>(file: string, datasets: ReadonlyArray<A>, work: Work<A, E, R, R2>) {
  const explain = yield* Explain
  const attempt = Effect.fnUntraced(function* (dataset: A) {
    let pause = firstPause
    while (true) {
      const begun = yield* Monotonic.now
      const error = yield* Effect.match(work.run(dataset), { onFailure: (error) => error, onSuccess: () => undefined })
      if (error === undefined) return []
      // An output that cannot be written is that of all.
      if (error instanceof OutputFailed) return yield* error
      const failure = yield* explain(error)
      const isOver = !work.isEndless || !mayPass(failure)
      // What went on for longer had not failed for the same reason.
      if ((yield* Monotonic.now) - begun > longestPause) pause = firstPause
      yield* work.tell(dataset, failure, isOver ? undefined : pause)
      if (isOver) return [{ ...failure, name: dataset.name }]
      yield* Effect.sleep(pause)
      pause = Math.min(2 * pause, longestPause)
    }
  })
  const failed = (yield* Effect.forEach(datasets, attempt, { concurrency: work.concurrency })).flat()
  if (failed.length === 0) return
  return yield* new DatasetsFailed({ file, count: datasets.length, failed })
})
