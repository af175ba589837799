/**
 * The error of what cannot be drawn.
 */
import * as Schema from "effect/Schema"

export class NotDrawable extends Schema.TaggedError<NotDrawable>()("NotDrawable", {
  reason: Schema.String,
  /** Fields of the records that can. */
  drawable: Schema.Array(Schema.String)
}) {
  override get message() {
    return this.drawable.length === 0
      ? this.reason
      : `${this.reason}; those that can be drawn are ${this.drawable.join(", ")}`
  }
}
