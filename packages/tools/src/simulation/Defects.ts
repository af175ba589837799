/**
 * Defects that are planted one at a time, to see whether the simulation finds them: a text of a file, and another in its place.
 */
import * as Folders from "./defects/Folders.ts"
import * as Live from "./defects/Live.ts"
import * as Requests from "./defects/Requests.ts"
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

/** All of them. */
export const all: ReadonlyArray<Defect> = [...Requests.all, ...Live.all, ...Folders.all]
