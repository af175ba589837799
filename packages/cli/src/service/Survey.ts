/** Asks all questions, one after the other, and names the dialect that the service speaks. */
import * as Client from "@sluice/core/Client"
import * as Dialect from "@sluice/sandbox/Dialect"
import * as Effect from "effect/Effect"
import * as Candles from "./Candles.ts"
import * as Lists from "./Lists.ts"
import * as Markets from "./Markets.ts"
import type { Question } from "./Question.ts"
import * as Replies from "./Replies.ts"
import * as Series from "./Series.ts"
import { Service } from "./Service.ts"
import * as Streams from "./Streams.ts"

/** Every question, in the order in which they are asked. */
export const questions: ReadonlyArray<Question> = [
  ...Replies.questions,
  ...Lists.questions,
  ...Series.questions,
  ...Candles.questions,
  ...Markets.questions,
  ...Streams.questions
]

const job = "would start a job"
const refusal = "would exceed the rate limit"

/** The questions of the dialect that no reading answers, and why. */
export const unasked: Readonly<Partial<Record<Dialect.Name, string>>> = {
  balanceUpdates: job,
  lastLine: job,
  retryAfter: refusal,
  countRejected: refusal,
  rejectedBody: refusal
}

export interface Finding {
  readonly name: string
  /** A word of the question, `unclear`, `forbidden`, `implied` or `not asked`. */
  readonly answer: string
  readonly section: string
  readonly reason?: string | undefined
  /** What a user would notice, where the answer contradicts what the client relies on. */
  readonly contradicts?: string | undefined
}

export type Report = Effect.Success<ReturnType<typeof run>>

const find = Effect.fnUntraced(function* ({ ask, contradictions, name, section }: Question) {
  const { account } = yield* Client.Client
  return yield* Effect.match(ask, {
    // The reason may quote the service.
    onFailure: ({ answer, reason }): Finding => ({ name, answer, section, reason: account.scrub(reason) }),
    onSuccess: (answer): Finding => ({ name, answer, section, contradicts: contradictions[answer] })
  })
})

/** Asks these questions. `before` is run before each, with its name. */
export const run = Effect.fnUntraced(function* (
  asked: ReadonlyArray<Question> = questions,
  before: (name: string, index: number) => Effect.Effect<void> = () => Effect.void
) {
  const found: Array<Finding> = []
  for (const [index, question] of asked.entries()) {
    yield* before(question.name, index)
    found.push(yield* find(question))
  }
  for (const name of Dialect.names) {
    const reason = unasked[name]
    if (reason !== undefined)
      found.push({ name, answer: "not asked", section: Dialect.questions[name].section, reason })
  }
  const { plan } = yield* Client.quota
  const { used } = yield* Service
  return {
    /** The dialect, as `Dialect.format` writes it; empty for the better supported answers throughout. */
    dialect: dialectOf(found),
    /** The requests and connections that it took. */
    requests: yield* used,
    plan,
    findings: found
  }
})

const dialectOf = (findings: ReadonlyArray<Finding>) => {
  const spoken = Dialect.names.flatMap((name) => {
    const words: ReadonlyArray<string> = Dialect.questions[name].words
    return findings.flatMap((one) => (one.name === name && words.includes(one.answer) ? [[name, one.answer]] : []))
  })
  // Type boundary: each answer was found among the words of its question.
  return Dialect.format(Object.fromEntries(spoken) as Partial<Dialect.Dialect>)
}
