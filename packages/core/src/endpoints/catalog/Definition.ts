/**
 * What the endpoints of a catalog have in common: all records in one reply, and for markets a choice of format.
 */

/** A catalog. */
export const catalog = { section: "4.5", formats: ["json"], paged: false } as const

/** A catalog of markets. */
export const marketCatalog = { section: "4.5", paged: false } as const

/** A full catalog. */
export const fullCatalog = { section: "4.7", formats: ["json"], paged: false } as const

/** A full catalog of markets. */
export const fullMarketCatalog = { section: "4.7", paged: false } as const
