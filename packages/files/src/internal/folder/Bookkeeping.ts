/**
 * The files in a bookkeeping folder that tell what a folder has: a download or a dataset, never both; and of one that
 * is to become a dataset.
 */

export const ofDownload = "manifest.json"

export const ofDataset = "dataset.json"

/** Of the first load of a dataset by several processes, below the bookkeeping folder. */
export const ofLoad = ["load", "load.json"] as const
