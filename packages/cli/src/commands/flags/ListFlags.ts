/**
 * The flags of the commands that list what there is to read.
 */
import type * as Command from "effect/cli/Command"
import * as FlagKinds from "../../settings/FlagKinds.ts"

export const marketTypes: ReadonlyArray<string> = ["spot", "future", "option", "bond"]

export const listFlags = {
  format: FlagKinds.choice(
    "format",
    ["table", "ndjson", "csv"],
    "Format of the rows; default table on a terminal, ndjson elsewhere"
  ),
  limit: FlagKinds.whole("limit", "Lists at most this many")
}

export type ListInput = Command.Command.Config.Infer<typeof listFlags>
