/** What a program is to read, and where it is to write. */
import type { Entry } from "@sluice/core/Endpoints"
import type * as Root from "@sluice/core/Root"
import type * as Format from "@sluice/files/Format"
import * as Schema from "effect/Schema"

export interface Reading {
  readonly entry: Entry
  readonly isSingle: boolean
  /** The parameters, lists as arrays. */
  readonly params: Readonly<Record<string, unknown>>
  /** Parameters that are sent unchecked. */
  readonly query: Readonly<Record<string, string>>
  /** The most records that are read. */
  readonly count: number | undefined
  readonly root: Root.Root
  readonly format: Format.Options
  /** A file; standard output where absent. */
  readonly file: string | undefined
  readonly url: string
}

export class NotAsCode extends Schema.TaggedError<NotAsCode>()("NotAsCode", {
  language: Schema.String,
  reason: Schema.String,
  next: Schema.String
}) {
  override get message() {
    return `this cannot be written as ${this.language}: ${this.reason}`
  }
}
