/**
 * Removes the API key from text of the service, in whatever way it is escaped there: for a URL, for JSON, for HTML, or
 * by several of these in turn.
 *
 * A list of spellings to search for would never be complete (`%2f`, `%252F`, `\/`, `&#x2F;`, and each character of a key
 * on its own). So the text is unescaped, with a map back to the original, and the key is searched for in plain form.
 *
 * What hides a key rather than escapes it is not looked for: base64, hexadecimal digits, the key reversed or in pieces.
 */
import * as Redacted from "effect/Redacted"

/** Text in UTF-8, a character for each byte, and where in the original each byte begins; the end stands last. */
interface Mapped {
  readonly bytes: string
  readonly offsets: ReadonlyArray<number>
}

/** What stands in place of the key. */
const mark = "<redacted>"

/**
 * Keys shorter than this are only removed where they stand as a word of their own: `k` inside of `asked` gives nothing
 * away, and without it no message could be read.
 */
const shortest = 4

/** How often text is unescaped: each time removes all layers of one kind, so this counts changes of kind. */
const layers = 4

const hasEscape = /[%&\\]/

// Repeated escaping of one kind is matched in one piece, so that its depth costs nothing: `%25252F`, `&amp;amp;#47;`.
// UTF-8 that is longer than it has to be (`%c0%af`), and the `%u002f` of the older `escape()`, stand for the same.
const escapes =
  /%(?:25)*(?:c([01])|e0%(?:25)*8([01])|f0%(?:25)*80%(?:25)*8([01]))%(?:25)*([89ab][0-9a-f])|%(?:25)*([0-9a-f]{2})|&(?:amp;)*(?:#x0*([0-9a-f]{1,6});?|#0*([0-9]{1,7});?|([a-z]{2,8});)|(?:\\+|%(?:25)*)(?:u(d[89ab][0-9a-f]{2})(?:\\+|%(?:25)*)u(d[c-f][0-9a-f]{2})|u([0-9a-f]{4}))|\\+(?:u\{0*([0-9a-f]{1,6})\}|x([0-9a-f]{2})|(["'/]))|\\{2,}/gi

/**
 * Escapes whose mark often stands for itself: quoted-printable (`=2F`) and octal (`\57`). As `key=ab%2F` shows, to read
 * them together with the others would hide a key, so each is read before the others, in a search of its own.
 */
const rare: ReadonlyArray<readonly [pattern: RegExp, base: number]> = [
  [/=(?:([0-9a-f]{2})|\r?\n)/gi, 16],
  // A run of backslashes without digits is matched too: to look for them behind each takes time that grows with its square.
  [/\\+([0-3]?[0-7]{1,2})?/g, 8]
]

/** Names that HTML has for the ASCII characters a key may hold. */
const named: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["apos", "'"],
  ["ast", "*"],
  ["bsol", "\\"],
  ["colon", ":"],
  ["comma", ","],
  ["commat", "@"],
  ["dollar", "$"],
  ["equals", "="],
  ["excl", "!"],
  ["grave", "`"],
  ["gt", ">"],
  ["hat", "^"],
  ["lbrace", "{"],
  ["lbrack", "["],
  ["lcub", "{"],
  ["lowbar", "_"],
  ["lpar", "("],
  ["lsqb", "["],
  ["lt", "<"],
  ["num", "#"],
  ["percnt", "%"],
  ["period", "."],
  ["plus", "+"],
  ["quest", "?"],
  ["quot", '"'],
  ["rbrace", "}"],
  ["rbrack", "]"],
  ["rcub", "}"],
  ["rpar", ")"],
  ["rsqb", "]"],
  ["semi", ";"],
  ["sol", "/"],
  ["tilde", "~"],
  ["verbar", "|"],
  ["vert", "|"]
])

/** Writes a code point in UTF-8, a character for each byte; nothing for what is no code point. */
const utf8 = (code: number): string | undefined => {
  if (code < 0x80) return String.fromCharCode(code)
  const last = 0x80 | (code & 63)
  if (code < 0x800) return String.fromCharCode(0xc0 | (code >> 6), last)
  const middle = 0x80 | ((code >> 6) & 63)
  if (code < 0x10000) return String.fromCharCode(0xe0 | (code >> 12), middle, last)
  if (code > 0x10ffff) return undefined
  return String.fromCharCode(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), middle, last)
}

const toBytes = (text: string): Mapped => {
  const offsets: Array<number> = []
  let bytes = ""
  for (let at = 0; at < text.length;) {
    const code = text.codePointAt(at)!
    const encoded = utf8(code)!
    bytes += encoded
    for (let n = 0; n < encoded.length; n++) offsets.push(at)
    at += code > 0xffff ? 2 : 1
  }
  return { bytes, offsets: [...offsets, text.length] }
}

