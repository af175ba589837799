/** `sluice sync --all`: the datasets of a file, several at a time, with one client and so under one quota. */
import { harmless } from "@sluice/core/PlainText"
import * as Dataset from "@sluice/datasets/Dataset"
import * as Monotonic from "@sluice/files/internal/progress/Monotonic"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import * as Parameters from "../../endpoints/Parameters.ts"
import * as Suggestions from "../../endpoints/Suggestions.ts"
import * as LiveConnection from "../../settings/LiveConnection.ts"
import type { Explained } from "../../settings/Explain.ts"
import * as Amount from "../../terminal/Amount.ts"
import * as Repeats from "../../terminal/Repeats.ts"
import * as SyncProgress from "../../terminal/SyncProgress.ts"
import { type SyncInput, tableFlags } from "../flags/DatasetFlags.ts"
import * as DatasetsFile from "./DatasetsFile.ts"
import * as EachDataset from "./EachDataset.ts"
import * as EventOutput from "./EventOutput.ts"
import * as Monitor from "./Monitor.ts"
import * as PlaceFlags from "./PlaceFlags.ts"
import * as Sync from "./Sync.ts"

export const run = Effect.fnUntraced(function* (given: SyncInput & { readonly all: string }) {
  yield* Sync.expectFit(given)
  yield* expectNoTable(given)
  const opened = yield* open(given)
  yield* Monitor.serve(given.listen, opened.health)
  const { stopped } = yield* EventOutput.make(() => () => "")
  const names = opened.datasets.map(({ name }) => name)
  yield* keepAll(opened, given).pipe(
    Effect.onInterrupt(() =>
      stopped(
        { _tag: "Stopped", datasets: names },
        `Stopped all of ${harmless(names.join(", "))}: what is whole is kept. The same command continues.`
      )
    ),
    Effect.provide(LiveConnection.layer)
  )
}, Effect.scoped)

/** What is said of a run over all datasets. */
type OfAll = Pick<SyncInput, "watch"> & Partial<Pick<SyncInput, "check" | "interval" | "only" | "recheck">>

/** Reads the datasets of a file, and begins to see how each is. */
export const open = Effect.fnUntraced(function* ({ all, only, ...given }: OfAll & { readonly all: string }) {
  const { concurrency, listed } = yield* DatasetsFile.read(all, only)
  const datasets = yield* Effect.forEach(
    listed,
    Effect.fnUntraced(function* (one) {
      // What is said of this run counts more than what the file says of every run.
      const input = {
        ...one.input,
        ...Parameters.given(Struct.pick(given, ["interval", "recheck"])),
        watch: given.watch
      }
      const monitor = yield* Monitor.ofDataset(one.dataset, Duration.toMillis(input.interval ?? Duration.zero))
      return { ...one, input, monitor }
    })
  )
  return { file: all, concurrency, datasets, health: Monitor.ofAll(datasets) }
})

/** Works on all datasets of a file. One that fails is told of, and tried again where that may help. */
export const keepAll = Effect.fnUntraced(function* (
  { concurrency, datasets, file }: Effect.Success<ReturnType<typeof open>>,
  { check: isCheck = false, watch }: OfAll
) {
  const { tell } = yield* EventOutput.make(({ style }) => {
    const paint = (event: DatasetFailed) => (event.again === undefined ? style.red : style.yellow)
    return (event: DatasetFailed) => `${paint(event)(EachDataset.lineOf(event))}${watch ? againIn(event) : ""}\n`
  })
  const repeats = Repeats.make()
  yield* EachDataset.run(file, datasets, {
    run: (one) => Effect.annotateLogs(isCheck ? check(one) : keep(one), "name", one.name),
    // A watch never ends by itself, so none waits for another.
    concurrency: watch ? "unbounded" : concurrency,
    isEndless: watch,
    tell: Effect.fnUntraced(function* ({ dataset, monitor, name }, failure, again) {
      yield* again === undefined ? monitor.end(failure) : monitor.fail(failure)
      const repeated = repeats.see(`${name}: ${failure.message}`, yield* Monotonic.now)
      if (repeated === undefined && again !== undefined) return
      const retry = again === undefined ? {} : { again, repeated }
      yield* tell({ name, _tag: "DatasetFailed", dataset, ...failure, ...retry })
    })
  })
})

interface DatasetFailed extends Explained {
  readonly _tag: "DatasetFailed"
  readonly name: string
  readonly dataset: string
  /** In how many milliseconds it is tried again; absent where waiting does not help. */
  readonly again?: number
  /** How often it failed so since this was said. */
  readonly repeated?: number | undefined
}

const againIn = ({ again, repeated = 0 }: DatasetFailed) =>
  again === undefined
    ? " It is not tried again before this command is restarted."
    : `${Repeats.textOf(repeated)} It is tried again in ${Amount.duration(again)}, and then at growing pauses.`

/** A dataset, and what `/health` knows of it. */
interface Kept extends DatasetsFile.Listed {
  readonly monitor: Effect.Success<ReturnType<typeof Monitor.ofDataset>>
}

/** Where a dataset is and what it has is said in its table alone. */
const expectNoTable = Effect.fnUntraced(function* (given: SyncInput) {
  const { format, layout, update, ...flags } = Struct.omit(tableFlags, ["interval", "recheck"])
  const [flag] = PlaceFlags.named(
    { ...flags, ...format, ...layout, ...update },
    { ...given, ...given.format, ...given.layout, ...given.update }
  )
  const word = flag === undefined ? given.endpoint : `--${flag}`
  if (word === undefined) return
  return yield* new PlaceFlags.BadPlace({ message: `${word} belongs into a table of the file that --all names` })
})

const keep = ({ about, input, monitor, name, place: found }: Kept) =>
  Effect.gen(function* () {
    const place = yield* found
    const job = yield* Sync.jobOf(input, place, about)
    const output = yield* EventOutput.make<Dataset.Event & { readonly name: string }>((side) =>
      SyncProgress.named(
        name,
        Sync.withNumbersNotice(
          input,
          place,
          input.watch ? SyncProgress.watchingLines(side, place) : SyncProgress.inLines()
        )
      )
    )
    const show = (event: Dataset.Event) => Effect.andThen(monitor.note(event), output.tell({ name, ...event }))
    yield* input.watch
      ? Stream.runForEach(Dataset.watch({ ...job, every: input.interval }), show)
      : Stream.runForEach(Dataset.sync(job), show)
  }).pipe(Suggestions.onRefused(Parameters.given(input.parameters)))

const check = ({ about, input, name, place: found }: Kept) =>
  Effect.gen(function* () {
    const place = yield* found
    const job = yield* Sync.jobOf(input, place, about)
    yield* Sync.check(job, harmless(name), { name, dataset: place.name })
  }).pipe(Suggestions.onRefused(Parameters.given(input.parameters)))
