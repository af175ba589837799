/**
 * Defects of live streams.
 */
import type { Defect } from "./Defect.ts"

const lanes = "packages/core/src/internal/live/lanes"

/** All of them. */
export const all: ReadonlyArray<Defect> = [
  {
    name: "an equal live record is delivered again",
    file: `${lanes}/Lanes.ts`,
    from: "      ? !isRepeat(shape, lane, placed)",
    to: "      ? isRepeat(shape, lane, placed)",
    targets: ["live"]
  },
  {
    name: "records that HTTP shows late are not looked for again",
    file: `${lanes}/Fill.ts`,
    from: "read === undefined || rest.length === 0 ?",
    to: "read === undefined || rest.length >= 0 ?",
    targets: ["live"]
  },
  {
    name: "the first later record of a connection is taken to follow",
    file: `${lanes}/Lanes.ts`,
    from: "    if (lane === undefined || lane.settledIn !== connection) return undefined\n    const { highest }",
    to: "    if (lane === undefined) return undefined\n    const { highest }",
    targets: ["live"]
  },
  {
    name: "what a look has found is not noted",
    file: `${lanes}/Look.ts`,
    from: '      lanes.note(seam.lane, placed, "filled", number)\n',
    to: "",
    targets: ["live"]
  },
  {
    name: "a look at a server that lags counts",
    file: `${lanes}/Fill.ts`,
    from: "if (hidden.length === 0) looks += 1",
    to: "looks += 1",
    targets: ["live"]
  },
  {
    name: "a seam looks from the last record on, and at nothing that may be late",
    file: `${lanes}/Memory.ts`,
    from: "late: late < leastLate ? leastLate : late > mostLate ? mostLate : late",
    to: "late: 0n",
    targets: ["live"]
  },
  {
    name: "a seam is given up without a gap",
    file: `${lanes}/Fill.ts`,
    from: "    return tell(settings, left, reason, error)\n",
    to: "    return Effect.void\n",
    targets: ["live"]
  },
  {
    name: "nobody says that records were forgotten",
    file: `${lanes}/Fill.ts`,
    from: '  yield* tell(settings, forgottenOf(settings, seams, givenUp), "forgotten")\n  // No block',
    to: "  // No block",
    targets: ["live"]
  },
  {
    name: "an update is put into the book of the connection before",
    file: "packages/core/src/internal/book/Keeper.ts",
    from: "one.connection !== connection) {",
    to: "one.connection === 0) {",
    targets: ["books"]
  },
  {
    name: "after dropped records the reader goes on from its own book",
    file: "packages/core/src/internal/book/Keeper.ts",
    from: "      one.book = book\n      one.hasGap = false\n      books.push",
    to: "      one.hasGap = false\n      books.push",
    targets: ["books"]
  },
  {
    name: "levels beyond the best hundred stay in the book",
    file: "packages/core/src/internal/book/Book.ts",
    from: "    if (next[side].length > maxLevels) next[side].length = maxLevels\n",
    to: "",
    targets: ["books"]
  },
  {
    name: "a snapshot is put into the book that it replaces",
    file: "packages/core/src/internal/book/Book.ts",
    from: "const next = isWhole || book === undefined ?",
    to: "const next = book === undefined ?",
    targets: ["books"]
  },
  {
    name: "a jump in the frames of books replaces nothing",
    file: "packages/core/src/internal/live/Delivery.ts",
    from: "if (beginsWhole && !jumps.hasReplaced) {",
    to: "if (beginsWhole && plan.fill !== undefined && !jumps.hasReplaced) {",
    targets: ["books"]
  },
  {
    name: "an update that comes again behind a snapshot is left out",
    file: `${lanes}/Lanes.ts`,
    from: "      Memory.clear(memory)\n",
    to: "",
    targets: ["books"]
  },
  {
    name: "nobody says which changes of a book are not known",
    file: `${lanes}/Whole.ts`,
    from: 'from === undefined) return yield* giveUp("unfillable")',
    to: "from === undefined) return",
    targets: ["books"]
  },
  {
    name: "nobody says that HTTP shows another block",
    file: `${lanes}/Look.ts`,
    from: "    return [...reorgs, ...chain.flatMap(take)]",
    to: "    return chain.flatMap(take)",
    targets: ["blocks"]
  },
  {
    name: "a chain is believed before HTTP shows the block at the seam",
    file: `${lanes}/Look.ts`,
    from: "    const current = seams.filter(({ lane, to }) =>\n      placed.some(({ entity, id }) => entity === lane.entity && id === to.id)\n    )",
    to: "    const current = seams",
    targets: ["blocks"]
  },
  {
    name: "a block that was taken back is told of again",
    file: `${lanes}/Lanes.ts`,
    from: "          isNews ||= !delivered.isGone",
    to: "          isNews = true",
    targets: ["blocks"]
  },
  {
    name: "blocks are looked for from the last one on",
    file: `${lanes}/Position.ts`,
    from: "const replaceable = 12",
    to: "const replaceable = 0",
    targets: ["blocks"]
  }
]
