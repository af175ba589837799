/**
 * Faults on request: what a caller writes to make the stand-in misbehave.
 *
 * **Details**
 *
 * A spec is `kind[=value](;name=value)*`; several, joined by commas, apply to the same reply. It is sent in the header
 * `x-sandbox-fault`, or stands in the path as `/fault/<spec>/v4/…`, where every page that follows inherits it. Kinds that
 * begin with `live-` are those of live streams; requests over HTTP pass over them, and live streams over all others.
 *
 * **Example** (Failing twice, then answering)
 *
 * ```ts
 * sandbox.faultUrl("status=503;body=html;times=2")
 * ```
 */
import * as Grammar from "./internal/faults/Grammar.ts"
import * as LiveTable from "./internal/faults/LiveTable.ts"
import * as Table from "./internal/faults/Table.ts"

export type { Draft, Entry, Name, Named, Value } from "./internal/faults/Grammar.ts"
export type { Group as LiveGroup, Kind as LiveKind, Name as LiveName } from "./internal/faults/LiveTable.ts"
export type { Group, Kind } from "./internal/faults/Table.ts"

/** The request header that carries a spec. */
export const header: string = Grammar.requestHeader

/** Every kind of fault, with its grammar, its effect and an example. */
export const table: ReadonlyArray<Grammar.Entry<Table.Kind, Table.Group, Grammar.Name>> = Table.table

/** Every kind of fault. */
export const kinds: ReadonlyArray<Table.Kind> = table.map(({ kind }) => kind)

/** What may follow a kind, by name. */
export const names: Readonly<Record<Grammar.Name, Grammar.Named>> = Grammar.names

/** Every kind of fault of a live stream, with its grammar, its effect and an example. */
export const liveTable: ReadonlyArray<Grammar.Entry<LiveTable.Kind, LiveTable.Group, LiveTable.Name>> = LiveTable.table

/** Every kind of fault of a live stream. */
export const liveKinds: ReadonlyArray<LiveTable.Kind> = liveTable.map(({ kind }) => kind)

/** What may follow a kind of a live stream, by name. */
export const liveNames: Readonly<Record<LiveTable.Name, Grammar.Named>> = LiveTable.names
