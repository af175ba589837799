/** Makes text of the service safe to print. */

/**
 * Characters that a terminal acts on instead of showing them: controls (including ESC and the C1 set), format characters
 * (direction overrides, zero-width characters, invisible tags, a byte-order mark), line and paragraph separators, and
 * lone surrogates. With the flag `u` a well-formed pair is one character, not two surrogates.
 */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/**
 * Makes text safe to print: one line that cannot move the cursor, colour the screen, set the title of the window or change
 * the direction of writing.
 *
 * **When to use**
 *
 * For values of records that are printed or logged for people. Messages of errors and warnings are already safe.
 *
 * **Details**
 *
 * Line breaks and tabs become a space. Any other control, format character or lone surrogate is shown as its escape,
 * such as `\x1b` or `\u202e`. That includes the zero-width joiner, so an emoji made of several is shown in its parts.
 *
 * **Gotchas**
 *
 * For people only: a backslash of the text itself stays as it is, so the escapes cannot be undone.
 */
export const harmless = (text: string): string =>
  text.replaceAll(unsafe, (character) => (/[\t-\r\u2028\u2029]/.test(character) ? " " : visible(character)))

/**
 * Escapes the same characters in JSON text. The value stays the same, and line feeds between tokens are kept.
 *
 * **Details**
 *
 * `JSON.stringify` escapes controls below U+0020 and lone surrogates, but neither the C1 set nor direction overrides.
 */
export const harmlessJson = (json: string): string =>
  // In JSON such a character can only be inside a string, where an escape means the same.
  json.replaceAll(unsafe, (character) => (/[\t\n\r]/.test(character) ? character : escaped(character)))

const visible = (character: string) =>
  character < "\u0080" ? `\\x${hex(character.charCodeAt(0), 2)}` : escaped(character)

const escaped = (character: string) =>
  Array.from({ length: character.length }, (_, index) => `\\u${hex(character.charCodeAt(index), 4)}`).join("")

const hex = (code: number, digits: number) => code.toString(16).padStart(digits, "0")

/**
 * Removes API keys and credentials from text that may contain URLs: the value of `api_key`, and everything before the `@` of
 * an authority.
 */
export const withoutKey = (text: string): string =>
  text
    .replaceAll(
      /(api(?:[-_]|%(?:25)*5f)?key(?:"?\s*:\s*"|\s*=\s*"?|%(?:25)*3d|:(?=\S)))[^\s&"'#;,)\]}]+/gi,
      "$1<redacted>"
    )
    .replaceAll(/\/\/[^\s"]*@/g, "//<redacted>@")

/**
 * Quotes what somebody gave as a name or as an address and is neither. A long text that does not look like one may be a key in
 * the wrong place, so it is not shown.
 */
export const quoted = (text: string): string => {
  const shown = withoutKey(text.replace(/[?#].*/s, "").replace(/^.*@/s, ""))
  // Names, paths and addresses as people have them: dates, digits before a dot or in a port, versions, words with a capital, and small
  // letters. Keys mix letters and digits. What was taken for one of them is not tried as others, which could take forever.
  return shown.length < 16 ||
    /^((?=(\b20\d\d(-\d\d)*\b|\d{1,3}\.|\d?:\d{2,5}|[vV]\d|[A-Z][a-z]{2}|[a-z_:/.=-]))\2)*$/.test(shown)
    ? JSON.stringify(shown)
    : '"<redacted>"'
}
