/** Checks the version of Node.js. Imports nothing, since an old Node.js may fail to load what is imported. */

/** The error for a version that is too old, such as `v20.1.0`; undefined where it is new enough. */
export const refusal = (version: string): string | undefined => {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number)
  const isEnough = major > 22 || (major === 22 && minor >= 19)
  return isEnough ? undefined : `sluice needs Node.js 22.19 or newer, this is ${version}`
}
