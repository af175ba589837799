/**
 * Which Node runs the command. Imports nothing, for an older Node may stumble over what is imported.
 */

/** The sentence that refuses an older Node by its version, such as `v20.1.0`; undefined where it is new enough. */
export const refusal = (version: string): string | undefined => {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number)
  const isEnough = major > 22 || (major === 22 && minor >= 19)
  return isEnough ? undefined : `sluice needs Node.js 22.19 or newer, this is ${version}`
}
