/** What was found of one thing. */
export interface Check {
  readonly name: string
  readonly status: "ok" | "warn" | "fail"
  readonly message: string
  /** What to do; absent where nothing is. */
  readonly next?: string | undefined
}
