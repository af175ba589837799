export * as NodeClient from "./NodeClient.ts"
