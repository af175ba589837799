/**
 * Text that somebody else wrote, made safe to print.
 */

/**
 * Characters that a terminal or a viewer acts on instead of showing them: controls (ESC and the C1 set among them),
 * format characters (direction overrides, zero-width characters, invisible tags, a byte-order mark), line and paragraph
 * separators, and surrogates without their other half. `u` makes a well-formed pair one character, which is no surrogate.
 */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/**
 * Makes text of the service safe to print: one line, in which nothing moves the cursor, colours the screen, sets the
 * title of the window or turns the direction of writing.
 *
 * **When to use**
 *
 * For whatever is printed of a record or written into a log that people read. Messages of errors and warnings are safe
 * already.
 *
 * **Details**
 *
 * Line breaks and tabs become a space. Any other control, format character or lone surrogate is shown as its escape,
 * such as `\x1b` or `\u202e`. That includes the zero-width joiner, so an emoji made of several is shown in its parts.
 *
 * **Gotchas**
 *
 * Meant for people: a backslash of the text itself is left alone, so the result cannot be turned back.
 */
export const harmless = (text: string): string =>
  text.replaceAll(unsafe, (character) => (/[\t-\r\u2028\u2029]/.test(character) ? " " : visible(character)))

/**
 * Escapes the same characters in JSON text. The JSON keeps its value; line feeds between its tokens are kept.
 *
 * **Details**
 *
 * `JSON.stringify` escapes controls below U+0020 and lone surrogates, but neither the C1 set nor direction overrides.
 */
export const harmlessJson = (json: string): string =>
  // In JSON such a character can stand inside of a string only, where an escape means the same.
  json.replaceAll(unsafe, (character) => (/[\t\n\r]/.test(character) ? character : escaped(character)))

const visible = (character: string) =>
  character < "\u0080" ? `\\x${hex(character.charCodeAt(0), 2)}` : escaped(character)

const escaped = (character: string) =>
  Array.from({ length: character.length }, (_, index) => `\\u${hex(character.charCodeAt(index), 4)}`).join("")

const hex = (code: number, digits: number) => code.toString(16).padStart(digits, "0")

/**
 * Removes API keys and credentials from text that quotes URLs as somebody has pasted them: the value of `api_key`, and
 * what stands before the `@` of an authority.
 */
export const withoutKey = (text: string): string =>
  text
    .replaceAll(
      /(api(?:[-_]|%(?:25)*5f)?key(?:"?\s*:\s*"|\s*=\s*"?|%(?:25)*3d|:(?=\S)))[^\s&"'#;,)\]}]+/gi,
      "$1<redacted>"
    )
    .replaceAll(/\/\/[^\s"]*@/g, "//<redacted>@")
