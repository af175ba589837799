/**
 * Defects that are planted one at a time, to see whether the simulation finds them: a text of a file, and another in its place.
 */
import type * as Targets from "./Targets.ts"

/** A defect. */
export interface Defect {
  /** What is wrong with it. */
  readonly name: string
  readonly file: string
  /** A text that the file has once. */
  readonly from: string
  readonly to: string
  /** The targets that may meet it. */
  readonly targets: ReadonlyArray<Targets.Name>
}

const quota = "packages/core/src/internal/quota"
const resume = "packages/core/src/internal/resume"
const shared = "packages/core/src/internal/shared"
const lanes = "packages/core/src/internal/live/lanes"
const folder = "packages/files/src/internal/folder"
const download = "packages/files/src/internal/download"
const dataset = "packages/datasets/src/internal/folder"

/** All of them. */
export const all: ReadonlyArray<Defect> = [
  {
    name: "a permit that came as its request was interrupted is lost",
    file: `${quota}/Permits.ts`,
    from: "if (!line.waiting.delete(turn)) return release(line)",
    to: "if (!line.waiting.delete(turn)) return Effect.void",
    targets: ["requests", "endpoints"]
  },
  {
    name: "a request that gave up is still counted as waiting",
    file: `${quota}/Permits.ts`,
    from: "      waiting -= 1\n      removeIfIdle(line)",
    to: "      removeIfIdle(line)",
    targets: ["requests", "endpoints"]
  },
  {
    name: "a released permit wakes nobody",
    file: `${quota}/Permits.ts`,
    from: "if (waiting > 0) fiber",
    to: "if (waiting > 1) fiber",
    targets: ["requests", "processes"]
  },
  {
    name: "a request without a reply keeps its place in the window",
    file: "packages/core/src/MemoryQuota.ts",
    from: "        finish(now)\n        count",
    to: "        count",
    targets: ["requests", "endpoints"]
  },
  {
    name: "the quota of a call is not counted down when it is interrupted in line",
    file: "packages/core/src/MemoryQuota.ts",
    from: "Effect.ensuring(queue(lane, restore), counted)",
    to: "Effect.tap(queue(lane, restore), () => counted)",
    targets: ["requests", "endpoints"]
  },
  {
    name: "the window has room for one request too many",
    file: `${quota}/Window.ts`,
    from: "while (left(state, policy, now + high) <= 0)",
    to: "while (left(state, policy, now + high) < 0)",
    targets: ["processes"]
  },
  {
    name: "requests that are under way take no place",
    file: `${quota}/Window.ts`,
    from: "return policy.limit - running - countAfter",
    to: "return policy.limit - countAfter",
    targets: ["processes"]
  },
  {
    name: "a place is counted from when the request was sent",
    file: `${quota}/Window.ts`,
    from: "    state.replies.times.push(now)",
    to: "    state.replies.times.push(sent.sent)",
    targets: ["processes"]
  },
  {
    name: "what a dead process has sent is forgotten",
    file: `${shared}/Transition.ts`,
    from: "    if (permit.isTold) end(state, permit, now)\n    else discard(state, permit)",
    to: "    discard(state, permit)",
    targets: ["processes"]
  },
  {
    name: "a dead process keeps its permits",
    file: `${shared}/Transition.ts`,
    from: "    if (!dead.has(permit.process)) continue",
    to: "    if (!dead.has(permit.process) || permit.isTold) continue",
    targets: ["processes"]
  },
  {
    name: "a continued json_stream repeats its last record",
    file: `${resume}/ReplayFilter.ts`,
    from: "      return skipCount(1, (line)",
    to: "      return skipCount(0, (line)",
    targets: ["requests", "endpoints"]
  },
  {
    name: "a replayed reply skips one record too many",
    file: `${resume}/ReplayFilter.ts`,
    from: "skipPosition(series, last, count - last.ids.total, () => {})",
    to: "skipPosition(series, last, count - last.ids.total + 1, () => {})",
    targets: ["requests", "endpoints"]
  },
  {
    name: "records of one time are not told apart after a cut",
    file: `${resume}/ReplayFilter.ts`,
    from: "        if (isHere && left > 0) {",
    to: "        if (isHere) {",
    targets: ["requests", "endpoints"]
  },
  {
    name: "records of one time are forgotten at the border of a batch",
    file: `${resume}/ResumeState.ts`,
    from: "ids: EmittedIds.update(series, last, records)",
    to: "ids: EmittedIds.update(series, undefined, records)",
    targets: ["requests", "endpoints"]
  },
  {
    name: "the records of a batch are forgotten when the next comes",
    file: `${resume}/ResumeState.ts`,
    from: "      emitted += records.length",
    to: "      emitted = records.length",
    targets: ["requests", "endpoints"]
  },
  {
    name: "an end that came too early is taken for the end",
    file: "packages/core/src/internal/bulk/EndOfRange.ts",
    from: "  return next > end.nanos ||",
    to: "  return next >= end.nanos - 40n * step.nanos ||",
    targets: ["requests", "endpoints"]
  },
  {
    name: "arrays that were waiting are lost at the end of a merge",
    file: "packages/core/src/internal/bulk/Merge.ts",
    from: "    const batch = waiting.shift()\n    if (batch !== undefined) return",
    to: "    const batch = end === undefined ? waiting.shift() : undefined\n    if (batch !== undefined) return",
    targets: ["requests", "endpoints"]
  },
  {
    name: "a reader that waits is not told of the end",
    file: "packages/core/src/internal/bulk/Merge.ts",
    from: "            end = Exit.isSuccess(exit) ? Exit.fail(Cause.Done()) : Exit.failCause(exit.cause)\n            news.openUnsafe()",
    to: "            end = Exit.isSuccess(exit) ? Exit.fail(Cause.Done()) : Exit.failCause(exit.cause)",
    targets: ["requests", "endpoints"]
  },
  {
    name: "the connection of a body that was not read to its end stays open",
    file: "packages/core/src/internal/http/Exchange.ts",
    from: "(hasEnded ? Effect.void : Scope.close(connection, exit))",
    to: '(hasEnded || exit._tag === "Success" ? Effect.void : Scope.close(connection, exit))',
    targets: ["requests", "endpoints"]
  },
  {
    name: "a body that stands still is not ended",
    file: "packages/core/src/internal/http/Idle.ts",
    from: "      yield* body.abort",
    to: "      yield* Effect.void",
    targets: ["requests", "endpoints"]
  },
  {
    name: "the watch of bodies ends with the first body",
    file: "packages/core/src/internal/http/Idle.ts",
    from: "if (bodies.size === 0) stop()",
    to: "stop()",
    targets: ["requests", "endpoints"]
  },
  {
    name: "an equal live record is delivered again",
    file: `${lanes}/Lanes.ts`,
    from: "      ? !isRepeat(shape, lane, placed)",
    to: "      ? isRepeat(shape, lane, placed)",
    targets: ["trades"]
  },
  {
    name: "records that HTTP shows late are not looked for again",
    file: `${lanes}/Fill.ts`,
    from: "read === undefined || rest.length === 0 ?",
    to: "read === undefined || rest.length >= 0 ?",
    targets: ["trades"]
  },
  {
    name: "a seam looks from the last record on, and not from what may be late",
    file: `${lanes}/Seam.ts`,
    from: "Position.before(unit, begin, late)",
    to: "begin",
    targets: ["trades"]
  },
  {
    name: "a seam is given up without a gap",
    file: `${lanes}/Fill.ts`,
    from: '    if (left < 1) yield* giveUp([...open], "lagging")',
    to: "    if (left < 1) open.clear()",
    targets: ["trades"]
  },
  {
    name: "a part gets its name before its bytes are on the disk",
    file: `${folder}/PartFile.ts`,
    from: "    if (!isLater) yield* writer.sync",
    to: "    if (isLater) yield* writer.sync",
    targets: ["downloads", "datasets"]
  },
  {
    name: "a small file is renamed before it is on the disk",
    file: `${folder}/Files.ts`,
    from: "      yield* writer.sync\n    })",
    to: "    })",
    targets: ["downloads", "datasets"]
  },
  {
    name: "a line of the journal is not synced",
    file: `${download}/Journal.ts`,
    from: "Effect.andThen(writer.write(line), writer.sync)",
    to: "writer.write(line)",
    targets: ["downloads"]
  },
  {
    name: "a line follows one that a kill cut",
    file: `${download}/Journal.ts`,
    from: "  if (!isEmpty) yield* files.put(file, lines)",
    to: "  if (isEmpty) yield* files.put(file, lines)",
    targets: ["downloads"]
  },
  {
    name: "a line that a kill cut is read",
    file: `${download}/Journal.ts`,
    from: 'const end = text.lastIndexOf("\\n") + 1',
    to: "const end = text.length",
    targets: ["downloads"]
  },
  {
    name: "the lock of another process is not looked for",
    file: `${folder}/Lock.ts`,
    from: "    if (wanted !== undefined) return yield* new Contended({ to: wanted })\n    // Atomic",
    to: "    // Atomic",
    targets: ["downloads", "datasets"]
  },
  {
    name: "a finished file of another size is taken as it is",
    file: `${download}/Folder.ts`,
    from: "    if (size !== entry.bytes) {",
    to: "    if (size < 0) {",
    targets: ["downloads"]
  },
  {
    name: "what a line of the ledger says is not completed after a kill",
    file: `${dataset}/Recovery.ts`,
    from: "  if (found !== undefined) yield* complete(files, paths, found)",
    to: "  if (found === undefined) yield* Effect.void",
    targets: ["datasets"]
  },
  {
    name: "files that a change has replaced stay after a kill",
    file: `${dataset}/Recovery.ts`,
    from: "  for (const path of ledger.deleted) yield* files.remove(files.join(folder, path))",
    to: "",
    targets: ["datasets"]
  },
  {
    name: "the ledger is written before the changes that belong to it",
    file: `${dataset}/Ledger.ts`,
    from: "  yield* files.put(files.join(bookkeeping, changesName(moment)), lines)\n  yield* files.put(files.join(bookkeeping, name), text)",
    to: "  yield* files.put(files.join(bookkeeping, name), text)\n  yield* files.put(files.join(bookkeeping, changesName(moment)), lines)",
    targets: ["datasets"]
  },
  {
    name: "a file that is missing is not asked for again",
    file: `${dataset}/Recovery.ts`,
    from: "    if (size === undefined) missing.push(entry)",
    to: "    if (size === undefined) continue",
    targets: ["datasets"]
  }
]
