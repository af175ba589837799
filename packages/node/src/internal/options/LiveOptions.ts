/**
 * The options of live streams, as schemas. Which numbers and lengths of time there may be, the layer that takes them says.
 */
import * as Schema from "effect/Schema"
import * as ClientOptions from "./ClientOptions.ts"
import * as Kinds from "./Kinds.ts"

const number = Schema.optional(Schema.Number)
const length = Schema.optional(Kinds.anyLength)

/** The options of a live client and of its connections. */
export const fields = {
  root: Schema.optional(Kinds.root),
  retry: Schema.optional(ClientOptions.policy),
  openWithin: length,
  silence: length,
  overlap: length,
  maxConnections: number,
  whenNoConnection: Schema.optional(Schema.Literals(["wait", "fail"])),
  capacity: number,
  maxBufferedBytes: number,
  whenFull: Schema.optional(Schema.Literals(["suspend", "dropOldest", "fail"])),
  order: Schema.optional(Schema.Literals(["series", "arrival"])),
  maxFrameBytes: number,
  deflate: Schema.optional(Schema.Boolean),
  proxy: ClientOptions.fields.proxy,
  caFile: ClientOptions.fields.caFile
}
