/**
 * The flags of the commands that list what there is to read.
 */
import type * as Command from "effect/cli/Command"
import * as FlagKinds from "../../settings/FlagKinds.ts"

/** The types of markets. */
export const marketTypes: ReadonlyArray<string> = ["spot", "future", "option", "bond"]

/** Flags of every list. */
export const listFlags = {
  format: FlagKinds.choice(
    "format",
    ["table", "ndjson", "csv"],
    "Format of the rows; default table on a terminal, ndjson elsewhere"
  ),
  limit: FlagKinds.whole("limit", "Lists at most this many")
}

/** What the flags of a list say. */
export type ListInput = Command.Command.Config.Infer<typeof listFlags>
