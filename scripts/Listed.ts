/** Every operation with the names it is exported under, whatever it replies with. */
import * as Endpoints from "../packages/core/src/Endpoints.ts"

export type Listed = Endpoints.Entry | Endpoints.SingleEntry | Endpoints.JobEntry | Endpoints.LiveEntry

export const all: ReadonlyArray<Listed> = [
  ...Endpoints.entries,
  ...Endpoints.singleEntries,
  ...Endpoints.jobEntries,
  ...Endpoints.liveEntries
]
