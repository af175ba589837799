/** Where the records of a command go, and in which format: what `--format`, `--output` and their neighbours say. */
import { harmless } from "@sluice/core/PlainText"
import * as Format from "@sluice/files/Format"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as GlobalFlags from "../../settings/GlobalFlags.ts"
import * as Amount from "../../terminal/Amount.ts"
import * as OutputFile from "../../terminal/OutputFile.ts"
import * as SafeOutput from "../../terminal/SafeOutput.ts"
import { Screen } from "../../terminal/Screen.ts"
import * as Style from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import type { OutputInput } from "../flags/FormatFlags.ts"
import * as NumbersNotice from "./NumbersNotice.ts"

/** The records of a command: of an endpoint, or of a job. */
export interface Source {
  readonly endpoint: Parameters<typeof Format.columns>[0]
  readonly params: object
}

export interface Output {
  readonly as: NonNullable<OutputInput["format"]["as"]> | "arrows"
  readonly compression: Format.Compression | undefined
  /** A file; standard output where absent. */
  readonly file: string | undefined
}

/** Bytes that are not text would go to a terminal. */
export class NotText extends Data.TaggedError("NotText")<{ readonly message: string }> {}

const extensions: Readonly<Record<string, Format.Name>> = {
  ndjson: "ndjson",
  jsonl: "ndjson",
  csv: "csv",
  parquet: "parquet",
  arrow: "arrow",
  arrows: "arrows"
}

const names = { parquet: "Parquet is", arrow: "Arrow is", arrows: "Arrow is" }

const isBinary = (as: Output["as"]): as is keyof typeof names => Object.hasOwn(names, as)

const compressions: Readonly<Record<string, Format.Compression>> = { gz: "gzip", zst: "zstd" }

/** The name of the file says a format or a compression that does not exist, or none that `--format` allows. */
export class BadName extends Schema.TaggedError<BadName>()("BadName", { file: Schema.String, reason: Schema.String }) {
  override get message() {
    return `--output ${JSON.stringify(this.file)}: ${this.reason}`
  }
}

/** The format of a file with this name, compressed or not; undefined where the name says none. */
export const formatNamedBy = (file: string): Format.Name | undefined => {
  const [, extension = ""] = /\.(\w+)(?:\.(?:gz|zst))?$/i.exec(file) ?? []
  const name = extension.toLowerCase()
  return Object.hasOwn(extensions, name) ? extensions[name] : undefined
}

/** What the name of a file says of its format, as in `prices.csv.gz`. Without an extension it says nothing. */
export const byName = Effect.fnUntraced(function* (file: string, given?: Output["as"]) {
  const [, zipped = ""] = /\.(gz|zst)$/i.exec(file) ?? []
  const [, end = ""] = /\.(\d*[a-z]\w*)$/i.exec(zipped === "" ? file : file.slice(0, -zipped.length - 1)) ?? []
  const extension = end.toLowerCase()
  const named = Object.hasOwn(extensions, extension) ? extensions[extension] : undefined
  const compression = compressions[zipped.toLowerCase()]
  const as = given ?? named
  if (as === "parquet" && compression !== undefined) {
    const reason = "Parquet is compressed inside; name the file .parquet and give --compression"
    return yield* new BadName({ file, reason })
  }
  if (as === undefined && extension !== "") {
    const known = Object.keys(extensions).map((name) => `.${name}`)
    return yield* new BadName({ file, reason: `no format has the extension .${end}: expected ${known.join(", ")}` })
  }
  return { as: named, compression }
})

/** What the flags and the name of the file say. The format is absent where neither names one. */
export const said = Effect.fnUntraced(function* ({ format, output }: OutputInput) {
  const file = OutputFile.of(output)
  const named = file === undefined || (yield* OutputFile.isSpecial(file)) ? undefined : yield* byName(file, format.as)
  const as = format.as ?? named?.as
  return {
    // What cannot be read from its end, such as a pipe, is a stream.
    as: as === "arrow" && (named === undefined || named.as === "arrows") ? ("arrows" as const) : as,
    compression: format.compression ?? (as === "table" ? undefined : named?.compression),
    file
  }
})

/**
 * Reads the flags. The format is the one that `--format` names, else that of the file's name, else a table on a terminal
 * and NDJSON elsewhere. Fails for bytes that a terminal cannot show.
 */
