/**
 * Exit codes by category. docs/command-line.md describes them.
 */

/** The code of each category. */
export const codes = {
  bug: 1,
  usage: 2,
  key: 3,
  licence: 4,
  missing: 5,
  rate: 6,
  network: 7,
  reply: 8,
  system: 9,
  incomplete: 10,
  interrupted: 130
} as const

/** The category of a failure. */
export type Kind = keyof typeof codes

/** Those that somebody has to mend come before those that may pass by themselves. */
const worstFirst = [
  "bug",
  "system",
  "usage",
  "key",
  "licence",
  "missing",
  "reply",
  "network",
  "rate",
  "incomplete"
] as const satisfies ReadonlyArray<Kind>

/** The category of several failures. */
export const worst = (kinds: ReadonlyArray<string>): Kind => worstFirst.find((kind) => kinds.includes(kind)) ?? "bug"

/** Whether a text is the name of a category. */
export const isKind = (text: string): text is Kind => Object.hasOwn(codes, text)
