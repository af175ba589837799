/**
 * A line of the table: a fault of the stand-in service, and what it does in words.
 */

/** The two ways to read a list. */
export type Format = "pages" | "json_stream"

/** A fault met once, and passed; or met from then on. */
export type When = "once" | "always"

/** One fault. */
export interface Row {
  /** Its spec, without the names that say how often it is met. */
  readonly fault: string
  /** What the service does; continues the sentence "the service …". */
  readonly service: string
  /** The formats it can be met with. Default both. */
  readonly formats?: ReadonlyArray<Format>
  /** The plan of the key; `download`, whose window lasts 20 seconds, unless waiting for it is the point. */
  readonly plan?: "trial"
  /** A field whose values the fault takes away, which the records then show. */
  readonly without?: string
  /** The fewest and the most requests, where their number depends on how far a body came before its connection broke. */
  readonly requests?: { readonly [format in Format]?: { readonly [when in When]?: readonly [number, number] } }
  /** True for the one fault that a json_stream does not show; the run must show that it is still so. */
  readonly unseen?: boolean
  /** Reads the json_stream with its end checked. */
  readonly checkEnd?: boolean
  /** What the client does about records that are repeated or out of order; they come through where it warns. */
  readonly onDisorder?: "warn" | "fail"
}

/** An attack: a fault that no honest service would have, and what holds it. */
export interface Attack extends Row {
  /** What bounds the harm, by default and in these runs. */
  readonly bound: string
}

/** Attacks of one sort. */
export interface Hostile {
  readonly title: string
  readonly prose: string
  readonly rows: ReadonlyArray<Attack>
}

/** Faults of one sort. */
export interface Group {
  readonly title: string
  /** What they have in common, and what Sluice does about it. */
  readonly prose: string
  readonly rows: ReadonlyArray<Row>
}

/** Both formats. */
export const formats: ReadonlyArray<Format> = ["pages", "json_stream"]

/** How often a fault is met: at one request, or at every one. */
export const whens: ReadonlyArray<When> = ["once", "always"]

/** The formats a fault can be met with. */
export const formatsOf = ({ formats: own }: Row): ReadonlyArray<Format> => own ?? formats

/** The kinds of fault in a spec. */
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