export const of = Effect.fnUntraced(function* (input: OutputInput, source: Source) {
  const { out } = yield* Screen
  const { compression, file, ...named } = yield* said(input)
  const isTable = file === undefined && out.isTerminal && !(yield* GlobalFlags.Json)
  // A table needs known columns, which `--metrics *` does not give.
  const hasTable = isTable && (yield* Effect.isSuccess(Format.columns(source.endpoint, source.params)))
  const as = named.as ?? (hasTable ? "table" : "ndjson")
  const { as: _, columns: __, ...typed } = input.format
  const option = Object.entries({ ...typed, compression }).find(([, value]) => value !== undefined)?.[0]
  if (as === "table" && option !== undefined) {
    return yield* new Format.BadFormat({ option, reason: "a table is text for a screen, which has none" })
  }
  const binary = isBinary(as) ? names[as] : compression === undefined ? undefined : "compressed records are"
  if (file === undefined && out.isTerminal && binary !== undefined) {
    return yield* new NotText({ message: `${binary} not text, and standard output is a terminal` })
  }
  const output: Output = { as, compression, file }
  return output
})

/** Writes records as a table, or as the bytes of a format. Gives their number. */
export const write = Effect.fnUntraced(function* <E, R>(
  { as, compression, file }: Output,
  input: OutputInput,
  { endpoint, params }: Source,
  records: Stream.Stream<unknown, E, R>
) {
  const screen = yield* Screen
  const seen = { records: 0, bytes: 0 }
  const counted = Stream.mapArray(records, (batch) => {
    seen.records += batch.length
    return batch
  })
  if (as === "table") {
    const side = file === undefined ? screen.out : { ...screen.out, isTerminal: false, style: Style.plain }
    const table = Table.make(yield* Format.columns(endpoint, params, input.format.columns), side)
    const lines = table.lines(counted)
    yield* file === undefined ? screen.write(lines) : OutputFile.write(file, lines)
    yield* screen.say(notesOn(table, screen.err.style))
    return seen.records
  }
  const format = { ...input.format, as, compression }
  const encode = yield* Format.encode(endpoint, params, format)
  const bytes = encode(counted)
  if (file === undefined) {
    yield* screen.write(screen.out.isTerminal && !isBinary(as) ? SafeOutput.data(as, bytes) : bytes)
    return seen.records
  }
  const sized = Stream.map(bytes, (chunk) => {
    seen.bytes += chunk.length
    return chunk
  })
  if (!screen.err.isTerminal || (yield* GlobalFlags.Json)) {
    yield* OutputFile.write(file, sized)
    return seen.records
  }
  yield* OutputFile.write(file, sized).pipe(withProgress(file, seen))
  const text = `${figuresOf(seen)}, in ${file}.`
  yield* screen.say(`${screen.err.style.dim(`${text} ${NumbersNotice.of(format)}`.trimEnd())}\n`)
  return seen.records
})

interface Written {
  readonly records: number
  readonly bytes: number
}

const figuresOf = ({ bytes, records }: Written) => `${Amount.some(records, "record")}, ${Amount.bytes(bytes)}`

/** Tells on a terminal how much is written, in a line that is gone at the end; and where it is stopped, what became of it. */
const withProgress =
  (file: string, seen: Written) =>
  <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const { err, say } = yield* Screen
      let wiped = ""
      const line = Effect.suspend(() => {
        wiped = Style.wipe
        return say(`${Style.wipe}${Style.cut(`${figuresOf(seen)}, into ${harmless(file)}`, err.columns - 1)}`)
      })
      const lines = Effect.forever(Effect.delay(line, "250 millis"))
      const isGrowing = yield* OutputFile.isSpecial(file)
      const end = isGrowing ? `they are in ${harmless(file)}` : `${harmless(file)} is as it was before`
      return yield* Effect.raceFirst(self, lines).pipe(
        Effect.tapError(() => say(wiped)),
        Effect.onInterrupt(() => say(`${wiped}Stopped after ${figuresOf(seen)}: ${end}.\n`)),
        Effect.tap(() => say(wiped))
      )
    })

const notesOn = (table: Table.Table, style: Style.Style) => {
  if (table.isEmpty()) return `${style.dim("No records.")}\n`
  const hidden = Table.hiddenIn(table, "choose with --columns, or take --format csv for all")
  return hidden === undefined ? "" : `${style.dim(hidden)}\n`
}
