import type { ApiError } from "@sluice/core"
import type * as Exit from "effect/Exit"
import type * as Case from "./Case.ts"

/** A case and what came of it. */
export interface Fuzzed {
  readonly given: Case.Case
  readonly bodies: ReadonlyArray<Uint8Array>
  readonly requests: number
  readonly records: ReadonlyArray<unknown>
  readonly lines: ReadonlyArray<string>
  readonly exit: Exit.Exit<void, ApiError.ApiError>
}
