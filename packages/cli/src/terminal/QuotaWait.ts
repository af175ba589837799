/** What progress says of waiting for the rate limit. */
import type * as Download from "@sluice/files/Download"
import * as Amount from "./Amount.ts"

/** Of how many processes the numbers of a quota are, if of several. */
export const sharing = (processes: number | null): string =>
  processes === null || processes < 2 ? "" : ` of ${processes} processes`

/** The wait, if requests wait for longer than a moment; else nothing. */
export const textOf = ({ processes, remaining, reset, waiting }: Download.Progress["quota"]): ReadonlyArray<string> =>
  remaining === 0 && reset !== null && reset > 500 && waiting > 0
    ? [`waiting ${Amount.duration(reset)} for the rate limit${sharing(processes)}`]
    : []