/** What an escape stands for; nothing for one that stands for nothing. */
type Meaning = (found: RegExpExecArray) => string | undefined

const meaning: Meaning = ([, ...found]) => {
  const [c, e, f, last, url, hex, decimal, name, high, low, json, braced, short, plain] = found
  if (last !== undefined) {
    return String.fromCharCode((Number(c ?? e ?? f) << 6) | (Number.parseInt(last, 16) & 63))
  }
  if (url !== undefined) return String.fromCharCode(Number.parseInt(url, 16))
  if (name !== undefined) return named.get(name.toLowerCase())
  if (high !== undefined && low !== undefined) {
    return utf8(String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)).codePointAt(0)!)
  }
  if (decimal !== undefined) return utf8(Number(decimal))
  const code = hex ?? json ?? braced ?? short
  return code === undefined ? (plain ?? "\\") : utf8(Number.parseInt(code, 16))
}

/** Of a rare one; a line that was broken in two goes on, backslashes alone stay. */
const byNumber =
  (base: number): Meaning =>
  ([all, digits]) => {
    if (digits !== undefined) return String.fromCharCode(Number.parseInt(digits, base) & 255)
    return all.startsWith("=") ? "" : undefined
  }

const unescaped = ({ bytes, offsets }: Mapped, pattern = escapes, meaningOf = meaning): Mapped => {
  const kept: Array<number> = []
  let text = ""
  let from = 0
  const keep = (to: number) => {
    text += bytes.slice(from, to)
    for (let at = from; at < to; at++) kept.push(offsets[at]!)
    from = to
  }
  for (const found of bytes.matchAll(pattern)) {
    const meant = meaningOf(found)
    if (meant === undefined) continue
    keep(found.index)
    text += meant
    for (let n = 0; n < meant.length; n++) kept.push(offsets[from]!)
    from += found[0].length
  }
  keep(bytes.length)
  return { bytes: text, offsets: [...kept, offsets[bytes.length]!] }
}

/** Forms write a space as a plus sign, so the two count as one character. */
const folded = (text: string) => text.replaceAll("+", " ")

const isWordAt = (text: string, at: number) => /[a-z0-9]/i.test(text.charAt(at))

/** Builds the function that removes a key; without a key it changes nothing. */
export const make = (apiKey: Redacted.Redacted | undefined): ((text: string) => string) => {
  const key = apiKey === undefined ? "" : Redacted.value(apiKey)
  if (key === "") return (text) => text
  const raw = folded(key)
  // Closed over as they are, so that no printed value shows them.
  const plain = toBytes(key)
  const forms = [plain]
  for (let layer = 0; layer < layers; layer++) forms.push(unescaped(forms[layer]!))
  const wanted = [...new Set(forms.map(({ bytes }) => folded(bytes)))]

  const find = (text: string, form: string, offsetOf: (at: number) => number, spans: Array<[number, number]>) => {
    for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + form.length)) {
      const end = at + form.length
      if (key.length >= shortest || !(isWordAt(text, at - 1) || isWordAt(text, end))) {
        spans.push([offsetOf(at), offsetOf(end)])
      }
    }
  }

  return (text) => {
    const spans: Array<[number, number]> = []
    find(folded(text), raw, (at) => at, spans)
    const search = ({ bytes, offsets }: Mapped) => {
      for (const form of wanted) find(folded(bytes), form, (at) => offsets[at]!, spans)
    }
    const unfold = (from: Mapped) => {
      let mapped = from
      for (let layer = 0; layer < layers; layer++) {
        const next = unescaped(mapped)
        if (next.bytes.length === mapped.bytes.length && next.bytes === mapped.bytes) break
        mapped = next
        search(next)
      }
    }
    if (hasEscape.test(text)) unfold(toBytes(text))
    for (const [pattern, base] of rare) {
      if (text.search(pattern) === -1) continue
      const first = unescaped(toBytes(text), pattern, byNumber(base))
      search(first)
      unfold(first)
    }
    return spans.length === 0 ? text : cut(text, spans)
  }
}

/** Puts the mark in place of the spans, one mark for those that overlap. */
const cut = (text: string, spans: ReadonlyArray<readonly [number, number]>) => {
  let clean = ""
  let done = 0
  for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) {
    if (start >= done) clean += text.slice(done, start) + mark
    done = Math.max(done, end)
  }
  return clean + text.slice(done)
}
