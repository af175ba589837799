/** What every call keeps to, whatever the service answers. */
import * as util from "node:util"
import { ApiError } from "@sluice/core"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Fuzzed } from "./Fuzzed.ts"
import * as Case from "./Case.ts"
import * as Oracle from "./Oracle.ts"
import * as Secret from "./Secret.ts"

/** Promises that were not kept. */
export class Broken extends Data.TaggedError("Broken")<{ readonly promises: ReadonlyArray<string> }> {}

/** Longest message, log line or other text of an error. */
const longestText = 10_000

type Breach = string | undefined

const shortened = (text: string) => (text.length > 300 ? `${text.slice(0, 300)}… (${text.length})` : text)

/** Ends with records or one of the eight errors: no defect, no interruption. */
const ending = ({ exit }: Fuzzed): Breach => {
  if (Exit.isSuccess(exit)) return undefined
  const [reason, ...more] = exit.cause.reasons
  return reason?._tag === "Fail" && ApiError.isApiError(reason.error) && more.length === 0
    ? undefined
    : `ends by something else than an ApiError: ${shortened(Cause.pretty(exit.cause))}`
}

const facesOf = ({ exit }: Fuzzed): ReadonlyArray<string> => {
  const error = Exit.isSuccess(exit) ? undefined : Cause.squash(exit.cause)
  if (!(error instanceof Error)) return []
  return [error.message, String(error), JSON.stringify(error), util.inspect(error, { depth: 10, showHidden: true })]
}

/** Says nothing of the key, and nothing that fills a screen, in errors and log lines. */
const words = (fuzzed: Fuzzed): ReadonlyArray<Breach> => {
  const faces = facesOf(fuzzed)
  const texts = [...faces, ...fuzzed.lines]
  const leak = texts.find(Secret.isIn)
  const long = [...faces.slice(0, 1), ...fuzzed.lines].find((text) => text.length > longestText)
  return [
    leak === undefined ? undefined : `tells the key: ${shortened(leak)}`,
    long === undefined ? undefined : `says too much: ${shortened(long)}`
  ]
}

/** Delivers only what is plain JSON and a record of the call. */
const kinds = ({ given, records }: Fuzzed): ReadonlyArray<Breach> => {
  const { isRecord } = Case.targetOf(given)
  const odd = records.flatMap(Oracle.foreign)
  const wrong = records.find((record) => !isRecord(record))
  return [
    odd.length === 0 ? undefined : `delivers what is no JSON: ${odd[0]}`,
    wrong === undefined ? undefined : `delivers what is no record: ${shortened(Oracle.canonical(wrong))}`
  ]
}

/** The records of one reply that is JSON, in the order they stand there. */
const expected = ({ bodies: [body], given }: Fuzzed): ReadonlyArray<unknown> | undefined => {
  if (body === undefined) return undefined
  if (Case.isStream(given)) return Oracle.linesOf(body).all
  const text = new TextDecoder().decode(body)
  // Of two lists with one name, either may be read.
  if ([...text.matchAll(/"data"\s*:/g)].length !== 1) return undefined
  const data = Oracle.envelopeOf(body)?.["data"]
  if (!Array.isArray(data)) return undefined
  return Case.targetOf(given).isReversed ? data.toReversed() : data
}

/** Delivers only what the bodies hold. */
const origin = (fuzzed: Fuzzed): Breach => {
  const { bodies, given, records } = fuzzed
  if (records.length === 0) return undefined
  const read = Case.isStream(given) ? Oracle.recordsOf : Oracle.objectsOf
  const known = new Set(bodies.flatMap((body) => [...read(body)]))
  const invented = records.map(Oracle.canonical).find((record) => !known.has(record))
  return invented === undefined ? undefined : `delivers what no body holds: ${shortened(invented)}`
}

/**
 * Delivers the records of a single reply in their order, from the first; all of them when it ends well. A json_stream
 * that is answered the same again and again is one reply, of which nothing is lost and nothing repeated.
 */
const order = (fuzzed: Fuzzed): Breach => {
  const { exit, given, records, requests } = fuzzed
  const isSingle = requests === 1 || (Case.isStream(given) && given.answers.length === 1)
  const all = isSingle ? expected(fuzzed) : undefined
  if (all === undefined) return origin(fuzzed)
  const isPrefix = records.every((record, index) => Oracle.canonical(record) === Oracle.canonical(all[index]))
  if (!isPrefix) return "delivers other records than the reply has, or in another order"
  return Exit.isSuccess(exit) && records.length !== all.length
    ? `ends well with ${records.length} of ${all.length} records`
    : undefined
}

const isTwice = (text: string, key: string) => text.split(JSON.stringify(key)).length > 2

/** Accepts what is whole: a single good reply is delivered to its end. */
const acceptance = (fuzzed: Fuzzed): Breach => {
  const { exit, given, requests } = fuzzed
  const [answer] = given.answers
  const [body] = fuzzed.bodies
  const all = expected(fuzzed)
  const isGood =
    requests === 1 &&
    Case.statusOf(answer!) === 200 &&
    Case.endingOf(answer!) === "whole" &&
    Case.policyOf(given) !== "fail"
  if (!isGood || all === undefined || Exit.isSuccess(exit) || Case.limitsOf(given).maxPageBytes !== undefined)
    return undefined
  if (!all.every(Case.targetOf(given).isRecord)) return undefined
  if (Case.isStream(given)) {
    return Oracle.linesOf(body!).isWhole ? `refuses a whole json_stream: ${Cause.pretty(exit.cause)}` : undefined
  }
  // Of two tokens, errors or warnings either may be meant.
  const text = new TextDecoder().decode(body)
  if (["error", "next_page_token", "next_page_url", "warning", "warnings"].some((key) => isTwice(text, key)))
    return undefined
  const { error, next_page_token: token, next_page_url: url } = Oracle.envelopeOf(body!) ?? {}
  const isLast = [error, token, url].every((field) => field === undefined || field === null)
  return isLast ? `refuses a whole page: ${shortened(Cause.pretty(exit.cause))}` : undefined
}

const builtIns = [Object.prototype, Array.prototype, Function.prototype]
const untouched = builtIns.map((prototype) => Object.getOwnPropertyNames(prototype).join())

/** Leaves the prototypes of the language alone. */
const pollution = (): Breach =>
  builtIns.some((prototype, index) => Object.getOwnPropertyNames(prototype).join() !== untouched[index])
    ? "changes a prototype of the language"
    : undefined

/** All that was promised and not kept. */
export const check = (fuzzed: Fuzzed): ReadonlyArray<string> =>
  [ending(fuzzed), ...words(fuzzed), ...kinds(fuzzed), order(fuzzed), acceptance(fuzzed), pollution()].filter(
    (breach) => breach !== undefined
  )

/** Fails with what was not kept. */
export const assertKept = (promises: ReadonlyArray<string>): Effect.Effect<void, Broken> =>
  promises.length === 0 ? Effect.void : Effect.fail(new Broken({ promises }))
