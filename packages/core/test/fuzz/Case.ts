/** One fuzzed call, as data that can be made smaller and written down: what is asked, and what the service answers. */
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as FakeApi from "../FakeApi.ts"
import * as ByteEdit from "./ByteEdit.ts"
import * as Head from "./Head.ts"
import * as JsonEdit from "./JsonEdit.ts"
import { below, Choice, pick } from "./Choice.ts"
import * as Target from "./Target.ts"

/** After many changes all replies are alike: broken at their beginning. */
const few = <S extends Schema.Top>(item: S) => Schema.Array(item).check(Schema.isMaxLength(3))

const Answer = Schema.Struct({
  /** See {@link statusOf}. */
  status: below(1_000),
  headers: few(Head.Header),
  token: Schema.Array(Schema.Union([Schema.Literals(["one", "two"]), Schema.String])).check(Schema.isMaxLength(1)),
  json: few(JsonEdit.JsonEdit),
  bytes: few(ByteEdit.ByteEdit),
  /** Where the body is cut into chunks. */
  cuts: Schema.Union([Schema.Array(Choice), Schema.Literal("every byte")]),
  /** See {@link endingOf}. */
  ending: below(100)
})

type Answer = typeof Answer.Type

const Call = Schema.Struct({
  format: Schema.Literals(["json", "json_stream"]),
  face: Schema.Literals(["records", "pages"]),
  /** See {@link policyOf}. */
  deprecated: below(100),
  /** See {@link limitsOf}. */
  limits: below(100),
  /** How often the records are repeated: one copy is read whole, many part by part. */
  copies: Schema.Literals([1, 2, 100]),
  isPretty: Schema.Boolean,
  answers: Schema.NonEmptyArray(Answer)
})

/** One call of a target, and the answers that it is given in turn, over and over. */
export interface Case extends Omit<typeof Call.Type, "answers"> {
  readonly target: string
  readonly records: ReadonlyArray<unknown>
  readonly answers: ReadonlyArray<Answer>
}

const byName = new Map(Target.all.map((target) => [target.name, target]))

/** The target of a case. */
export const targetOf = ({ target }: Case): Target.Target => byName.get(target)!

const origin = Schema.Struct({ target: Choice, isMadeUp: Schema.Boolean })

const subject = Arbitrary.flatMap(Arbitrary.schema(origin), ({ isMadeUp, target: choice }) => {
  const target = pick(Target.weighted, choice)
  const records = isMadeUp ? target.records() : Arbitrary.Constant(target.reply.data)
  return Arbitrary.map(records, (records) => ({ target: target.name, records }))
})

const mostAnswers = 3

/** All there is to try. */
export const arbitrary: Arbitrary.Arbitrary<Case> = Arbitrary.map(
  Arbitrary.all([subject, Arbitrary.schema(Call)]),
  ([subject, { answers, ...call }]) => ({ ...subject, ...call, answers: answers.slice(0, mostAnswers) })
)

/** Whether records come as lines. */
export const isStream = (given: Case) =>
  given.format === "json_stream" && targetOf(given).endpoint.formats.includes("json_stream")

/** The status of an answer: mostly 200, else anything from 100 to 599. */
export const statusOf = ({ status }: Answer) => (status < 850 ? 200 : 100 + (status % 500))

/** What comes after the body of an answer, or in place of it. */
export const endingOf = ({ ending }: Answer) =>
  ending < 80 ? "whole" : pick(["cut", "cut", "stall", "never", "refused"] as const, ending)

/** What the client does about deprecated endpoints: most of what is fuzzed is one. */
export const policyOf = ({ deprecated }: Case) =>
  deprecated < 90 ? "ignore" : pick(["warn", "fail"] as const, deprecated)

/** What the client allows a reply to have: as a rule what it allows everybody, else so little that it matters. */
export const limitsOf = ({ limits }: Case) =>
  limits < 85 ? {} : { maxPageBytes: 30_000, maxLineBytes: 2_000, maxErrorBytes: 300 }

/** The bodies of all answers. */
export const bodiesOf = (given: Case): ReadonlyArray<Uint8Array> => {
  const good = goodOf(given)
  return given.answers.map((answer) => bodyOf(given, answer, good))
}

/** The body of an answer that nothing was done to. */
export const goodOf = (given: Case) => FakeApi.bytes(textOf(given, []))

const bodyOf = (given: Case, answer: Answer, good: Uint8Array): Uint8Array => {
  const others = (choice: number) => {
    const { name, reply } = pick(Target.all, choice)
    return choice % 2 === 0 ? good : FakeApi.bytes(JSON.stringify({ data: reply.data, next_page_token: name }))
  }
  const text = FakeApi.bytes(textOf(given, answer.json, answer.token))
  return answer.bytes.reduce((body, edit) => ByteEdit.apply(body, edit, others), text)
}

const day = 86_400_000

/** A later record of the same entity: a series has no two of one time. */
const later = (record: unknown, copy: number): unknown => {
  const { height, time } = record as { readonly height?: unknown; readonly time?: unknown }
  const moment = typeof time === "string" ? Date.parse(time.slice(0, 19).concat("Z")) : Number.NaN
  if (copy === 0 || Number.isNaN(moment) || typeof time !== "string") return record
  return {
    ...(record as object),
    time: new Date(moment + copy * 1_000 * day).toISOString().slice(0, 19) + time.slice(19),
    ...(typeof height === "string" && /^\d{1,9}$/.test(height) ? { height: String(Number(height) + 1_000 * copy) } : {})
  }
}

/** The most records that any page of an endpoint may have, whatever its parameters say. */
const mostOf = ({ pageSize = Infinity, parameters }: Target.Target["endpoint"]): number =>
  Math.min(pageSize, ...[...parameters.values()].flatMap(({ pageSizes }) => [...pageSizes.values()]))

const recordsOf = (given: Case): ReadonlyArray<unknown> => {
  const copies = Array.from({ length: given.copies }, (_, index) => index)
  const { endpoint } = targetOf(given)
  const records =
    endpoint.order === "series"
      ? given.records.flatMap((record) => copies.map((copy) => later(record, copy)))
      : copies.flatMap(() => given.records)
  return records.slice(0, mostOf(endpoint))
}

const textOf = (given: Case, edits: ReadonlyArray<JsonEdit.JsonEdit>, [token]: ReadonlyArray<string> = []) => {
  const records = recordsOf(given)
  if (isStream(given)) {
    const root = JsonEdit.fromValue(records)
    for (const edit of edits) JsonEdit.apply(root, edit)
    const lines = root.kind === "array" ? root.items : [root]
    return lines.map((line) => `${JsonEdit.toText(line)}\n`).join("")
  }
  const { data: _, next_page_token: __, ...rest } = targetOf(given).reply
  const envelope = { data: records, ...(token === undefined ? {} : { next_page_token: token }), ...rest }
  if (edits.length === 0) return JSON.stringify(envelope, undefined, given.isPretty ? 2 : 0)
  const root = JsonEdit.fromValue(envelope)
  for (const edit of edits) JsonEdit.apply(root, edit)
  return JsonEdit.toText(root)
}

/** A body in the chunks of its answer, and what happens behind the last of them. */
export const piecesOf = (body: Uint8Array, cuts: Answer["cuts"]): ReadonlyArray<Uint8Array> => {
  const borders =
    cuts === "every byte"
      ? Array.from({ length: Math.min(body.length, 3_000) }, (_, index) => index + 1)
      : cuts.map((cut) => cut % (body.length + 1)).toSorted((a, b) => a - b)
  return [0, ...borders].map((from, index) => body.subarray(from, borders[index] ?? body.length))
}
