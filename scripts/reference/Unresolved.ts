/**
 * The sources say something this generator cannot put into words. It stops there: a reference that guesses is worse than
 * none.
 */
export class Unresolved extends Error {}

/** Stops, naming the file and what in it was not understood. */
export const unresolved = (place: { readonly file: string }, name: string, problem: string): never => {
  throw new Unresolved(`${place.file}: ${name} ${problem}.`)
}
