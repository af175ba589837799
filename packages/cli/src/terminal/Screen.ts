/** Standard output, for data, and standard error, for messages. */
import { harmlessJson } from "@sluice/core/PlainText"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Terminal from "effect/Terminal"
import * as Style from "./Style.ts"

/** Standard output, or a file, cannot be written, for another reason than a reader that closed the pipe. */
export class OutputFailed extends Schema.TaggedError<OutputFailed>()("OutputFailed", {
  /** The file; absent for standard output. */
  file: Schema.optionalKey(Schema.String),
  reason: Schema.String
}) {
  override get message() {
    return `${this.file ?? "standard output"} cannot be written: ${this.reason}`
  }
}

export interface Side {
  readonly isTerminal: boolean
  /** Columns of the terminal; where there is none those of `COLUMNS`, else 80. */
  readonly columns: number
  readonly style: Style.Style
}

export class Screen extends Context.Service<
  Screen,
  {
    readonly out: Side
    readonly err: Side
    /** Writes a stream to standard output. Ends early, without failure, when the reader closes the pipe. */
    readonly write: <E, R>(stream: Stream.Stream<string | Uint8Array, E, R>) => Effect.Effect<void, E | OutputFailed, R>
    /** Writes lines to standard output. */
    readonly print: (text: string) => Effect.Effect<void, OutputFailed>
    /** Writes text to standard error, on a terminal with its long lines broken between words, and ignores failures. */
    readonly say: (text: string) => Effect.Effect<void>
  }
>()("@sluice/cli/Screen") {}

const environment = Config.all({
  noColor: Config.option(Config.String("NO_COLOR")),
  forceColor: Config.option(Config.String("FORCE_COLOR")),
  term: Config.option(Config.String("TERM"))
})

/** What a shell or a test says of the width where there is no terminal. */
const columnsOf = Config.Int("COLUMNS").pipe(Config.option, Config.map(Option.filter((columns) => columns > 0)))

const isSet = (option: Option.Option<string>) => Option.isSome(option) && option.value !== ""

// https://no-color.org: any value except empty text. A dumb terminal has no colours either.
const canColour = Effect.map(Effect.orDie(environment), ({ forceColor, noColor, term }) => (isTerminal: boolean) => {
  if (isSet(noColor)) return false
  if (isSet(forceColor) && !["0", "false"].includes(Option.getOrElse(forceColor, () => ""))) return true
  return isTerminal && Option.getOrElse(term, () => "") !== "dumb"
})

export const layer: Layer.Layer<Screen, never, Stdio.Stdio | Terminal.Terminal> = Layer.effect(
  Screen,
  Effect.gen(function* () {
    const stdio = yield* Stdio.Stdio
    const terminal = yield* Terminal.Terminal
    const colours = yield* canColour
    const given = Option.flatten(yield* Effect.option(columnsOf))
    const columns = (yield* terminal.columns) || Option.getOrElse(given, () => 80)
    const side = (isTerminal: boolean): Side => ({
      isTerminal,
      columns,
      style: colours(isTerminal) ? Style.colours : Style.plain
    })
    const write = <E, R>(stream: Stream.Stream<string | Uint8Array, E, R>) =>
      stream.pipe(
        Stream.mapError((error) => ({ _tag: "Source", error }) as const),
        Stream.run(stdio.stdout({ endOnDone: false })),
        Effect.catch((failure): Effect.Effect<void, E | OutputFailed> => {
          if (failure._tag === "Source") return Effect.fail(failure.error)
          return isClosed(failure) ? Effect.void : Effect.fail(new OutputFailed({ reason: reasonOf(failure) }))
        })
      )
    const err = side(yield* stdio.stderrIsTerminal)
    const fold = (text: string) => (err.isTerminal ? Style.fold(text, err.columns) : text)
    return Screen.of({
      out: side(yield* stdio.stdoutIsTerminal),
      err,
      write,
      print: (text) => write(Stream.make(`${text}\n`)),
      say: (text) => Effect.ignore(Stream.run(Stream.make(fold(text)), stdio.stderr({ endOnDone: false })))
    })
  })
)

/** A line of JSON, which does nothing to a terminal. */
export const jsonOf = (value: unknown): string => harmlessJson(JSON.stringify(value))

/** The code of the operating system, such as `EPIPE`. */
export const codeOf = ({ reason }: PlatformError) =>
  Predicate.hasProperty(reason.cause, "code") && Predicate.isString(reason.cause.code) ? reason.cause.code : undefined

/** The reader closed the pipe, as `| head` does. */
const isClosed = (error: PlatformError) => ["EPIPE", "ERR_STREAM_DESTROYED"].includes(codeOf(error) ?? "")

const reasonOf = (error: PlatformError) => codeOf(error) ?? error.message
