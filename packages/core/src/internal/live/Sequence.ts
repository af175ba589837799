/**
 * The numbers of the frames of a connection, `cm_sequence_id`.
 *
 * The service says that they rise, and begin anew with a connection (docs/interface.md 6.4). So a number that falls, or that comes
 * again with another record, means a broken connection. A skipped number may mean a lost frame. HTTP is read to check that; where
 * nothing was missing, later skipped numbers are ignored.
 */
import type { Warning } from "../../LiveMessage.ts"
import type { Classified } from "./socket/Frames.ts"
import type { Closed } from "./lanes/Seam.ts"

/** What a subscription knows of the skipped numbers of its connections. */
export interface Jumps {
  /** Whether they proved to say nothing: numbers were skipped, and no record was missing. */
  areFalse: boolean
  /** How many there were since a missing record was found. */
  count: number
  /** The checks since then that found nothing. */
  vain: number
  /** Whether a connection was replaced because of one. */
  hasReplaced: boolean
  /** How many jumps pass after HTTP could not tell, until one is checked again; twice as many each time, in this connection. */
  unclear: number
  /** How many of them have passed. */
  passed: number
  /** Whether the reader was told, in this connection. */
  isTold: boolean
}

export const noJumps = (): Jumps => ({
  areFalse: false,
  count: 0,
  vain: 0,
  hasReplaced: false,
  unclear: 0,
  passed: 0,
  isTold: false
})

/** Jumps, and checks in vain, after which no further lane is checked: one lost frame may be of an entity that was not seen yet. */
const enough = 3

/** Jumps that pass at most until HTTP is asked again. */
const mostUnclear = 1_023

export const learn = (jumps: Jumps, { found, isWhole }: Closed): void => {
  if (found > 0) {
    jumps.count = jumps.vain = 0
    jumps.areFalse = false
  } else if (isWhole) jumps.vain += 1
  jumps.unclear = isWhole ? 0 : Math.min(mostUnclear, 2 * jumps.unclear + 1)
  jumps.passed = 0
}

/** A connection may tell what the one before could not. */
export const connected = (jumps: Jumps): void => {
  jumps.unclear = jumps.passed = 0
  jumps.isTold = false
}

/** Whether a jump is checked over HTTP; it is passed where HTTP could not tell of others before. */
export const isChecked = (jumps: Jumps): boolean => {
  if (jumps.passed >= jumps.unclear) return true
  jumps.passed += 1
  return false
}

/** Whether jumps have proved false: several were checked in vain, and none was not. */
export const haveProvedFalse = ({ count, vain }: Jumps): boolean => count >= enough && vain >= enough

/** How a number follows from the one before. */
export type Step = "next" | "jump" | "repeat" | "fall"

/** Tells how a number follows from the one before; -1 before the first, which may be any. */
export const stepOf = (before: number, number: number): Step => {
  if (before < 0 || number === before + 1) return "next"
  return number > before ? "jump" : number === before ? "repeat" : "fall"
}

/** Frames of which only the first does not follow from the one before it. */
export interface Part {
  readonly frames: ReadonlyArray<Classified>
  /** How the first follows; `error` where it is an error of the service. */
  readonly step: Step | "error"
  /** The number before it, and its own. */
  readonly before: number
  readonly number: number
}

/**
 * Cuts frames before each that does not follow from the one before; before a jump only where jumps matter. Returns the last number
 * with them.
 */
export const partsOf = (
  frames: ReadonlyArray<Classified>,
  before: number,
  { areFalse }: Jumps
): { readonly parts: ReadonlyArray<Part>; readonly last: number } => {
  const parts: Array<Part> = []
  let last = before
  let start = 0
  let open: Omit<Part, "frames"> = { step: "next", before, number: before }
  for (let index = 0; index < frames.length; index++) {
    const frame = frames[index]!
    const number = frame._tag === "Error" ? undefined : frame.sequence
    const step = frame._tag === "Error" ? "error" : number === undefined ? "next" : stepOf(last, number)
    if (step !== "next" && !(step === "jump" && areFalse)) {
      if (index > start) parts.push({ ...open, frames: frames.slice(start, index) })
      start = index
      open = { step, before: last, number: number ?? last }
    }
    last = number ?? last
  }
  if (start === 0 && open.step === "next") return { parts: [{ ...open, frames }], last }
  return { parts: [...parts, { ...open, frames: frames.slice(start) }], last }
}

const warning = (message: string): Warning => ({ _tag: "Warning", type: "sequence_jump", message })

/** Tells of a jump that cannot be checked. */
export const unchecked = ({ before, number }: Part): Warning =>
  warning(
    `cm_sequence_id went from ${before} to ${number}: frames may be lost, which HTTP cannot tell; further jumps of this connection are not told`
  )

/** Tells that jumps are believed no more. */
export const provedFalse: Warning = warning(
  "cm_sequence_id skips numbers although no record is missing over HTTP: its jumps are not checked any more"
)
