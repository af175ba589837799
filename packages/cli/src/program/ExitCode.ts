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

/** Whether a text is the name of a category. */
export const isKind = (text: string): text is Kind => Object.hasOwn(codes, text)
