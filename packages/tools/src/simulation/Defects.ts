/**
 * Defects that are planted one at a time, to see whether the simulation finds them. They stand in `defects.diff`: below each file and
 * the targets that may meet its defects come their names, what is taken out, and what comes in its place.
 */
import { readFileSync } from "node:fs"

/** A defect: a text of a file, and another in its place. */
export interface Defect {
  /** What is wrong with it, and whether the ordinary tests see that, where it was tried. */
  readonly name: string
  readonly seen: string
  readonly file: string
  /** A text that the file has once. */
  readonly from: string
  readonly to: string
  /** The targets that may meet it. */
  readonly targets: ReadonlyArray<string>
}

const marked = (mark: string, lines: ReadonlyArray<string>) =>
  lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(1))

const defectsOf = (group: string): ReadonlyArray<Defect> => {
  const [, file = "", targets = "", defects = ""] = /^(\S+) @@ (.+)\n([^]+)$/.exec(group) ?? []
  return defects.split(/\n(?=[^-+])/).map((defect) => {
    const [title = "", ...lines] = defect.split("\n")
    const [name = "", seen = ""] = title.split(" | ")
    const [from, to] = [marked("-", lines), marked("+", lines)]
    // Where nothing comes in their place, lines are taken out as a whole.
    const end = to.length === 0 ? "\n" : ""
    return { name, seen, file, from: from.join("\n") + end, to: to.join("\n"), targets: targets.split(", ") }
  })
}

export const all: ReadonlyArray<Defect> = readFileSync(new URL("defects.diff", import.meta.url), "utf8")
  .trim()
  .split(/\n*^@@ /m)
  .slice(1)
  .flatMap(defectsOf)
