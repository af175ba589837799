/**
 * Bytes cut into lines of text, whatever the borders of the chunks.
 */
import * as Result from "effect/Result"

/** A body whose line is longer than this is no json_stream; memory stays bounded. In characters. */
const longestLine = 16 * 1024 * 1024

/** Why no more lines can be read. */
export type Unreadable = "the line is not UTF-8" | "the line is longer than 16 MiB"

/** Holds the text after the last line end. */
export interface Lines {
  /** Takes the next chunks and gives the lines they complete, without their line feeds. */
  readonly push: (chunks: ReadonlyArray<Uint8Array>) => Result.Result<ReadonlyArray<string>, Unreadable>
  /** The text after the last line feed, once the body has ended. */
  readonly rest: () => string
}

/** Begins at the start of a body. */
export const make = (): Lines => {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let rest = ""
  return {
    rest: () => rest,
    push: (chunks) => {
      const decoded = Result.try(() => chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join(""))
      if (Result.isFailure(decoded)) return Result.fail("the line is not UTF-8")
      const text = decoded.success
      const end = text.lastIndexOf("\n")
      if (end === -1) {
        rest += text
        return rest.length > longestLine ? Result.fail("the line is longer than 16 MiB") : Result.succeed([])
      }
      const lines = (rest + text.slice(0, end)).split("\n")
      rest = text.slice(end + 1)
      return Result.succeed(lines)
    }
  }
}

/** Blank lines keep a connection alive and mean nothing; a carriage return belongs to the line end. */
export const isBlank = (line: string): boolean => line.charCodeAt(0) !== 123 && line.trim() === ""
