/** What was found of one thing. */
export interface Check {
  readonly name: string
  readonly status: "ok" | "warn" | "fail"
  readonly message: string
  readonly next?: string | undefined
}
