import { assert, describe, it } from "@effect/vitest"
import { Account, ReferenceData, Retry } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"

/** What the client says when the service answers with this text. */
const heard = (key: string, text: string) =>
  Stream.runDrain(ReferenceData.assets()).pipe(
    Effect.flip,
    Effect.provide(
      FakeApi.make([FakeApi.refusal(400, "bad_parameter", text)]).layer({
        apiKey: Redacted.make(key),
        retry: Retry.none
      })
    ),
    Effect.map((error) => (error._tag === "InvalidRequest" ? error.reason : error._tag))
  )

/** A key with characters that everything escapes, and others that nothing escapes. */
const key = "q7/Zx+&é<\"'\\=%😀w.2"

const percent = (text: string) =>
  [...new TextEncoder().encode(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")

const bytesOf = (text: string) => [...new TextEncoder().encode(text)]

/** Every ASCII character in two, three or four bytes, by turns. */
const overlong = (text: string) =>
  bytesOf(text)
    .map((byte, at) => {
      if (byte >= 0x80) return [byte]
      const [high, low] = [byte >> 6, 0x80 | (byte & 63)]
      return [
        [0xc0 | high, low],
        [0xe0, 0x80 | high, low],
        [0xf0, 0x80, 0x80 | high, low]
      ][at % 3]!
    })
    .flatMap((bytes) => bytes.map((byte) => `%${byte.toString(16)}`))
    .join("")

const quoted = (text: string) =>
  bytesOf(text)
    .map((byte) => (/[a-z0-9%]/i.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : hexOf(byte)))
    .join("")

const hexOf = (byte: number) => `=${byte.toString(16).toUpperCase().padStart(2, "0")}`

const units = (text: string) => Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16))

const html = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;")
    .replaceAll("/", "&#x2F;")

const json = (text: string) => JSON.stringify(text).slice(1, -1)

const spellings: ReadonlyArray<readonly [name: string, spelled: (text: string) => string]> = [
  ["as it is", (text) => text],
  ["for a URL", encodeURIComponent],
  ["for a URL in lower case", (text) => encodeURIComponent(text).replaceAll(/%../g, (escape) => escape.toLowerCase())],
  ["as a form", (text) => new URLSearchParams([["k", text]]).toString().slice(2)],
  ["every byte for a URL", percent],
  ["for a URL twice", (text) => encodeURIComponent(encodeURIComponent(text))],
  ["for a URL ten times", (text) => Array.from({ length: 10 }).reduce<string>((all) => encodeURIComponent(all), text)],
  ["some of it for a URL", (text) => text.replaceAll("%", "%25").replaceAll("/", "%2f")],
  ["in JSON", json],
  ["in JSON with its slashes escaped", (text) => json(text).replaceAll("/", "\\/")],
  ["in JSON within JSON", (text) => json(json(text))],
  [
    "in JSON, every character by number",
    (text) =>
      units(text)
        .map((unit) => `\\u${unit.padStart(4, "0")}`)
        .join("")
  ],
  [
    "in JSON by numbers in capitals",
    (text) =>
      units(text)
        .map((unit) => `\\u${unit.toUpperCase().padStart(4, "0")}`)
        .join("")
  ],
  ["in HTML", html],
  ["in HTML twice", (text) => html(html(text))],
  ["in HTML by numbers", (text) => [...text].map((one) => `&#${one.codePointAt(0)};`).join("")],
  [
    "in HTML by numbers in base 16",
    (text) => [...text].map((one) => `&#x0${one.codePointAt(0)!.toString(16)};`).join("")
  ],
  ["in HTML by names", (text) => html(text).replaceAll("&#x2F;", "&sol;").replaceAll("+", "&plus;")],
  [
    "by the older escape()",
    (text) =>
      units(text)
        .map((unit) => `%u${unit.padStart(4, "0")}`)
        .join("")
  ],
  ["for a URL in more bytes than it takes", (text) => overlong(text).toUpperCase()],
  ["for a URL in more bytes than it takes, in lower case", overlong],
  ["for a URL in more bytes than it takes, twice", (text) => encodeURIComponent(overlong(text))],
  [
    "in octal",
    (text) =>
      bytesOf(text)
        .map((byte) => `\\${byte.toString(8).padStart(3, "0")}`)
        .join("")
  ],
  ["in short octal", (text) => text.replaceAll("\\", "\\134").replaceAll("/", "\\57")],
  ["as quoted-printable", (text) => quoted(text)],
  ["as quoted-printable on two lines", (text) => quoted(text).replace("=", "=\r\n=")],
  ["for a URL within quoted-printable", (text) => quoted(encodeURIComponent(text))],
  ["for a URL within HTML within JSON", (text) => json(html(encodeURIComponent(text)))],
  ["in JSON within a URL", (text) => encodeURIComponent(json(text))]
]

describe("the key in text of the service", () => {
  it.effect.each(spellings)("is found where it is written %s", ([, spelled]) =>
    Effect.gen(function* () {
      const text = yield* heard(key, `before ${spelled(key)} between ${spelled(key)} after`)
      assert.strictEqual(text, "before <redacted> between <redacted> after")
      assert.strictEqual(yield* heard(key, `x${spelled(key)}x`), "x<redacted>x")
    })
  )

  it.effect.each(spellings)("shows no more than four of its characters where it is cut, written %s", ([, spelled]) =>
    Effect.gen(function* () {
      const { scrub } = yield* Account.make({ root: "http://localhost/v4", apiKey: Redacted.make(key) })
      const [whole, part] = [spelled(key), spelled([...key].slice(0, 5).join(""))]
      for (let length = part.length; length < whole.length; length++) {
        const text = scrub(`GET ?api_key=${whole.slice(0, length)}`)
        assert.notInclude(text, part, `cut after ${length}`)
        assert.include(scrub(`see ${whole.slice(0, length)}… and go on`), " and go on")
      }
    })
  )

  it.effect("keeps text in which it is not, escapes and all", () =>
    Effect.gen(function* () {
      for (const text of ["100%", "%zz &nope; \\q \\\\ &#; %2", "a%2Fb &amp; \\u0041 \\/ é", "&amp;&amp;", "q7%2FZ"]) {
        assert.strictEqual(yield* heard(key, text), text)
      }
    })
  )

  it.effect("is found behind what is no escape there: a sign of equality, a backslash", () =>
    Effect.gen(function* () {
      const own = "ab57/12cd"
      for (const text of [`=${own}`, `\\${own}`, "=ab57%2F12cd", "=ab57\\0571%32cd"]) {
        assert.notInclude(yield* heard(own, `api_key${text}`), "ab57")
      }
    })
  )

  it.effect("finds a key that looks like an escape itself", () =>
    Effect.gen(function* () {
      for (const own of ["a%2Fbcd", "a\\/bcd", "a&amp;bcd", "%41%42%43%44", "\\u0041bcd"]) {
        assert.strictEqual(yield* heard(own, `see ${own}.`), "see <redacted>.")
        assert.strictEqual(yield* heard(own, `see ${encodeURIComponent(own)}.`), "see <redacted>.")
      }
    })
  )

  it.effect("finds a key of one to three characters only where it stands by itself", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* heard("k", "the key k was asked for at ?api_key=k&x=1"),
        "the key <redacted> was asked for at ?api_key=<redacted>&x=1"
      )
      assert.strictEqual(yield* heard("abc", "abcd xabc 'abc' %61bc"), "abcd xabc '<redacted>' <redacted>")
      assert.strictEqual(yield* heard("abcd", "xabcdx"), "x<redacted>x")
    })
  )
})
