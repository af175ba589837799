/**
 * `pnpm bench:reader`: time to read records of known layouts, compared with `JSON.parse` and the schema, in one process. The two
 * take turns at every run of 16 KiB.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Clock, Console, Effect } from "effect"
import * as Json from "../../core/src/internal/wire/Json.ts"
import * as Lines from "../../core/src/internal/wire/Lines.ts"
import * as RecordDecoder from "../../core/src/internal/wire/RecordDecoder.ts"
import * as RecordReader from "../../core/src/internal/wire/RecordReader.ts"
import * as Report from "./Report.ts"
import { quartiles, type Sample, samples } from "./ReaderSamples.ts"

const runBytes = 16_384
const [lineFeed, comma] = [10, 44]
const rounds = 4_000

interface Run {
  readonly bytes: Uint8Array
  readonly count: number
}

/** Records as a service sends them, 16 KiB at a time. */
const runsOf = ({ texts: all }: Sample, between: string): ReadonlyArray<Run> => {
  const runs: Array<Run> = []
  let texts: Array<string> = []
  let length = 0
  for (const text of all) {
    texts.push(text)
    length += text.length
    if (length < runBytes) continue
    runs.push({ bytes: new TextEncoder().encode(texts.join(between)), count: texts.length })
    texts = []
    length = 0
  }
  return runs
}

const measure = (sample: Sample, clock: Clock.Clock) => {
  const decoder = RecordDecoder.make(sample.schema, RecordReader.make)
  const toArray = Lines.makeArrayWriter()
  // Type boundary: the text is that of an array, as its writer says.
  const parse = (block: Uint8Array) => decoder.check(Json.parseExact(toArray(block)?.text ?? "") as Array<unknown>)
  const lines = runsOf(sample, "\n")
  const page = runsOf(sample, ",")
  // What the callers do: what is not read is parsed.
  const ways = [
    ({ bytes }: Run) => parse(bytes),
    ({ bytes }: Run) => decoder.read(bytes, 0, bytes.length, lineFeed) ?? parse(bytes)
  ]
  const turns = ways.map((way) => (round: number) => {
    const run = lines[round % lines.length]!
    way(run)
    return run.count
  })
  const isRead = page.some(({ bytes }) => decoder.read(bytes, 0, bytes.length, comma) !== undefined)
  const [parsed = Number.NaN, read = Number.NaN] = quartiles(turns, rounds, clock)
  return [sample.name, parsed.toFixed(0), read.toFixed(0), (read / parsed).toFixed(2), isRead ? "yes" : "no"]
}

const program = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const rows = samples.map((sample) => measure(sample, clock))
  yield* Console.log(Report.align([["records", "parsed, ns", "read, ns", "ratio", "by layout"], ...rows]))
})

NodeRuntime.runMain(program)
