import "./internal/runtime/NodeVersion.ts"
export * as NodeClient from "./NodeClient.ts"
export * as NodeLive from "./NodeLive.ts"
export * as NodeQuota from "./NodeQuota.ts"
