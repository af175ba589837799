/**
 * Faults on request: what a caller writes to make the stand-in misbehave.
 *
 * **Details**
 *
 * A spec is `kind[=value](;name=value)*`; several, joined by commas, apply to the same reply. It is sent in the header
 * `x-sandbox-fault`, or stands in the path as `/fault/<spec>/v4/…`, where every page that follows inherits it.
 *
 * **Example** (Failing twice, then answering)
 *
 * ```ts
 * sandbox.faultUrl("status=503;body=html;times=2")
 * ```
 */
import * as Table from "./internal/faults/Table.ts"

export type { Draft, Entry, Group, Kind, Name, Named, Value } from "./internal/faults/Table.ts"

/** The request header that carries a spec. */
export const header: string = Table.requestHeader

/** Every kind of fault. */
export const kinds: ReadonlyArray<Table.Kind> = Table.kinds

/** Every kind of fault, with its grammar, its effect and an example. */
export const table: ReadonlyArray<Table.Entry> = Table.table

/** What may follow a kind, by name. */
export const names: Readonly<Record<Table.Name, Table.Named>> = Table.names
