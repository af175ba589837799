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
import * as LiveTable from "./internal/faults/LiveTable.ts"
import * as Table from "./internal/faults/Table.ts"

export type { LiveDraft, LiveEntry, LiveGroup, LiveKind, LiveName, LiveNamed } from "./internal/faults/LiveTable.ts"
export type { Draft, Entry, Group, Kind, Name, Named, Value } from "./internal/faults/Table.ts"

/** The request header that carries a spec. */
export const header: string = Table.requestHeader

/** Every kind of fault. */
export const kinds: ReadonlyArray<Table.Kind> = Table.kinds

/** Every kind of fault, with its grammar, its effect and an example. */
export const table: ReadonlyArray<Table.Entry> = Table.table

/** What may follow a kind, by name. */
export const names: Readonly<Record<Table.Name, Table.Named>> = Table.names

/** Every kind of fault of a live stream. */
export const liveKinds: ReadonlyArray<LiveTable.LiveKind> = LiveTable.kinds

/** Every kind of fault of a live stream, with its grammar, its effect and an example. */
export const liveTable: ReadonlyArray<LiveTable.LiveEntry> = LiveTable.table

/** What may follow a kind of a live stream, by name. */
export const liveNames: Readonly<Record<LiveTable.LiveName, LiveTable.LiveNamed>> = LiveTable.names
