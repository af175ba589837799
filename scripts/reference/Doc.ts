/**
 * A doc comment, taken apart the way this repository writes them: one sentence, then what surprises, then the source.
 */

export interface Doc {
  /** The first paragraph, without the source. */
  readonly sentence: string
  /** The other paragraphs, without the headings between them. */
  readonly details: ReadonlyArray<string>
  /** Where it is described, such as `docs/interface.md 4.1`. */
  readonly source: string | undefined
  readonly deprecated: string | undefined
}

const source = /(?:^|\s)Source:\s+(\S[^]*?)\.(?=\s|$)/

const heading = /^\*\*[^*]+\*\*$/

const oneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim()

/** Reads a comment, its marks included. */
export const parse = (comment: string): Doc => {
  const text = comment
    .replace(/^\/\*\*/, "")
    .replace(/\*\/$/, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\*? ?/, "").trimEnd())
    .join("\n")
    .replaceAll(/\{@link\s+([^}|\s]+)[^}]*\}/g, "`$1`")
  const [body = "", ...tags] = text.split(/^@(?=\w)/m)
  const deprecated = tags.find((tag) => tag.startsWith("deprecated"))?.replace("deprecated", "")
  const [sentence = "", ...details] = body
    .replace(source, "")
    .split(/\n\s*\n/)
    .map(oneLine)
    .filter((paragraph) => paragraph !== "" && !heading.test(paragraph))
  return {
    sentence,
    details,
    source: source.exec(body)?.[1] === undefined ? undefined : oneLine(source.exec(body)?.[1] ?? ""),
    deprecated: deprecated === undefined ? undefined : oneLine(deprecated)
  }
}

/** All of a comment in one paragraph, for the cell of a table. */
export const paragraph = (doc: Doc | undefined): string =>
  doc === undefined
    ? ""
    : [...(doc.deprecated === undefined ? [] : [`**Deprecated.** ${doc.deprecated}`]), doc.sentence, ...doc.details]
        .filter((part) => part !== "")
        .join(" ")

/**
 * The sources say something this generator cannot put into words. It stops there: a reference that guesses is worse than
 * none.
 */
export class Unresolved extends Error {}

/** Stops, naming the file and what in it was not understood. */
export const unresolved = (place: { readonly file: string }, name: string, problem: string): never => {
  throw new Unresolved(`${place.file}: ${name} ${problem}.`)
}
