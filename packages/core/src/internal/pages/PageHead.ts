/** What errors say of a page. */
import { Decode } from "../../ApiError.ts"

export interface PageHead {
  readonly endpoint: string
  /** Counts from 1. */
  readonly page: number
  readonly trace: string | undefined
  /** Removes the key from text of the service, and makes it safe to print. */
  readonly scrub: (text: string) => string
}

export const unexpected = (
  { endpoint, page, scrub, trace }: PageHead,
  path: string,
  issue: string,
  setting?: string
): Decode => new Decode({ endpoint, trace, page, path: scrub(path), issue: scrub(issue), setting })
