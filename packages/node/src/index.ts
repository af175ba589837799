export * as Download from "./Download.ts"
export * as Format from "./Format.ts"
export * as NodeClient from "./NodeClient.ts"
export * as NodeLive from "./NodeLive.ts"
