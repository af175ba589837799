/**
 * Defects of backfills with several workers.
 */
import type { Defect } from "./Defect.ts"

const parts = "packages/cluster/src/internal/Parts.ts"
const workflows = "packages/cluster/src/internal/Workflows.ts"

/** All of them. The first is the one that `packages/cluster/test/Cancel.test.ts` was written for. */
export const all: ReadonlyArray<Defect> = [
  {
    name: "a folder that is taken while its backfill is cancelled stays taken",
    file: parts,
    from: "    yield* release(run)\n    return yield* new Stopped()",
    to: "    return yield* new Stopped()",
    targets: ["backfills"]
  },
  {
    name: "a backfill is begun although it was cancelled",
    file: parts,
    from: '    if (!(yield* persistently(store.change(id, generation, ["running", "paused"], { parts }))))\n      return yield* new Stopped()',
    to: '    yield* persistently(store.change(id, generation, ["running", "paused"], { parts }))',
    targets: ["backfills"]
  },
  {
    name: "a cancelled backfill ends while its parts are under way",
    file: parts,
    from: '(state === "cancelled" ? Effect.sleep(2 * lookEvery) : Effect.void)',
    to: '(state === "cancelled" ? Effect.void : Effect.void)',
    targets: ["backfills"]
  },
  {
    name: "the end of a cancelled run releases the folder of the next one",
    file: parts,
    from: "      Effect.when(isLatest(run)),\n",
    to: "",
    targets: ["backfills"]
  },
  {
    name: "a retry does not note what the folder has",
    file: workflows,
    from: "if (done.length < indexes.length && !known.has(first)) continue",
    to: "if (done.length <= indexes.length) continue",
    targets: ["backfills"]
  }
]
