/**
 * Certificates for tests, made as they run, so that none can expire.
 */
import { generateKeyPairSync, sign } from "node:crypto"

/** A certificate and its key in PEM form. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

const der = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(parts)
  const bytes = content.length.toString(16)
  const long = Buffer.from(bytes.padStart(bytes.length + (bytes.length % 2), "0"), "hex")
  const length = content.length < 128 ? Buffer.from([content.length]) : Buffer.from([0x80 | long.length, ...long])
  return Buffer.concat([Buffer.from([tag]), length, content])
}
const sequence = (...parts: ReadonlyArray<Uint8Array>) => der(0x30, ...parts)
const text = (tag: number, value: string) => der(tag, Buffer.from(value))
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"))
const octets = (content: Uint8Array) => der(0x04, content)

const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"))
const commonName = oid("550403")
const subjectAltName = oid("551d11")
const basicConstraints = oid("551d13")

/** Makes a certificate for a name, signed by itself and valid for these years. */
export const selfSigned = (host: string): Certificate => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const name = sequence(der(0x31, sequence(commonName, text(0x0c, host))))
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(text(0x18, "20200101000000Z"), text(0x18, "20991231235959Z")),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(
      0xa3,
      sequence(
        sequence(basicConstraints, octets(sequence(der(0x01, Buffer.from([0xff]))))),
        sequence(subjectAltName, octets(sequence(text(0x82, host))))
      )
    )
  )
  const signature = der(0x03, Buffer.from([0]), sign("sha256", body, privateKey))
  const base64 = sequence(body, ecdsaWithSha256, signature).toString("base64")
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString()
  }
}
