/**
 * A defect: a text of a file, and another in its place.
 */
import type * as Targets from "../Targets.ts"

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
