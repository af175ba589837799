/** A row of a table of lists: a fault of the stand-in service, and what it does in words. */
import * as Page from "./Page.ts"

/** The two ways to read a list. */
export type Format = "pages" | "json_stream"

/** A fault met once, and passed; or met from then on. */
export type When = "once" | "always"

/** One fault, as its row says it. */
export interface Row {
  /** What the service does, with the fault in brackets; continues the sentence "the service …". */
  readonly service: string
  /** What bounds the harm, by default and in these runs; of an attack alone, a fault that no honest service would have. */
  readonly bound?: string
  /** Its spec, without the names that say how often it is met. */
  readonly fault: string
  /** The formats it can be met with. */
  readonly formats: ReadonlyArray<Format>
  /** The plan of the key; `download`, whose window lasts 20 seconds, unless waiting for it is the point. */
  readonly plan?: "trial"
  /** A field whose values the fault takes away. */
  readonly without?: string
  /** The fewest and the most requests, where their number is up to chance. */
  readonly requests?: { readonly [format in Format]?: { readonly [when in When]?: readonly [number, number] } }
  /** True for the one fault that a json_stream does not show; the run must show that it is still so. */
  readonly unseen?: boolean
  /** Reads the json_stream with its end checked. */
  readonly checkEnd?: boolean
  /** What the client does about records that are repeated or out of order; they come through where it warns. */
  readonly onDisorder?: "warn" | "fail"
}

export const formats: ReadonlyArray<Format> = ["pages", "json_stream"]

/** How often a fault is met: at one request, or at every one. */
export const whens: ReadonlyArray<When> = ["once", "always"]

/** What stands in place of results where a fault cannot be met with a format. */
export const none = "does not apply"

/** The page after the one that is refused was requested ahead, or not yet. */
const ahead: Row["requests"] = { pages: { once: [3, 4], always: [3, 4] } }

/** Reads a row with the lines that continue it. What its call has stands as code in its words. */
const read = (lines: Page.Table["rows"], isAttack: boolean): Row => {
  const [service = "", bound = "", ...others] = lines[0] ?? []
  const words = isAttack ? `${service} ${bound}` : service
  const fault = Page.faultOf(service)
  const without = /^missing=(\w+)/.exec(fault)?.[1]
  const checkEnd = words.includes("`checkEnd`")
  const onDisorder = (["warn", "fail"] as const).find((word) => words.includes(`\`onDisorder: "${word}"\``))
  return {
    service,
    fault,
    formats: formats.filter((format, nth) =>
      isAttack ? lines.some((cells) => cells[2] === format) : others[nth * 3] !== none
    ),
    checkEnd,
    unseen: fault.startsWith("truncate-line=") && !checkEnd,
    ...(isAttack && { bound }),
    ...(words.includes("`trial`") && { plan: "trial" }),
    ...(without !== undefined && { without }),
    ...(onDisorder !== undefined && { onDisorder }),
    ...(onDisorder === "fail" && { requests: ahead })
  }
}

export const all = ({ head, rows }: Page.Table): ReadonlyArray<Row> =>
  Page.grouped(rows).map((lines) => read(lines, head[1] === "bound"))

export const kindsOf = ({ fault }: Row): ReadonlyArray<string> => fault.split(",").map((one) => /^[^=;]+/.exec(one)![0])

/** The page of a run that meets the fault first: what came before it must arrive all the same. */
export const firstPage = 3

const timing = {
  pages: { once: `page=${firstPage}`, always: `after=${firstPage - 1}` },
  json_stream: { once: "times=1", always: "after=0" }
} as const

/** The spec as it is sent. */
export const spec = ({ fault }: Row, format: Format, when: When): string =>
  fault
    .split(",")
    .map((one) => `${one};${timing[format][when]}`)
    .join(",")
