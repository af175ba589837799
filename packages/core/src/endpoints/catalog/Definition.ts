/** What the catalogs have in common. */
export const catalog = { section: "4.5" } as const
