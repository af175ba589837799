/**
 * Bodies that are JSON, or nothing at all, but no envelope.
 */

const bodies = new Map([
  ["null", "null"],
  ["array", "[]"],
  ["string", '"data"'],
  ["number", "0"],
  ["no-data", "{}"],
  ["data-null", '{"data":null}'],
  ["data-object", '{"data":{}}'],
  ["nothing", ""]
])

/** The name of every such body. */
export const names: ReadonlyArray<string> = [...bodies.keys()]

/** Finds a body by its name. */
export const find = (name: string): string => bodies.get(name) ?? ""
