/**
 * Removes the API key from text of the service, whether it is escaped for a URL, for JSON, for HTML, or by several of these.
 *
 * A list of spellings would never be complete (`%2f`, `%252F`, `\/`, `&#x2F;`, in any combination). So the text is unescaped,
 * with a map back to the original offsets, and the plain key is searched for.
 *
 * Encodings other than escapes are not searched: base64, hexadecimal digits, the key reversed or in pieces.
 */
import * as Redacted from "effect/Redacted"

/** Text as UTF-8 bytes, one character per byte, and the offset in the original of each byte and of the end. */
interface Mapped {
  readonly bytes: string
  readonly offsets: ReadonlyArray<number>
}

const mark = "<redacted>"

/**
 * Shorter keys are only removed where they are a whole word: otherwise a key `k` would make most messages unreadable. Of others
 * more than so many characters are removed too: text that quotes a URL may end, or be cut, inside the key.
 */
const shortest = 4

/** How often text is unescaped. Each pass removes all layers of one kind, so this counts changes of kind. */
const layers = 4

const hasEscape = /[%&\\]/

// Repeated escapes of one kind are matched as one, whatever their depth: `%25252F`, `&amp;amp;#47;`. Overlong UTF-8 (`%c0%af`)
// and the `%u002f` of the older `escape()` are matched too.
const escapes =
  /%(?:25)*(?:c([01])|e0%(?:25)*8([01])|f0%(?:25)*80%(?:25)*8([01]))%(?:25)*([89ab][0-9a-f])|%(?:25)*([0-9a-f]{2})|&(?:amp;)*(?:#x0*([0-9a-f]{1,6});?|#0*([0-9]{1,7});?|([a-z]{2,8});)|(?:\\+|%(?:25)*)(?:u(d[89ab][0-9a-f]{2})(?:\\+|%(?:25)*)u(d[c-f][0-9a-f]{2})|u([0-9a-f]{4}))|\\+(?:u\{0*([0-9a-f]{1,6})\}|x([0-9a-f]{2})|(["'/]))|\\{2,}/gi

/**
 * Escapes whose first character often stands for itself: quoted-printable (`=2F`) and octal (`\57`). Decoding them together
 * with the others could hide a key, as in `key=ab%2F`. So each gets a search of its own, before the others.
 */
const ambiguous: ReadonlyArray<readonly [pattern: RegExp, base: number]> = [
  [/=(?:([0-9a-f]{2})|\r?\n)/gi, 16],
  // A run of backslashes without digits is matched too. Searching after each of them would take quadratic time.
  [/\\+([0-3]?[0-7]{1,2})?/g, 8]
]

/** The HTML names of ASCII characters that a key may hold, each before its character. */
const named: ReadonlyMap<string, string> = new Map(
  `
    amp& apos' ast* bsol\\ colon: comma, commat@ dollar$ equals= excl! grave\` gt> hat^ lbrace{ lbrack[ lcub{
    lowbar_ lpar( lsqb[ lt< num# percnt% period. plus+ quest? quot" rbrace} rbrack] rcub} rpar) rsqb] semi;
    sol/ tilde~ verbar| vert|
  `
    .trim()
    .split(/\s+/)
    .map((word) => [word.slice(0, -1), word.slice(-1)])
)

/** Encodes a code point in UTF-8, one character per byte; nothing for an invalid one. */
const utf8 = (code: number): string | undefined => {
  if (code < 0x80) return String.fromCharCode(code)
  if (code > 0x10ffff) return undefined
  return String.fromCharCode(...new TextEncoder().encode(String.fromCodePoint(code)))
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

const fromHex = (digits: string) => Number.parseInt(digits, 16)

type Meaning = (found: RegExpExecArray) => string | undefined

const meaning: Meaning = ([, ...found]) => {
  const [c, e, f, last, url, hex, decimal, name, high, low, json, braced, short, plain] = found
  if (last !== undefined) return String.fromCharCode((Number(c ?? e ?? f) << 6) | (fromHex(last) & 63))
  if (url !== undefined) return String.fromCharCode(fromHex(url))
  if (name !== undefined) return named.get(name.toLowerCase())
  if (high !== undefined && low !== undefined) {
    return utf8(String.fromCharCode(fromHex(high), fromHex(low)).codePointAt(0)!)
  }
  if (decimal !== undefined) return utf8(Number(decimal))
  const code = hex ?? json ?? braced ?? short
  return code === undefined ? (plain ?? "\\") : utf8(fromHex(code))
}

/** The meaning of an ambiguous escape. A soft line break is removed; backslashes without digits stay. */
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

/** Text as it is, and without each layer of escapes. */
const layersOf = (text: Mapped): ReadonlyArray<Mapped> => {
  const all = [text]
  for (let layer = 0; layer < layers; layer++) {
    const next = unescaped(all[layer]!)
    if (next.bytes === all[layer]!.bytes) break
    all.push(next)
  }
  return all
}

/** Form encoding writes a space as a plus sign, so both count as one character. */
const folded = (text: string) => text.replaceAll("+", " ")

const isWordAt = (text: string, at: number) => /[a-z0-9]/i.test(text.charAt(at))

/** Builds the function that removes a key. Without a key it changes nothing. */
export const make = (apiKey: Redacted.Redacted | undefined): ((text: string) => string) => {
  const key = apiKey === undefined ? "" : Redacted.value(apiKey)
  if (key === "") return (text) => text
  const raw = folded(key)
  // Kept in a closure, so that no printed value shows them.
  const wanted = [...new Set(layersOf(toBytes(key)).map(({ bytes }) => folded(bytes)))]

  const find = (text: string, form: string, offsetOf: (at: number) => number, spans: Array<[number, number]>) => {
    const head = form.slice(0, shortest + 1)
    for (let at = text.indexOf(head); at !== -1; at = text.indexOf(head, at + 1)) {
      let end = at + head.length
      while (end < text.length && end - at < form.length && text[end] === form[end - at]) end++
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
    if (hasEscape.test(text)) layersOf(toBytes(text)).forEach(search)
    for (const [pattern, base] of ambiguous) {
      if (text.search(pattern) !== -1) layersOf(unescaped(toBytes(text), pattern, byNumber(base))).forEach(search)
    }
    return spans.length === 0 ? text : cut(text, spans)
  }
}

/** Replaces the spans by the mark, overlapping spans by one. */
const cut = (text: string, spans: ReadonlyArray<readonly [number, number]>) => {
  let clean = ""
  let done = 0
  for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) {
    if (start >= done) clean += text.slice(done, start) + mark
    done = Math.max(done, end)
  }
  return clean + text.slice(done)
}
