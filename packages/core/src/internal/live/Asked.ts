/** Tells which entities a subscription has asked for. */
import type { LiveMessage } from "../../LiveMessage.ts"
import { harmless } from "../../PlainText.ts"
import * as Wildcard from "../call/Wildcard.ts"
import * as Series from "../series/Series.ts"
import type * as Frames from "./socket/Frames.ts"

/** Builds the test of names. In what was asked for, `*` stands for any characters; capitals do not matter. */
export const make = (asked: ReadonlyArray<string>): ((entity: string) => boolean) => {
  const lowered = asked.map((name) => name.toLowerCase())
  const names = new Set(lowered)
  const patterns = lowered.filter(Wildcard.is).map(Wildcard.matcher)
  return (entity) => {
    const name = entity.toLowerCase()
    return names.has(name) || patterns.some((matches) => matches(name))
  }
}

/** What the reader of a subscription was told. */
interface Told {
  hasWarned: boolean
  readonly plan: { readonly shape: { readonly entity: string }; readonly kind: Pick<Frames.Kind, "scrub"> }
}

/** Gives records of entities that were not asked for as frames of an unknown kind, which need no lane. Warns once. */
export const without = (state: Told, frames: ReadonlyArray<Frames.Classified>, unasked: ReadonlySet<number>) =>
  frames.flatMap((frame, index): ReadonlyArray<Frames.Classified> => {
    if (!unasked.has(index) || frame._tag !== "Record") return [frame]
    const message: LiveMessage<never> = { _tag: "Unknown", frame: frame.record }
    const unknown: Frames.Classified = { _tag: "Message", message, sequence: frame.sequence }
    if (state.hasWarned) return [unknown]
    state.hasWarned = true
    const { kind, shape } = state.plan
    const name = harmless(kind.scrub(Series.textOf(frame.record, shape.entity) ?? "").slice(0, 100))
    const said = `records come of ${name}, which was not asked for; they and others like them are Unknown`
    // Behind it: the first of the frames may be a repeat, and is left out.
    return [
      unknown,
      { _tag: "Message", message: { _tag: "Warning", type: "unasked_entity", message: said }, sequence: undefined }
    ]
  })
