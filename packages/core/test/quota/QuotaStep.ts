import type { QuotaStore } from "@sluice/core"

/** A step of a process that wants to send one request, and has nothing to tell. */
export const step: QuotaStore.Step = {
  process: "p",
  generation: "",
  nonce: "n",
  want: 1,
  waited: 0,
  events: [],
  lease: 6_000,
  longest: Infinity,
  probeAfter: Infinity
}
