/**
 * Defects of downloads and datasets.
 */
import type { Defect } from "./Defect.ts"

const folder = "packages/files/src/internal/folder"
const download = "packages/files/src/internal/download"
const dataset = "packages/datasets/src/internal/folder"

/** All of them. */
export const all: ReadonlyArray<Defect> = [
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
  },
  {
    name: "a lock is not kept alive",
    file: `${folder}/Lock.ts`,
    from: "  yield* Effect.forkScoped(Effect.forever(Effect.delay(beat, Duration.millis(heartbeat))), { startImmediately: true })\n",
    to: "",
    targets: ["downloads", "datasets"]
  },
  {
    name: "the lock of another machine counts as ended",
    file: `${folder}/Lock.ts`,
    from: "beats && silent > expiry)) ended.push",
    to: "beats)) ended.push",
    targets: ["downloads", "datasets"]
  },
  {
    name: "a lock expires before its next beat",
    file: `${folder}/Lock.ts`,
    from: "beats && silent > expiry)) ended.push",
    to: "beats && silent > heartbeat / 2)) ended.push",
    targets: ["downloads", "datasets"]
  },
  {
    name: "the last block of a file is not written",
    file: `${folder}/PartFile.ts`,
    from: "    yield* blocks.flush\n    if",
    to: "    if",
    targets: ["downloads"]
  },
  {
    name: "a change takes effect before it is on the disk",
    file: `${dataset}/Changes.ts`,
    from: "orBroken(Effect.andThen(writer.write(bytes), writer.sync))",
    to: "orBroken(writer.write(bytes))",
    targets: ["datasets"]
  },
  {
    name: "a change follows one that a kill cut",
    file: `${dataset}/Recovery.ts`,
    from: "found.changes === 0 && !found.isCut && missing",
    to: "found.changes === 0 && missing",
    targets: ["datasets"]
  },
  {
    name: "a dataset whose beginning was killed is refused",
    file: `${dataset}/Recovery.ts`,
    from: "      if (!(yield* Ledger.hasChanges(files, files.join(bookkeeping, changes)))) continue\n",
    to: "",
    targets: ["datasets"]
  },
  {
    name: "a file that is missing is forgotten, and not read again",
    file: `${dataset}/Recovery.ts`,
    from: "todo: [...(cursor.todo ?? []), missing] })",
    to: "todo: [...(cursor.todo ?? [])] })",
    targets: ["datasets"]
  },
  {
    name: "what is still to be read is forgotten with the first part of it",
    file: "packages/datasets/src/internal/read/Advance.ts",
    from: "(todo ?? []).filter((part) => !isCovered(part, span))",
    to: "(todo ?? []).slice(0, 0)",
    targets: ["datasets"]
  },
  {
    name: "the records of a removed entity stay",
    file: "packages/datasets/src/internal/plan/RemovedEntities.ts",
    from: "spans: isRemoved ? entities.toSorted().map((entity) => ({ entity, from: undefined, to: undefined })) : [],",
    to: "spans: [],",
    targets: ["datasets"]
  },
  {
    name: "a file takes the records of the next one",
    file: `${dataset}/Rewrite.ts`,
    from: "entries[index + 1]?.start ?? Layout.endOf(partition)",
    to: "Layout.endOf(partition)",
    targets: ["datasets"]
  },
  {
    name: "a file that was deleted and written again is deleted after a kill",
    file: `${dataset}/Ledger.ts`,
    from: "    state.deleted.delete(entry.path)\n",
    to: "",
    targets: ["datasets"]
  },
  {
    name: "a file gets its name before the change that has it",
    file: `${dataset}/FolderStore.ts`,
    from: "    yield* changes.add(line)\n    state.add(line)\n",
    to: "    yield* Effect.sync(() => state.add(line))\n",
    targets: ["datasets"]
  },
  {
    name: "a run looks back for a fifth of its time",
    file: "packages/datasets/src/internal/plan/RunRequests.ts",
    from: "const longest = Moment.earlier(cursor.last, definition.lookBack)",
    to: "const longest = Moment.earlier(cursor.last, definition.lookBack / 5)",
    targets: ["datasets"]
  }
]
