/**
 * One operation of the interface as the table has it.
 */
import type { Fields, Type } from "./Field.ts"
import type { Parameters } from "./Parameter.ts"

export interface Operation {
  readonly method: "GET" | "PUT"
  readonly path: string
  /** The section of docs/interface.md that describes it. */
  readonly section: string
  /** Roots that offer it; `stream` is the root of the live streams. */
  readonly roots: ReadonlyArray<"paid" | "community" | "stream">
  readonly parameters: Parameters
  /** Sets of parameters of which exactly one is given, as a whole; none where nothing has to be chosen. */
  readonly choice: ReadonlyArray<ReadonlyArray<string>>
  readonly record: Fields
  /** Fields the record has beside its own when a parameter asks for them. */
  readonly more: More
  /**
   * `page` is `data` with the keys of paging, `data` has none, `record` is the record without an envelope, `job` names a
   * job, whose results hold the records, `frame` is one of many on a socket.
   */
  readonly reply: "page" | "data" | "record" | "job" | "frame"
  /** What else the envelope may hold. */
  readonly beside: ReadonlyArray<"warning" | "heartbeats">
  /** Fields by which the records are ordered; absent where the interface names none. */
  readonly order: ReadonlyArray<string> | undefined
  /**
   * Of a series whose records may share an entity and a time: the fields that tell these apart, none where nothing does
   * (docs/interface.md 12.2). Absent where there is one record at a time.
   */
  readonly apart: ReadonlyArray<string> | undefined
  /** Paths that replace it, where it is deprecated. */
  readonly replacement: ReadonlyArray<string> | undefined
  readonly isExperimental: boolean
  /** Whether only the newest published edition has it. */
  readonly isNewer: boolean
}

/** What a record has besides its own fields. */
export interface More {
  /** One for each item of the parameter `metrics`, with its review status where the metric is reviewable. */
  readonly metrics?: Type
  /** With `frequency=1b`. */
  readonly blocks?: Fields
  /** By the namespace that is asked for with `include`. */
  readonly included?: Readonly<Record<string, Fields>>
}

type Given = Partial<Operation> & Pick<Operation, "section" | "parameters" | "record">

/** An operation of the paid root and, where nothing else is said, of the community root, that is read page by page. */
export const get = (path: string, given: Given): Operation => ({
  method: "GET",
  path,
  roots: ["paid", "community"],
  choice: [],
  more: {},
  reply: "page",
  beside: [],
  order: undefined,
  apart: undefined,
  replacement: undefined,
  isExperimental: false,
  isNewer: false,
  ...given
})

/** Offered at the paid root alone. */
export const paid: Pick<Operation, "roots"> = { roots: ["paid"] }

/** Only the newest published edition has it. */
export const newer = { isNewer: true } as const

export const experimental = { isExperimental: true } as const

/** Several records may have one time: these fields tell them apart. */
export const shared = (...apart: ReadonlyArray<string>): Pick<Operation, "apart"> => ({ apart })

/** The words of its `format`. */
export const formatsOf = ({ parameters }: Operation): ReadonlyArray<string> => parameters["format"]?.words ?? ["json"]

/** Fields by which records are ordered, as words. */
export const by = (fields: string): Pick<Operation, "order"> => ({ order: fields.split(" ") })
