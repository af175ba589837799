/**
 * The cases by name. A case's module is loaded in its own process only, so that none pays for the others.
 */
import type { Reader } from "./Workload.ts"

/** One way to read a workload. */
export interface Case {
  readonly label: string
  readonly load: () => Promise<(root: string) => Reader>
}

const handWritten = () => import("./HandWritten.ts")
const sluice = () => import("./Sluice.ts")

/** All cases. */
export const cases = {
  bytes: { label: "bytes drained only", load: async () => (await handWritten()).bytes },
  baseline: { label: "hand-written page loop (baseline)", load: async () => (await handWritten()).pages },
  lines: { label: "hand-written json_stream splitter", load: async () => (await handWritten()).lines },
  sluicePages: { label: "Sluice pages", load: async () => (await sluice()).pages },
  sluiceLines: { label: "Sluice json_stream", load: async () => (await sluice()).lines },
  sluiceRecords: { label: "Sluice pages, record by record", load: async () => (await sluice()).records }
} satisfies Readonly<Record<string, Case>>

export type Name = keyof typeof cases

/** Tells names of cases from other words. */
export const isName = (name: string): name is Name => Object.hasOwn(cases, name)
