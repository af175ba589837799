/**
 * Parts of the page of faults.
 */

/** What a section of the page comes from: what it shows, and what is wrong, a sentence each. */
export interface Section {
  readonly text: string
  readonly problems: ReadonlyArray<string>
}

const line = (cells: ReadonlyArray<string>) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`

/** A table of Markdown. */
export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map(line).join("\n")

/** Paragraphs. */
export const paragraphs = (...all: ReadonlyArray<string>): string => all.join("\n\n")

/** Text of the service, or of an error. */
export const quoted = (text: string): string => `“${text.replaceAll("<", "\\<")}”`
