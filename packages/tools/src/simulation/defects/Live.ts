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
  }
]
