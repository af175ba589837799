/**
 * Refuses a Node.js that is too old, when a module of this package is imported. Stands first in each of them, and imports
 * nothing, because what follows may fail to load there with an error that does not name the cause.
 */

/** The error for a version that is too old, such as `v20.1.0`; undefined where it is new enough. */
export const refusal = (version: string): string | undefined => {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number)
  const isEnough = major > 22 || (major === 22 && minor >= 19)
  return isEnough ? undefined : `@sluice/node needs Node.js 22.19 or newer, this is ${version}`
}

// Other runtimes name the version of Node.js that they are like.
const refused = refusal(process.version)

if (refused !== undefined) {
  const error = new Error(refused)
  // The sentence alone: no line of this package is at fault.
  error.stack = refused
  throw error
}
