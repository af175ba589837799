export * as Backfill from "./Backfill.ts"
export * as BackfillStore from "./BackfillStore.ts"
export * as Cluster from "./Cluster.ts"
export * as Worker from "./Worker.ts"
