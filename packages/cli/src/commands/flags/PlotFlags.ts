/**
 * The flags of the command that draws.
 */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Struct from "effect/Struct"
import * as FlagKinds from "../../settings/FlagKinds.ts"
import type { Given } from "./About.ts"
import { getFlags } from "./Flags.ts"

export const plotFlags = {
  output: FlagKinds.text("output", "<file.svg>", "Draws an SVG into this file; default text on standard output").pipe(
    Flag.withAlias("o")
  ),
  fields: FlagKinds.list(
    "fields",
    "The fields to draw as lines; default the metrics, else candles where there are prices of them, else the price or the first number"
  ).pipe(Flag.withAlias("field"), Flag.withAlias("columns")),
  width: FlagKinds.whole(
    "width",
    "Columns of the text, default those of the terminal; pixels of an SVG, default 800",
    4_000
  ),
  height: FlagKinds.whole("height", "Lines of a chart of text, default 16; pixels of an SVG, default 400", 2_000),
  log: FlagKinds.toggle("log", "A logarithmic scale of values, which has those above 0 alone"),
  ascii: FlagKinds.toggle("ascii", "Draws with ASCII alone, as it does for a locale without UTF-8"),
  table: FlagKinds.text("table", "<name>", "The table of a dataset, where the source or --from is a database"),
  ...Struct.pick(getFlags, ["limit", "from", "offline", "asOf", "query"])
}

export type PlotInput = Command.Command.Config.Infer<typeof plotFlags> &
  Omit<Given, "endpoint"> & { readonly source: string }
