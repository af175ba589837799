import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Dialect } from "@sluice/sandbox"

const root = path.join(import.meta.dirname, "../../..")

const read = (file: string) => fs.readFileSync(path.join(root, file), "utf8")

const page = "docs/interface.md"

/** The text of each section, without that of the sections below it. */
const sections: ReadonlyMap<string, string> = new Map(
  read(page)
    .split(/^#+ /m)
    .flatMap((text) => [...text.matchAll(/^(\d+(?:\.\d+)*) /g)].map(([, number = ""]) => [number, text] as const))
)

const isMade = (name: string) => ["node_modules", "dist", "out"].includes(name)

const below = (folder: string): ReadonlyArray<string> =>
  fs
    .readdirSync(path.join(root, folder), { withFileTypes: true })
    .flatMap((entry) =>
      entry.isDirectory()
        ? isMade(entry.name)
          ? []
          : below(path.join(folder, entry.name))
        : [path.join(folder, entry.name)]
    )

const files = [
  ...fs.readdirSync(root).filter((name) => name.endsWith(".md")),
  ...["docs", "packages", "scripts"].flatMap(below).filter((file) => /\.(?:ts|json|md)$/.test(file))
]

/** A page and the sections of it: `4.5, 2.5 (lines) and 3.10`, `4.1; records in 3.2 to 3.6`. */
const citation = (() => {
  const section = String.raw`\d+(?:\.\d+)*(?: \([^)]*\))?`
  return new RegExp(String.raw`([\w./-]+\.md) (${section}(?:(?:, | and | to |; [a-z ]+ in )${section})*)`, "g")
})()

interface Citation {
  readonly file: string
  readonly page: string
  readonly section: string
}

const citations: ReadonlyArray<Citation> = files.flatMap((file) => {
  // A comment may break a line within a citation.
  const text = read(file).replaceAll(/\s*\n\s*(?:\*|\/\/)?\s*/g, " ")
  return [...text.matchAll(citation)].flatMap(([, page = "", list = ""]) =>
    [...list.replaceAll(/\([^)]*\)/g, "").matchAll(/\d+(?:\.\d+)*/g)].map(([section]) => ({ file, page, section }))
  )
})

describe("citations", () => {
  it("name a section that the page of the interface has", () => {
    assert.isAbove(citations.length, 400)
    const unknown = citations.filter((cited) => cited.page !== page || !sections.has(cited.section))
    assert.deepStrictEqual(unknown, [])
  })
})

describe("open questions", () => {
  it("stand on the page of the interface, each in the section it names, and nowhere else", () => {
    const asked = Object.entries(Dialect.questions).map(([name, { section }]) => `${section} *q:${name}*`)
    const found = [...sections].flatMap(([section, text]) =>
      [...text.matchAll(/\*q:\w+\*/g)].map(([question]) => `${section} ${question}`)
    )
    assert.deepStrictEqual(found.toSorted(), asked.toSorted())
  })
})
