/**
 * The command `sluice-sandbox`: the stand-in as a process of its own.
 */
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Dialect from "./Dialect.ts"
import * as Fault from "./Fault.ts"
import * as Sandbox from "./Sandbox.ts"

const port = Flag.Int("port").pipe(
  Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65_535 }))),
  Flag.withDescription("Port to listen on, from 0 to 65535; 0 takes a free one. Default 8080"),
  Flag.withDefault(8080)
)

const host = Flag.String("host").pipe(
  Flag.withDescription("Address to listen on. Default 127.0.0.1"),
  Flag.withDefault("127.0.0.1")
)

const plan = Flag.Literals("plan", ["trial", "default", "download"]).pipe(
  Flag.withDescription("Rate-limit plan of the key demo-key. Default download"),
  Flag.withDefault("download")
)

const millisOf: ReadonlyArray<readonly [unit: RegExp, millis: number]> = [
  [/^(ms|milli(second)?s?)$/, 1],
  [/^s(econds?)?$/, 1_000],
  [/^m(inutes?)?$/, 60_000]
]

const duration = (text: string): Option.Option<Duration.Duration> => {
  const [, amount, unit = ""] = /^(\d{1,6}(?:\.\d{1,3})?) ?([a-z]+)$/.exec(text) ?? []
  const [, millis] = millisOf.find(([name]) => name.test(unit)) ?? []
  return millis === undefined ? Option.none() : Option.some(Duration.millis(Number(amount) * millis))
}

const time = (name: string, example: string, description: string) =>
  Flag.String(name).pipe(
    Flag.filterMap(duration, () => `Expected a duration such as ${example}`),
    Flag.withDescription(description),
    Flag.optional
  )

const latency = time(
  "latency",
  "100ms or 1.5s",
  "Time before the first byte of every reply, such as 100ms or 1.5s. Default none"
).pipe(Flag.map(Option.getOrElse(() => Duration.zero)))

const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

const dialect = Flag.String("dialect").pipe(
  Flag.mapTryCatch(
    (text) => Result.getOrThrowWith(Dialect.parse(text), ({ reason }) => new Error(reason)),
    (error) => (error instanceof Error ? error.message : String(error))
  ),
  Flag.withDescription(
    "Answers to open questions about the service, such as limit=latest;endDate=midnight; --questions lists them. Default: the better supported ones"
  ),
  Flag.withDefault({})
)

const live = toggle(
  "live",
  "Let time pass in the data, from 2026-10-01 on: live streams send, and time series over HTTP grow. Without it time stands still at 2026-11-01"
)

const from = Flag.String("from").pipe(
  Flag.filterMap(DateTime.make, () => "Expected a time such as 2026-10-02T12:00:00Z"),
  Flag.withDescription(
    "Implies --live: the present of the data at the start, such as 2026-10-02T12:00:00Z; for a stand-in that goes on where another ended. Default 2026-10-01"
  ),
  Flag.optional
)

const speed = Flag.Finite("speed").pipe(
  Flag.withSchema(Schema.Finite.check(Schema.isGreaterThan(0))),
  Flag.withDescription(
    "Implies --live: how many times as fast as the clock time passes in the data; at 10 a second of the clock is ten seconds of data. Default 1"
  ),
  Flag.optional
)

const httpLag = time(
  "http-lag",
  "500ms or 2s",
  "Implies --live: how much later than over a live stream a record is seen over HTTP, such as 500ms, in time of the data: at --speed 10 a tenth of it by the clock. Default 2s"
)

const jitter = time(
  "jitter",
  "20ms or 1s",
  "Implies --live: how much later than at its own time a record may be published, such as 1s of the data, each at a delay of its own. Default none"
)

const httpJitter = time(
  "http-jitter",
  "20ms or 1s",
  "Implies --live: how much later than by --http-lag a record may be seen over HTTP, such as 1s of the data, each at a delay of its own. Default none"
)

const history = Flag.optional(Flag.Int("history")).pipe(
  Flag.withDescription(
    "Let the past change as time passes, drawn from this number, with --live or without: what is published late or never, corrected or taken back, added, renamed or dropped. Default: it stays"
  )
)

const flags = {
  faults: toggle("faults", "List the kinds of fault and end"),
  questions: toggle("questions", "List the open questions about the service with their answers, and end"),
  live,
  from,
  speed,
  httpLag,
  jitter,
  httpJitter,
  history,
  port,
  host,
  plan,
  latency,
  prepared: toggle("prepared", "Keep every distinct reply in memory after writing it once"),
  dialect
}

const rowOf = (subject: string) => (entry: Pick<(typeof Fault.table)[number], "doc" | "grammar" | "value">) => {
  const { doc, grammar, value } = entry
  const meaning = value?.means === undefined ? "" : `; ${value.name} is ${value.means}`
  return [grammar, `${subject} ${doc}${meaning}`] as const
}

/** Every kind of fault on a line: how it is written, and what it does. */
const faultLines = (): string => {
  const rows = [...Fault.table.map(rowOf("the reply")), ...Fault.liveTable.map(rowOf("the connection"))]
  const width = Math.max(...rows.map(([grammar]) => grammar.length))
  return rows.map(([grammar, doc]) => `${grammar.padEnd(width)}  ${doc}`).join("\n")
}

/** Every open question on a line: its answers, the usual one first, and what is asked. */
const questionLines = (): string =>
  Dialect.names
    .map((name) => `${name}=${Dialect.questions[name].words.join("|")}\n    ${Dialect.questions[name].asks}`)
    .join("\n")

const greeting = (sandbox: Sandbox.Sandbox["Service"], plan: string): string =>
  [
    `export SLUICE_BASE_URL=${sandbox.url} SLUICE_API_KEY=demo-key`,
    "",
    `paid       ${sandbox.url}`,
    `community  ${sandbox.communityUrl}`,
    `streams    ${sandbox.streamUrl}`,
    `key        api_key=demo-key (plan ${plan})`,
    `fault      ${sandbox.faultUrl("status=503;times=2")}`,
    `           or the request header ${Fault.header}: status=503;times=2; --faults lists the kinds`,
    "Stop with Ctrl+C."
  ].join("\n")

/** Runs the stand-in until it is interrupted. */
export const command = Command.make(
  "sluice-sandbox",
  flags,
  Effect.fnUntraced(function* ({ faults, history, live, questions, ...flags }) {
    if (faults) return yield* Console.log(faultLines())
    if (questions) return yield* Console.log(questionLines())
    const run = Effect.gen(function* () {
      yield* Console.log(greeting(yield* Sandbox.Sandbox, options.plan))
      return yield* Effect.never
    })
    const past = Option.map(history, (seed) => ({ seed }))
    const { from, httpJitter, httpLag, jitter, speed, ...options } = flags
    const pace = {
      ...Record.getSomes({ from }),
      ...Record.getSomes({ speed }),
      ...Record.getSomes({ httpLag, jitter, httpJitter })
    }
    const passes = live || Option.isSome(past) || !Record.isEmptyRecord(pace)
    const settings = { ...options, live: passes && pace, history: Option.getOrElse(past, () => false) }
    return yield* Effect.provide(run, Sandbox.layer(settings))
  })
).pipe(Command.withDescription("A stand-in for the market and on-chain data service, with faults on request"))

// An invalid invocation is answered with one sentence, not with the whole help.
/** Presents errors as one sentence on stderr. */
export const presenter: Layer.Layer<never> = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Console.error(`${event.errors.map((error) => error.message.replaceAll(/\s+/g, " ")).join("; ")}.`)
      : CliOutput.defaultPresenter.present(event)
})
