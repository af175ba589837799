/**
 * Headers of hostile length.
 */

// A beginning that is read, and then the same again and again: what costs most to whoever looks for an end.
const forms: Readonly<Record<string, readonly [begin: string, again?: string]>> = {
  Link: ["<", "<"],
  Deprecation: ["@1", " "],
  Sunset: ["Fri, 01 Jan", " "],
  "X-RateLimit-Limit": ["10, 10;w=6", ", 10;w=6"],
  "Retry-After": ["1", "0"],
  "Content-Type": ["application/json", "; a=b"]
}

/** The headers that can be made long. */
export const names: ReadonlyArray<string> = Object.keys(forms)

/** Writes a value of about so many characters. */
export const write = (name: string, size: number): string => {
  const [begin, again = ""] = forms[name] ?? [""]
  return begin + again.repeat(Math.max(0, Math.floor((size - begin.length) / Math.max(1, again.length))))
}
