/** Operations that no endpoint reads yet. A test fails at one that has its endpoint: take it out with the commit that adds it. */
export const notYet: Readonly<Record<string, ReadonlyArray<string>>> = {}
