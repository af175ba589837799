import { assert, describe, it } from "@effect/vitest"
import type { Dataset } from "@sluice/datasets"
import * as PartSummary from "../../src/internal/read/PartSummary.ts"

const at = (day: number) => `2026-01-${String(day).padStart(2, "0")}T00:00:00.000000000Z`

/** Records of these days of January. */
const days = (...numbers: ReadonlyArray<number>) => numbers.map((day) => ({ asset: "btc", time: at(day), value: "1" }))

const cursorAt = (day: number | null, more: Partial<Dataset.Cursor> = {}): Dataset.Cursor => ({
  entity: "btc",
  from: at(1),
  last: day === null ? null : at(day),
  columns: [],
  ...more
})

/** What a reply tells; where nothing else is said, of an entity that has records until the 4th and was asked for from then on. */
const found = (reply: Partial<PartSummary.Reply>) =>
  PartSummary.classify({
    part: { reason: "new" },
    from: at(4),
    records: [],
    cursor: cursorAt(4),
    wouldVanish: false,
    mayTie: false,
    isShared: false,
    ...reply
  })

const limited: PartSummary.Reply["part"] = { reason: "probe", limit: 2 }

describe("what a reply tells of an entity", () => {
  it("is news where records are others than those of the last run, from the time on that was asked for", () => {
    assert.deepStrictEqual(found({ records: days(3, 4, 5) }), { _tag: "News", records: days(4, 5) })
    const cursor = cursorAt(4, { seen: PartSummary.seenOf(days(4), at(4))! })
    assert.deepStrictEqual(found({ cursor, records: days(4, 5) }), { _tag: "News", records: days(4, 5) })
  })

  it("is the same where the last run read these records from this time on", () => {
    const cursor = cursorAt(4, { seen: PartSummary.seenOf(days(4), at(4))! })
    assert.deepStrictEqual(found({ cursor, records: days(4) }), { _tag: "Same", records: days(4) })
    const later = cursorAt(4, { seen: PartSummary.seenOf(days(4), at(3))! })
    assert.deepStrictEqual(found({ cursor: later, records: days(4) }), { _tag: "News", records: days(4) })
  })

  it("is news where all was asked for, since no earlier run is compared", () => {
    assert.deepStrictEqual(found({ from: undefined, records: days(1, 2) }), { _tag: "News", records: days(1, 2) })
  })

  it("is that it vanished where no record would take back those that are held", () => {
    assert.deepStrictEqual(found({ records: days(3), wouldVanish: true }), { _tag: "Vanished" })
    assert.deepStrictEqual(found({ records: [], wouldVanish: false }), { _tag: "News", records: [] })
    assert.deepStrictEqual(found({ records: days(4), wouldVanish: true }), { _tag: "News", records: days(4) })
  })

  it("is that more has to be asked for where the latest records do not reach back", () => {
    const behind: PartSummary.PartSummary = { _tag: "Behind", seen: undefined }
    assert.deepStrictEqual(found({ part: limited, records: days(8, 9) }), behind)
    assert.deepStrictEqual(found({ part: limited, records: days(9) }), behind)
    assert.deepStrictEqual(found({ part: limited, records: [] }), behind)
    // The earliest records, of a service that takes a limit from the other end.
    assert.deepStrictEqual(found({ part: limited, records: days(1, 2) }), behind)
    assert.deepStrictEqual(found({ part: limited, records: days(4, 9) }), { _tag: "News", records: days(4, 9) })
  })

  it("is that all has to be asked for where an entity without records has some, or was gone", () => {
    const behind: PartSummary.PartSummary = { _tag: "Behind", seen: undefined }
    assert.deepStrictEqual(found({ part: limited, cursor: cursorAt(null), records: days(9) }), behind)
    assert.deepStrictEqual(found({ part: limited, cursor: cursorAt(null, { gone: 1 }) }), behind)
    assert.deepStrictEqual(found({ part: limited, cursor: cursorAt(null) }), { _tag: "Same", records: [] })
  })

  it("is that the time since has to be asked for where files are shared, with what was seen", () => {
    const seen = PartSummary.seenOf(days(4, 9), at(4))
    assert.deepStrictEqual(found({ part: limited, isShared: true, records: days(4, 9) }), { _tag: "Behind", seen })
    const cursor = cursorAt(4, { seen: seen! })
    assert.deepStrictEqual(found({ part: limited, isShared: true, cursor, records: days(4, 9) }), {
      _tag: "Same",
      records: days(4, 9)
    })
    assert.deepStrictEqual(found({ isShared: true, records: days(4, 9) }), { _tag: "News", records: days(4, 9) })
  })
})
