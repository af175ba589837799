import "@sluice/node/internal/runtime/NodeVersion"
export * as Dataset from "./Dataset.ts"
export * as SharedDataset from "./SharedDataset.ts"
