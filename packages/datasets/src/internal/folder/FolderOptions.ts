/**
 * How the files of a folder are cut and written, as a job says it and as the folder has it.
 */
import { between } from "@sluice/files/internal/folder/Differing"
import type * as Format from "@sluice/files/Format"
import * as FormatOptions from "@sluice/files/internal/format/Options"
import type { Lake } from "../model/VersionLog.ts"
import type { Period } from "../model/Store.ts"
import type * as Layout from "../ledger/Layout.ts"

/** How the files of a folder are cut and written; what is absent is as the folder has it, or by default. */
export interface Options {
  readonly layout?:
    | {
        readonly byEntity?: boolean | undefined
        readonly period?: Period | "none" | undefined
        readonly rows?: number | undefined
      }
    | undefined
  readonly format?: Given | undefined
  readonly snapshots?: "delta" | "none" | Lake | undefined
}

/** Without `as`, what is absent is as the folder has it. */
type Given = Partial<Format.Options>

/** How the files of a new folder are cut, where nothing is said. */
export const standard: Layout.Layout = { byEntity: true, period: "year", rows: 1_000_000 }

/** A layout as it is given, and for the rest as it is kept. */
export const layoutOf = ({ layout: given = {} }: Options, kept: Layout.Layout): Layout.Layout => ({
  byEntity: given.byEntity ?? kept.byEntity,
  period: given.period === undefined ? kept.period : given.period === "none" ? null : given.period,
  rows: given.rows ?? kept.rows
})

/** Where a layout differs from the one that is kept. The size of a file may change with every run: the files that are there stay. */
export const otherLayout = (kept: Layout.Layout, given: Layout.Layout) =>
  between("layout", { ...kept, rows: given.rows }, given)

/** A format as it is given, and for the rest as it is kept. */
export const formatOf = ({ as, ...given }: Given = {}, kept: Format.Options) => {
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return FormatOptions.withDefaults(as === undefined ? { ...kept, ...said } : { as, ...said })
}
