/**
 * When a run last read all that was new: until then a series without later records had none. It stands in a file of its own, so that a
 * run without news leaves the ledger as it is; what is lost of it is asked for again.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Files } from "@sluice/files/internal/folder/Files"
import * as Moment from "../model/Moment.ts"
import type { Kept } from "../model/Store.ts"
import * as Past from "./Past.ts"

/** Name in the bookkeeping folder. */
const name = "run.json"

const LastRun = Schema.fromJsonString(Schema.Struct({ begun: Schema.Finite, ended: Schema.optionalKey(Schema.Finite) }))

const decode = Schema.decodeUnknownOption(LastRun)
const encode = Schema.encodeSync(LastRun)

/** When the last run that ended without a failure began and ended; nothing where that is not known. */
export const read = (files: Files, bookkeeping: string, looked?: Past.Looked) =>
  Effect.map(files.text(files.join(bookkeeping, name)), (text): Pick<Kept, "begun" | "synced"> => {
    const { begun, ended = begun } = Option.getOrUndefined(decode(text)) ?? {}
    return { begun, synced: Past.syncedOf(looked) ?? (ended === undefined ? undefined : Moment.ofMillis(ended)) }
  })

/** Notes that a run which began then has ended. */
export const write = (files: Files, bookkeeping: string, begun: number) =>
  Effect.flatMap(Clock.currentTimeMillis, (ended) =>
    files.put(files.join(bookkeeping, name), `${encode({ begun, ended })}\n`)
  )
