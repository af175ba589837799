/**
 * Defects that are planted one at a time, to see whether the simulation finds them.
 */
import * as Backfills from "./defects/Backfills.ts"
import type { Defect } from "./defects/Defect.ts"
import * as Folders from "./defects/Folders.ts"
import * as Live from "./defects/Live.ts"
import * as Requests from "./defects/Requests.ts"
import * as Tables from "./defects/Tables.ts"

/** All of them. */
export const all: ReadonlyArray<Defect> = [
  ...Requests.all,
  ...Live.all,
  ...Folders.all,
  ...Backfills.all,
  ...Tables.all
]
