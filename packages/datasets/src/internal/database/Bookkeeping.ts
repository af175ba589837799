/**
 * What a database keeps of a dataset beside its records.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { DatasetDamaged, NewerVersion, OtherDefinition, StoreFailed } from "../model/DatasetError.ts"
import { Definition } from "../model/Definition.ts"
import type { Verifying } from "../model/Event.ts"
import { Cursor, type Held } from "../model/Store.ts"
import { differing, told } from "@sluice/files/internal/folder/Differing"
import type { Table, TableOptions } from "./Table.ts"

/** The version of what is kept. */
export const version = 1

/** Schema of {@link Settings}. */
const Settings = Schema.Struct({
  numbers: Schema.Literals(["double", "decimal", "text"]),
  statusColumns: Schema.Boolean,
  /** The column of the entity. */
  entity: Schema.String,
  /** Whether times are whole microseconds. */
  isGrid: Schema.Boolean
})
/** How records became rows, which cannot change later. */
export type Settings = typeof Settings.Type

/** What is kept of a dataset. */
const Dataset = Schema.fromJsonString(Schema.Struct({ definition: Definition, settings: Settings }))

const decodeDataset = Schema.decodeUnknownEffect(Dataset)
const decodeCursor = Schema.decodeUnknownEffect(Schema.fromJsonString(Cursor))

/** The settings of a new dataset. */
export const settingsOf = ({ numbers, statusColumns }: TableOptions, { entity, isGrid }: Table): Settings => ({
  ...chosen({ numbers, statusColumns }),
  entity,
  isGrid
})

/** The settings that are chosen, and those that are where nothing is. */
export const chosen = ({ numbers, statusColumns }: TableOptions) => ({
  numbers: numbers ?? "double",
  statusColumns: statusColumns ?? false
})

/** What is kept, as JSON. */
export const write = (definition: Definition, settings: Settings): string => JSON.stringify({ definition, settings })

/** Reads what {@link write} wrote. */
export const read = Effect.fnUntraced(function* (dataset: string, found: number, json: unknown) {
  if (found > version) return yield* new NewerVersion({ dataset, found, known: version })
  return yield* Effect.mapError(
    decodeDataset(json),
    () => new DatasetDamaged({ dataset, issues: ["its definition in sluice_datasets is none"] })
  )
})

/** Fails where a run asks for other settings than those of the dataset. */
export const refuseOther = (dataset: string, kept: Settings, options: TableOptions) => {
  const values = (["numbers", "statusColumns"] as const).flatMap((name) =>
    options[name] === undefined || options[name] === kept[name] ? [] : [differing(name, kept[name], options[name])]
  )
  return values.length === 0 ? Effect.void : Effect.fail(new OtherDefinition({ dataset, ...told(values) }))
}

/** Reads cursors, each as JSON. */
export const readCursors = Effect.fnUntraced(function* (dataset: string, texts: ReadonlyArray<unknown>) {
  const cursors = yield* Effect.mapError(
    Effect.forEach(texts, (text) => decodeCursor(text)),
    () => new DatasetDamaged({ dataset, issues: ["a cursor in sluice_cursors is none"] })
  )
  return new Map(cursors.map((cursor) => [cursor.entity, cursor]))
})

/** What happened to the bookkeeping of an entity: its new cursor, if any, and how many rows it has more. */
export interface EntityChange {
  readonly entity: string
  readonly cursor: Cursor | null
  readonly rows: number
}

/** Joins the new cursors with the numbers of rows that were added, that stayed, and that were removed before. */
export const changesOf = (
  cursors: ReadonlyArray<Cursor>,
  added: ReadonlyMap<string, number> = new Map(),
  removed: ReadonlyMap<string, number> = new Map(),
  stayed: ReadonlyMap<string, number> = new Map()
): ReadonlyArray<EntityChange> => {
  const byEntity = new Map(cursors.map((cursor) => [cursor.entity, cursor]))
  return [...new Set([...byEntity.keys(), ...added.keys(), ...removed.keys(), ...stayed.keys()])].map((entity) => ({
    entity,
    cursor: byEntity.get(entity) ?? null,
    rows: (added.get(entity) ?? 0) + (stayed.get(entity) ?? 0) - (removed.get(entity) ?? 0)
  }))
}

/** The sum of numbers by entity. */
export const sum = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((all, one) => all + one, 0)

/** What is found in a table. */
export interface Found {
  /** The rows of each entity, as they were counted when they were written. */
  readonly written: ReadonlyMap<string, number>
  readonly held: ReadonlyArray<Held>
  /** What else is wrong with it. */
  readonly issues: ReadonlyArray<string>
}

/** Compares the rows that are there with their number when they were written. Gives what was verified. */
export const verified = (
  dataset: string,
  { held, issues: others, written }: Found
): Effect.Effect<Verifying, DatasetDamaged> => {
  const there = new Map(held.map(({ entity, rows }) => [entity, rows]))
  const counts = [...new Set([...written.keys(), ...there.keys()])].flatMap((entity) => {
    const [before, now] = [written.get(entity) ?? 0, there.get(entity) ?? 0]
    return before === now ? [] : [`${entity} has ${now} records, and ${before} were written`]
  })
  const issues = [...others, ...counts]
  if (issues.length > 0) return Effect.fail(new DatasetDamaged({ dataset, issues }))
  const [files, records] = [held.length, sum(there)]
  return Effect.succeed({ _tag: "Verifying", dataset, files, verified: files, records })
}

/** Why a dataset cannot begin in a table. */
export const occupied = "there is one of this name that no sync has made; choose another name, or drop it"

/** Refuses to begin a dataset in a table that is there. */
export const occupiedBy = (dataset: string): StoreFailed =>
  new StoreFailed({ dataset, operation: "create the table", kind: "occupied", reason: occupied })

/** Rows by entity, as counting statements give them. */
export const countsOf = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>): ReadonlyMap<string, number> =>
  new Map(
    rows.flatMap(({ entity, rows }): ReadonlyArray<[string, number]> =>
      Predicate.isString(entity) ? [[entity, Number(rows)]] : []
    )
  )

/** What is held of an entity, as a statement gives it. */
export const heldOf = ({ entity, first, last, rows }: Readonly<Record<string, unknown>>): ReadonlyArray<Held> =>
  Predicate.isString(entity) && Predicate.isString(first) && Predicate.isString(last)
    ? [{ entity, first, last, rows: Number(rows) }]
    : []
