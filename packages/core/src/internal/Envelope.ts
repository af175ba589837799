/**
 * The envelope of a page, parsed while it arrives.
 *
 * One that begins with its data is cut between records, and each part is parsed as soon as it is there: the work overlaps
 * with the transfer, and no page stands in memory as one text. A cut at `},{` may fall into a text or a nested list; then
 * the part does not parse, for it ends inside of something, and is kept for the next cut.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Json from "./Json.ts"
import * as Utf8 from "./Utf8.ts"

/** Why a body is no envelope. */
export type Unreadable = "not UTF-8" | "not JSON" | "broken off"

/** Takes the bytes of one body, in order. */
export interface Reader {
  readonly push: (chunks: ReadonlyArray<Uint8Array>) => void
  /** The JSON of the body. */
  readonly end: () => Result.Result<unknown, Unreadable>
}

const opening = /^\s*\{\s*"data"\s*:\s*\[/

/** After so many cuts that fell inside of something, the rest is parsed as a whole. */
const mostMisses = 3

/** Begins at the start of a body. */
export const makeReader = (): Reader => {
  const decode = Utf8.makeStreaming()
  const parts: Array<ReadonlyArray<unknown>> = []
  let rest = ""
  let isOpen = false
  let isText = true
  let misses = 0

  const cut = () => {
    const at = misses < mostMisses ? rest.lastIndexOf("},{") : -1
    if (at === -1) return
    const part = Json.parse(`[${rest.slice(0, at + 1)}]`)
    if (Array.isArray(part)) {
      parts.push(part)
      rest = rest.slice(at + 2)
    } else misses += 1
  }

  const take = (text: string | undefined) => {
    if (text === undefined) isText = false
    if (!isText) return
    // A body of one piece is parsed in one piece; from the second on it is worth cutting.
    if (!isOpen && parts.length === 0 && opening.test(rest)) {
      isOpen = true
      rest = rest.replace(opening, "")
    }
    rest += text
    if (isOpen) cut()
  }

  return {
    push: (chunks) => {
      for (const piece of chunks.flatMap(Utf8.pieces)) take(decode(piece))
    },
    end: () => {
      take(decode())
      if (!isText) return Result.fail("not UTF-8")
      const text = isOpen ? `{"data":[${rest}` : rest
      const json = Json.parse(text)
      // JSON that began and does not parse, or never began, was cut off by something on the way.
      if (json === undefined) return Result.fail(/^\s*(?:[{[]|$)/.test(text) ? "broken off" : "not JSON")
      if (parts.length === 0) return Result.succeed(json)
      if (!Predicate.hasProperty(json, "data") || !Array.isArray(json.data)) return Result.fail("broken off")
      return Result.succeed({ ...json, data: parts.concat([json.data]).flat() })
    }
  }
}
