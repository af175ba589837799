export * as Dialect from "./Dialect.ts"
export * as Fault from "./Fault.ts"
export * as Plan from "./Plan.ts"
export * as Sandbox from "./Sandbox.ts"
