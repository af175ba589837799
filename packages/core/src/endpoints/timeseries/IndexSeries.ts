/** What the series of indexes share. Source: docs/interface.md 4.6.5 and 3.14. */
import { id } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import { Timestamp } from "../../Timestamp.ts"

/** The parameters that each of them takes. */
export const params = {
  /** Indexes; `*` stands for any characters, as in `CMBI10*`. */
  indexes: Params.entities(Params.requiredList, "index"),
  ...Params.timeRange,
  ...Params.paging
}

/** The fields that each of their records has. */
export const record = {
  /** The index, such as `CMBI10`. */
  index: id,
  /** The moment of the record, to the nanosecond. */
  time: Timestamp
}
