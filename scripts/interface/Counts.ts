/**
 * The sentences of docs/interface.md that count operations.
 */
import { formatsOf, type Operation } from "../../packages/interface/src/Operation.ts"

const isSeries = ({ section }: Operation) => section === "4.6"

const offers = (format: string) => (operation: Operation) => formatsOf(operation).includes(format)

const sentences = (all: ReadonlyArray<Operation>): ReadonlyArray<string> => {
  const count = (isCounted: (operation: Operation) => boolean) => all.filter(isCounted).length
  const pagesFrom = (end: string) => count(({ parameters }) => parameters["paging_from"]?.default === end)
  return [
    `${count(({ roots }) => roots.includes("community"))} of the ${all.length} known operations`,
    `${count(offers("json_stream"))} operations offer it`,
    `the ${count((one) => isSeries(one) && offers("json_stream")(one))} time series marked`,
    `${count(offers("csv"))} operations offer \`format=csv\``,
    `\`start\` on ${pagesFrom("start")} operations and to \`end\` on ${pagesFrom("end")}`,
    `The ${count(({ replacement }) => replacement !== undefined)} operations of`
  ]
}

/** The page with the counts of these operations. Lines break where they did. */
export const filled = (page: string, all: ReadonlyArray<Operation>): string =>
  sentences(all).reduce((text, sentence) => {
    const form = new RegExp(`(?<!\\d)${sentence.replaceAll(/\d+/g, "\\d+").replaceAll(" ", "\\s+")}(?!\\d)`)
    if (!form.test(text)) throw new Error(`the page has no sentence with "${sentence}"`)
    const counts = sentence.match(/\d+/g) ?? []
    return text.replace(form, (said) => said.replaceAll(/\d+/g, () => counts.shift() ?? ""))
  }, page)
