/**
 * The files in a bookkeeping folder that tell what a folder has: a download or a dataset, never both.
 */

/** Of a download. */
export const ofDownload = "manifest.json"

/** Of a dataset. */
export const ofDataset = "dataset.json"
