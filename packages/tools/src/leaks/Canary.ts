/**
 * The canary: a key that stands nowhere but in the requests of a run, so that finding it anywhere else is a leak.
 *
 * Tests, demo and benchmark use the keys the stand-in service knows. In a canary run all of them are renamed wherever
 * code is loaded, on both sides of the wire, so no test has to know of it and none can be forgotten.
 */

/** What all canaries begin with; long enough to be met by no chance, in the alphabet of the keys it replaces. */
export const stem = "canary7xq2vk9zw4t"

const known = /\bsandbox-(?=(?:trial|default|download|limited)\b)|\bdemo-(?=key\b)/g

/** Puts canaries in place of the keys of the stand-in service. */
export const rename = (source: string): string => source.replaceAll(known, `${stem}-`)

/** One way to write the canary. */
export interface Form {
  readonly name: string
  readonly bytes: Buffer
}

/** Base64 of a text that begins so many bytes after a border of three, without the characters its neighbours share. */
const base64At = (offset: number) => {
  const text = Buffer.concat([Buffer.alloc(offset), Buffer.from(stem)]).toString("base64")
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + stem.length) * 8) / 6))
}

const toUrl = (base64: string) => base64.replaceAll("+", "-").replaceAll("/", "_")

const hex = Buffer.from(stem).toString("hex")

/** Every way it is looked for. */
export const forms: ReadonlyArray<Form> = [
  { name: "as it is", bytes: Buffer.from(stem) },
  { name: "in capitals", bytes: Buffer.from(stem.toUpperCase()) },
  { name: "in UTF-16", bytes: Buffer.from(stem, "utf16le") },
  { name: "percent-encoded", bytes: Buffer.from(hex.replaceAll(/../g, "%$&")) },
  { name: "in hex", bytes: Buffer.from(hex) },
  { name: "in hex capitals", bytes: Buffer.from(hex.toUpperCase()) },
  ...[0, 1, 2].flatMap((offset) => [
    { name: `in base64 (${offset})`, bytes: Buffer.from(base64At(offset)) },
    { name: `in base64url (${offset})`, bytes: Buffer.from(toUrl(base64At(offset))) }
  ])
]

/** A place where the canary was found. */
export interface Hit {
  readonly where: string
  readonly form: string
  readonly around: string
}

/** Looks for the canary in whatever a run has left, one hit for each form. */
export const search = (where: string, bytes: Buffer): ReadonlyArray<Hit> =>
  forms.flatMap(({ bytes: form, name }) => {
    const at = bytes.indexOf(form)
    return at === -1
      ? []
      : [{ where, form: name, around: bytes.subarray(Math.max(0, at - 120), at + form.length + 40).toString() }]
  })
