/** Says once that the numbers of a Parquet or Arrow file have fewer digits than the service gives. */
import type * as Format from "@sluice/files/Format"

/** The notice; empty where there are no such numbers, or the flags say what they are. */
export const of = ({ as, decimal, numbers }: Format.Options): string =>
  as !== "ndjson" && as !== "csv" && numbers === undefined && decimal === undefined
    ? "Numbers are DOUBLE, of 15 to 17 digits; --numbers decimal or text keeps every digit."
    : ""

export const line = (format: Format.Options): string => of(format).replace(/.$/, "$&\n")
