/** The forms in which a service may repeat a key: escaped for a URL, for JSON or for HTML. */

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "/": "&#x2F;"
}

const forms = {
  plain: (key) => key,
  encoded: encodeURIComponent,
  lower: (key) => encodeURIComponent(key).replace(/%../g, (escape) => escape.toLowerCase()),
  double: (key) => encodeURIComponent(encodeURIComponent(key)),
  slashed: (key) => key.replaceAll("/", "\\/"),
  unicode: (key) => [...key].map((unit) => `\\u${(unit.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`).join(""),
  html: (key) => key.replace(/[&<>"/]/g, (character) => entities[character] ?? "")
} satisfies Record<string, (key: string) => string>

// Type boundary: Object.keys forgets the keys of the literal above.
export const names = Object.keys(forms) as ReadonlyArray<keyof typeof forms>

/** The form in which a key is repeated when nothing is said. */
export const plain = "plain"

export const write = (form: string, key: string): string => forms[names.find((name) => name === form) ?? plain](key)
