/**
 * Turns the messages of a connection into its frames: sequence ids, and the faults that it meets (docs/interface.md 6.4).
 */
import type { Dialect } from "../../Dialect.ts"
import { hex, seed } from "../random/Noise.ts"
import * as Refusal from "../request/Refusal.ts"
import type * as LiveSpec from "../faults/LiveSpec.ts"
import type { Kind } from "../faults/LiveTable.ts"
import * as Spec from "../faults/Spec.ts"
import { reorg } from "./BlockFeed.ts"
import { withFields } from "./Feed.ts"

export type Outgoing =
  | { readonly _tag: "Frame"; readonly frame: string | Uint8Array<ArrayBuffer> }
  | { readonly _tag: "Close"; readonly code: number; readonly reason: string; readonly why: string }
  | { readonly _tag: "Drop" }
  | { readonly _tag: "Silence" }

export type Frames = ReturnType<typeof make>

/** The close code after an error; none is published. */
const errorCode = 1008

const encoder = new TextEncoder()

const frame = (text: string): Outgoing => ({ _tag: "Frame", frame: text })

// Blocks of the height of a new one, each taken back before the next.
const storm = (message: string, count: number): ReadonlyArray<string> => {
  const part = (name: string) => new RegExp(`"${name}":"([^"]*)"`).exec(message)?.[1] ?? ""
  const hash = part("hash")
  return Array.from({ length: count }, (_, n) => hex(seed(hash), n + 1, 64)).flatMap((stale) => [
    message.replace(`"hash":"${hash}"`, `"hash":"${stale}"`),
    reorg(part("asset"), part("time"), part("height"), stale, part("parent_hash"))
  ])
}

const numberings: Readonly<Record<Dialect["sequence"], (frame: number) => number>> = {
  zero: (frame) => frame,
  one: (frame) => frame + 1,
  even: (frame) => 2 * frame,
  jumps: (frame) => frame + 3 * Math.floor(frame / 7)
}

/** What the service says where it refuses over a connection that it has accepted. */
const refusals = {
  bad_parameter: Refusal.unsupported("markets", "sandbox"),
  unauthorized: Refusal.unauthorized,
  wrong_credentials: Refusal.wrongCredentials,
  forbidden: Refusal.forbidden
}

export const make = (
  faults: ReadonlyArray<LiveSpec.LiveFault>,
  key: string,
  isPretty: boolean,
  numbering: Dialect["sequence"]
) => {
  const numberOf = numberings[numbering]
  const find = (kind: Kind) => Spec.find(faults, kind)
  const quoted = find("live-echo-key") === undefined ? "" : ` (api_key=${key})`
  const at = (kind: Kind, n: number) => find(kind)?.amount === n
  const every = (kind: Kind, n: number) => n % (find(kind)?.amount ?? Number.NaN) === 0
  const warning = frame(
    JSON.stringify({
      warning: { type: "falling_behind", message: `You are falling behind, the queue is now over 60% full.${quoted}` }
    })
  )
  const stall: ReadonlyArray<Outgoing> = [
    frame(JSON.stringify({ error: { type: "stall", message: `You read too slowly, and are disconnected.${quoted}` } })),
    { _tag: "Close", code: errorCode, reason: `stall${quoted}`, why: "stall" }
  ]
  const errors = faults.flatMap(({ refused }): ReadonlyArray<Outgoing> => {
    if (refused === undefined) return []
    const { message, type } = refusals[refused]
    return [
      frame(JSON.stringify({ error: { type, message: `${message}${quoted}` } })),
      { _tag: "Close", code: errorCode, reason: `${type}${quoted}`, why: "live-error" }
    ]
  })
  const endings: { readonly [kind in Kind]?: (fault: LiveSpec.LiveFault) => ReadonlyArray<Outgoing> } = {
    "live-close": ({ code }) => [{ _tag: "Close", code, reason: `restart${quoted}`, why: "live-close" }],
    "live-drop": () => [{ _tag: "Drop" }],
    "live-silence": () => [{ _tag: "Silence" }],
    "live-stall": () => stall
  }
  const ending = (fault: LiveSpec.LiveFault) => endings[fault.kind]?.(fault) ?? []
  const endsAfter = (count: number) =>
    faults.filter(({ position }) => position.unit === "frame" && position.amount === count).flatMap(ending)
  const huge = find("live-huge")
  let count = 0
  let sequence = 0
  let held: ReadonlyArray<Outgoing> = []
  const numbered = (message: string): string => {
    const id = numberOf(sequence++)
    const text = withFields(message, `,"cm_sequence_id":${find("live-number") === undefined ? `"${id}"` : id}`)
    return find("live-extra") === undefined ? text : withFields(text, `,"sandbox_extra":{"n":[${id}]}`)
  }
  const shown = (text: string): Outgoing => frame(isPretty ? JSON.stringify(JSON.parse(text), undefined, 2) : text)
  const one = (message: string): ReadonlyArray<Outgoing> => {
    const n = ++count
    if (at("live-lose", n)) return endsAfter(n)
    const text = numbered(at("live-time", n) ? message.replace(/("time":"\d{4})-\d\d/, "$1-13") : message)
    const padded =
      huge !== undefined && huge.at === n ? withFields(text, `,"sandbox_padding":"${"x".repeat(huge.amount)}"`) : text
    const plain: Outgoing = at("live-binary", n) ? { _tag: "Frame", frame: encoder.encode(padded) } : shown(padded)
    const own = at("live-skip", n) ? [] : [plain]
    const before = [
      ...(at("live-warning", n) ? [warning] : []),
      ...(at("live-garbage", n) ? [frame('{"time":"2026-10-')] : [])
    ]
    const again = [
      ...(every("live-repeat", n) ? own : []),
      ...(every("live-again", n) ? [shown(numbered(message))] : [])
    ]
    const all = [...before, ...own, ...again]
    if (at("live-reverse", n)) {
      held = all
      return endsAfter(n)
    }
    const late = held
    held = []
    return [...all, ...late, ...endsAfter(n)]
  }
  const isPlain = faults.length === 0 && !isPretty
  const reorgs = find("live-reorg")
  return {
    write: (message: string): ReadonlyArray<Outgoing> => {
      if (isPlain) return [frame(withFields(message, `,"cm_sequence_id":"${numberOf(sequence++)}"`))]
      const isBlock = reorgs !== undefined && message.includes('"type":"new_block"')
      return isBlock ? [...storm(message, reorgs.amount), message].flatMap(one) : one(message)
    },
    /** What there is to do before the first frame. */
    opening: [...errors, ...endsAfter(0)],
    /** How the connection ends after so long, by milliseconds. */
    timed: faults
      .filter(({ kind, position }) => endings[kind] !== undefined && position.unit === "ms")
      .map((fault) => [fault.position.amount, ending(fault)] as const),
    warning,
    stall
  }
}
