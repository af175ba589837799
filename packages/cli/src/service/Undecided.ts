/** Why a question has no answer. */
import * as Data from "effect/Data"

/** A question has no answer: the replies show none, the key may not read them, or it was not asked. */
export class Undecided extends Data.TaggedError("Undecided")<{
  readonly answer: "unclear" | "forbidden" | "implied" | "not asked"
  readonly reason: string
}> {}

/** The replies do not show the answer. */
export const unclear = (reason: string) => new Undecided({ answer: "unclear", reason })

/** The key may not read what would show the answer. */
export const forbidden = (reason: string) => new Undecided({ answer: "forbidden", reason })

/** Another answer leaves nothing to ask. */
export const implied = (reason: string) => new Undecided({ answer: "implied", reason })

/** The question does not apply here. */
export const notAsked = (reason: string) => new Undecided({ answer: "not asked", reason })
