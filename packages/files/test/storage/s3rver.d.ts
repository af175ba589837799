/** What is used of a server without types. */
declare module "s3rver" {
  import type { Server } from "node:http"
  export default class S3rver {
    constructor(options: {
      readonly address: string
      readonly port: number
      readonly silent: boolean
      readonly directory: string
      readonly configureBuckets: ReadonlyArray<{ readonly name: string; readonly configs: ReadonlyArray<string> }>
    })
    run(): Promise<{ readonly address: string; readonly port: number }>
    close(): Promise<void>
    readonly httpServer: Server
  }
}
