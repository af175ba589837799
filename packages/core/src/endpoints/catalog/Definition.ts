/**
 * What the endpoints of a catalog have in common.
 */

/** A catalog. */
export const catalog = { section: "4.5" } as const

/** A full catalog. */
export const fullCatalog = { section: "4.7" } as const
