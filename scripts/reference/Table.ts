/** Tables of Markdown. */

export const code = (text: string): string => `\`${text}\``

/** Outside of code, `<` begins a tag. */
export const escaped = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part : part.replaceAll("<", "\\<")))
    .join("")

const cell = (text: string) => escaped(text).replaceAll("|", "\\|")

export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n")
