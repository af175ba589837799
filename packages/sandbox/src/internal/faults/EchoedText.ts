/** Text that faults add to errors and warnings: the key of the caller, and terminal control sequences. */
import * as Spec from "./Spec.ts"
import type { Query } from "../request/Query.ts"
import * as KeyForm from "./KeyForm.ts"

/** The part of what acts on a terminal that a header can hold. */
export const terminalHeader = "\u009b31m"

/** What acts on a terminal: its title, its screen, its colours, the direction of writing, a line of its own. */
const terminalText = `\u001b]0;sandbox\u0007\u001b[2J${terminalHeader}\u202e\r\nsandbox`

export interface EchoedText {
  /** The key as it stands in the URL; empty when there is none. */
  readonly key: string
  /** What an error message ends with; empty unless a fault asks for it. */
  readonly sentence: string
}

export const make = (url: string, query: Query, faults: ReadonlyArray<Spec.Fault>): EchoedText => {
  const key = query.get("api_key") ?? ""
  const echo = Spec.find(faults, "echo-key")
  const form = echo?.value ?? KeyForm.plain
  const shown = KeyForm.write(form, key)
  // Only the plain form repeats the whole request, where the key stands as it was sent.
  const quoted = form === KeyForm.plain ? ` The request was '${url}', its key '${shown}'.` : ` The key was '${shown}'.`
  return {
    key: form === KeyForm.plain ? encodeURIComponent(key) : shown,
    sentence: `${echo === undefined ? "" : quoted}${Spec.has(faults, "control-text") ? ` ${terminalText}` : ""}`
  }
}
