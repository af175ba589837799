/** Faults of the lines of a json_stream. */
import * as Table from "./Table.ts"
import * as Spec from "./Spec.ts"
import { mark } from "./EncodingFaults.ts"

const errorLine = (quoted: string) =>
  JSON.stringify({ error: { type: "internal_error", message: `The stream was ended by the sandbox.${quoted}` } })

function* changed(text: Iterable<string>, faults: ReadonlyArray<Spec.Fault>, quoted: string): Generator<string> {
  const limit = (kind: Table.Kind) => Spec.find(faults, kind)?.amount ?? Number.POSITIVE_INFINITY
  const truncate = limit("truncate-line")
  const cut = limit("cut-line")
  const error = limit("error-line")
  const marked = limit("bom-line")
  const end = Spec.has(faults, "crlf") ? "\r\n" : "\n"
  const ends = Spec.has(faults, "blank-lines") ? `${end}${end}` : end
  let number = 0
  for (const batch of text) {
    let out = ""
    for (const line of batch.split("\n")) {
      if (line === "") continue
      if (number >= truncate) return yield out
      number++
      if (number === marked) out += mark
      if (number === cut) return yield out + line.slice(0, Math.ceil(line.length / 2))
      if (number === error) return yield `${out}${errorLine(quoted)}${end}`
      out += `${line}${ends}`
    }
    yield out
  }
  // A line beyond the end is the line after the last.
  if (number + 1 === error) yield `${errorLine(quoted)}${end}`
}

/** Applies the faults of lines to the text of a json_stream; an error says, at its end, what is quoted. */
export const apply = (text: Iterable<string>, faults: ReadonlyArray<Spec.Fault>, quoted: string): Iterable<string> =>
  Spec.has(faults, ...Table.ofGroup("line")) ? changed(text, faults, quoted) : text
