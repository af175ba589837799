/** Questions about the service: what is asked, the words that may answer, and how a word is found. */
import * as Dialect from "@sluice/sandbox/Dialect"
import type * as Effect from "effect/Effect"
import type { Service } from "./Service.ts"
import type { Undecided } from "./Undecided.ts"

/** A question about one assumption. It reads only. */
export interface Question {
  readonly name: string
  readonly asks: string
  /** The section of docs/interface.md. */
  readonly section: string
  /** The answers under which the client is right; the better supported one first. */
  readonly words: ReadonlyArray<string>
  /** The answers that contradict what the client relies on, each with what a user would notice. */
  readonly contradictions: Readonly<Record<string, string>>
  readonly ask: Effect.Effect<string, Undecided, Service>
}

/** Makes a question of a dialect. The client is right under each of its words. */
export const open = (
  name: Dialect.Name,
  question: Pick<Question, "ask"> & Partial<Pick<Question, "contradictions">>
): Question => ({ name, ...Dialect.questions[name], contradictions: {}, ...question })

export const assumed = (
  question: Omit<Question, "contradictions"> & Partial<Pick<Question, "contradictions">>
): Question => ({ contradictions: {}, ...question })
