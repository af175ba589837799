import * as Schema from "effect/Schema"

/** The stand-in could not listen: the port is taken, or the address is not one of this machine. */
export class SandboxUnavailable extends Schema.TaggedError<SandboxUnavailable>()("SandboxUnavailable", {
  host: Schema.String,
  port: Schema.Int,
  reason: Schema.String
}) {
  override get message(): string {
    return `The sandbox cannot listen on ${this.host}:${this.port}: ${this.reason}.`
  }
}
