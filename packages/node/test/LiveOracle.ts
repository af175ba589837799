import { Client, LiveClient, type LiveError, type LiveMessage, Retry } from "@sluice/core"
import { Dialect, Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as Virtual from "../../core/test/Virtual.ts"
import * as Draw from "../../core/test/Draw.ts"

/** Something that happens so many seconds after the start. */
interface Happening {
  readonly at: number
  readonly what: (live: Sandbox.Live) => Effect.Effect<unknown>
  readonly name: string
}

/** What a seed makes of a run. */
export interface Course {
  readonly seed: number
  readonly dialect: Partial<Dialect.Dialect>
  readonly faults: string
  readonly happenings: ReadonlyArray<Happening>
  /** By how many milliseconds records are published late, and shown late over HTTP, at most. */
  readonly jitter?: { readonly live: number; readonly http: number }
  /** How long it may take to settle in the end, in seconds; {@link calm} where absent. */
  readonly calm?: number
}

const kinds: ReadonlyArray<(number: (most: number) => number) => string> = [
  (number) => `live-close=${1 + number(40)};times=3`,
  (number) => `live-drop=${1 + number(40)};times=3`,
  (number) => `live-silence=${1 + number(20)};times=2`,
  (number) => `live-stall=${1 + number(40)};times=2`,
  (number) => `live-repeat=${1 + number(7)}`,
  (number) => `live-again=${1 + number(7)}`,
  (number) => `live-skip=${2 + number(20)};times=3`,
  (number) => `live-warning=${1 + number(20)}`,
  () => "live-number",
  () => "live-extra",
  (number) => `live-binary=${1 + number(9)}`,
  (number) => `live-status=503;times=2;after=${number(3)}`,
  (number) => `live-reset;times=2;after=${number(3)}`,
  () => "live-never;times=1",
  (number) => `live-slow=${number(9_000)}`
]

/** How long a run is disturbed, and how long it may take to settle, in seconds. */
export const [disturbed, calm] = [420, 240]

/** Draws what happens in a run. */
export const courseOf = (seed: number): Course => {
  const { next } = Draw.from(seed)
  const number = (most: number) => Math.floor(next() * most)
  const drawn = Array.from({ length: number(4) }, () => kinds[number(kinds.length)]!(number))
  const words = Dialect.questions.sequence.words
  const sequence = words[seed % words.length]!
  // Where numbers are skipped without a loss, a skipped number of a loss says nothing.
  const isPlain = sequence === "zero" || sequence === "one"
  const faults = drawn.filter((fault) => isPlain || !fault.startsWith("live-skip"))
  const happenings: Array<Happening> = []
  for (let at = 10 + number(90); at < disturbed; at += 10 + number(120)) {
    const kind = number(4)
    if (kind < 2) {
      const ending = kind === 0 ? "restart" : "drop"
      happenings.push({ at, name: `${at}: ${ending}`, what: (live) => live.end(ending) })
    } else {
      const seconds = kind === 2 ? number(20) : number(120)
      happenings.push({
        at,
        name: `${at}: lag ${seconds}`,
        what: (live) => live.setHttpLag(`${seconds} seconds`)
      })
    }
  }
  happenings.push({ at: disturbed, name: "calm", what: (live) => live.setHttpLag("1 second") })
  const { flatCandles } = Dialect.draw(seed)
  return { seed, dialect: { sequence, flatCandles }, faults: [...new Set(faults)].join(","), happenings }
}

/** What a reader got in a run. */
export interface Run<M = LiveMessage.LiveMessage<object>, A = void> {
  readonly messages: ReadonlyArray<M>
  readonly error: LiveError.LiveError | undefined
  /** The records of the service from the start on, as they were published. */
  readonly truth: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly journal: ReadonlyArray<Sandbox.JournalEntry>
  /** Requests over HTTP. */
  readonly requests: number
  /** What was asked over HTTP at the end. */
  readonly asked: A
}

const sum = (counts: Readonly<Record<number, number>>) => Object.values(counts).reduce((all, count) => all + count, 0)

/** The moment at which a run begins, and the history that it reads first, in seconds. */
const [begin, past] = ["2026-10-01T00:00:00Z", 60]

/** Where history begins: a second after records that are at whole minutes. */
export const since = "2026-09-30T23:59:00.000000000Z"

/** The standard policy with a few more attempts: it waits with jitter, which follows from the seed. */
const retry = Retry.make({ times: 10 })

/** Reads a live stream through a course, and tells what came and what the service had. */
export const run = <M, A = void>(
  path: string,
  stream: Stream.Stream<M, LiveError.LiveError, LiveClient.LiveClient>,
  { calm: left = calm, dialect, faults, happenings, jitter = { live: 0, http: 0 }, seed }: Course,
  ask: (until: string) => Effect.Effect<A, unknown, Client.Client> = () => Effect.succeed(undefined as A)
) => {
  const program = Effect.gen(function* () {
    const sandbox = yield* Sandbox.Sandbox
    const { live } = sandbox
    const messages: Array<M> = []
    const client = Client.layer({ retry, root: sandbox.url, apiKey: Redacted.make("demo-key") })
    const reader = yield* stream.pipe(
      Stream.runForEachArray((batch) => Effect.sync(() => messages.push(...batch))),
      Effect.flip,
      Effect.provide(
        LiveClient.layer({ retry, root: faults === "" ? sandbox.streamUrl : sandbox.streamFaultUrl(faults) }).pipe(
          Layer.provide(client)
        )
      ),
      Effect.orDie,
      Effect.forkChild
    )
    const before = yield* sandbox.stats
    let now = 0
    for (const { at, what } of happenings) {
      yield* Effect.sleep(`${at - now} seconds`)
      now = at
      yield* what(live)
    }
    yield* Effect.sleep(`${left} seconds`)
    const until = yield* live.now
    // What is published at this instant may not have arrived yet, and the connection may break at it.
    yield* Effect.sleep("1 minute")
    const error = reader.pollUnsafe()
    yield* Fiber.interrupt(reader)
    const texts = yield* live.series(path, {
      after: new Date(Date.parse(begin) - past * 1_000),
      until
    })
    const read: Run<M, A> = {
      messages,
      error: error !== undefined && error._tag === "Success" ? error.value : undefined,
      truth: texts
        // Type boundary: what the stand-in wrote.
        .map((text) => JSON.parse(text) as Readonly<Record<string, unknown>>)
        // A candle is published after its end, and may have begun before.
        .filter(({ time }) => String(time) >= since),
      journal: yield* live.journal,
      requests: sum((yield* sandbox.stats).statuses) - sum(before.statuses),
      asked: yield* ask(until).pipe(Effect.provide(client), Effect.orDie)
    }
    return read
  })
  return Effect.andThen(
    TestClock.setTime(Date.parse(begin)),
    Virtual.run(
      program.pipe(
        Effect.provide(
          Sandbox.layerMemory({
            dialect,
            live: { from: begin, httpLag: "2 seconds", jitter: jitter.live, httpJitter: jitter.http }
          })
        )
      ),
      "30 minutes"
    ).pipe(Random.withSeed(seed))
  )
}

/** A record of one lane in one text: entity and metric, and what identifies it there. */
export interface Item {
  readonly lane: string
  readonly position: string
  readonly id: string
  readonly value: string
}

/** How records of a kind become items. */
export interface Items {
  readonly entity: string
  readonly position: "time" | "height"
  readonly identity: ReadonlyArray<string>
  readonly metrics?: ReadonlyArray<string>
  /** A field that a record has whoever sent it. */
  readonly value: string
}

/** The items of a record. */
export const itemsOf = (
  { entity, identity, metrics, position, value }: Items,
  record: Readonly<Record<string, unknown>>
): ReadonlyArray<Item> => {
  const at = String(record[position])
  const id = [at, ...identity.map((field) => String(record[field]))].join("|")
  if (metrics === undefined) {
    return [{ lane: String(record[entity]), position: at, id, value: JSON.stringify(record[value]) }]
  }
  return metrics.flatMap((metric) =>
    record[metric] === undefined || record[metric] === null
      ? []
      : [{ lane: `${record[entity]} ${metric}`, position: at, id, value: JSON.stringify(record[metric]) }]
  )
}

const compare = ({ position }: Items, a: string, b: string) =>
  position === "height" ? Number(a) - Number(b) : a < b ? -1 : a > b ? 1 : 0

/** Every way in which what came is not what the service had, with its gaps. */
export const faultsOf = (
  items: Items,
  { error, messages, truth }: Run,
  { jitter }: Pick<Course, "jitter"> = {}
): ReadonlyArray<string> => {
  const found: Array<string> = []
  if (error !== undefined) found.push(`failed: ${error.message}`)
  const delivered = new Map<string, Array<Item & { readonly origin: string }>>()
  const gaps = new Map<string, Array<{ readonly from: string | undefined; readonly to: string }>>()
  for (const message of messages) {
    if (message._tag === "Data") {
      // Type boundary: a record is an object of fields.
      for (const item of itemsOf(items, message.record as Readonly<Record<string, unknown>>)) {
        delivered.set(item.lane, [...(delivered.get(item.lane) ?? []), { ...item, origin: message.origin }])
      }
    } else if (message._tag === "Gap") {
      for (const metric of message.metrics ?? [""]) {
        const lane = metric === "" ? message.entity : `${message.entity} ${metric}`
        gaps.set(lane, [...(gaps.get(lane) ?? []), message])
      }
    }
  }
  const isNamed = (lane: string, { position }: Item) =>
    (gaps.get(lane) ?? []).some(
      ({ from, to }) => (from === undefined || compare(items, from, position) <= 0) && compare(items, position, to) <= 0
    )
  const real = new Map<string, Array<Item>>()
  for (const record of truth) {
    for (const item of itemsOf(items, record)) real.set(item.lane, [...(real.get(item.lane) ?? []), item])
  }
  for (const [lane, wanted] of real) {
    const got = delivered.get(lane) ?? []
    const byId = new Map(got.map((item) => [item.id, item]))
    if (byId.size < got.length) found.push(`${lane}: ${got.length - byId.size} repeated`)
    for (const item of wanted) {
      const here = byId.get(item.id)
      if (here !== undefined && here.value !== item.value) found.push(`${lane}: ${item.id} has another value`)
      if (here === undefined && !isNamed(lane, item)) found.push(`${lane}: ${item.id} is missing`)
    }
    for (const [index, item] of jitter === undefined ? got.entries() : []) {
      const before = got[index - 1]
      // What a gap named may be found later, when HTTP has caught up.
      const isLate = item.origin === "filled" && isNamed(lane, item)
      const isAfter = before !== undefined && (before.origin !== "filled" || !isNamed(lane, before))
      if (isAfter && !isLate && compare(items, before.position, item.position) > 0) {
        found.push(`${lane}: ${item.id} comes after ${before.id}`)
      }
    }
    const known = new Set(wanted.map(({ id }) => id))
    const last = wanted.at(-1)?.position ?? ""
    for (const item of got) {
      if (!known.has(item.id) && compare(items, item.position, last) <= 0 && item.position > since) {
        found.push(`${lane}: ${item.id} is not of the service`)
      }
    }
  }
  // A reader is stopped later than the truth ends, so that the first record of a lane may come behind it.
  const ends = [...real.values()].map((all) => all.at(-1)?.position ?? "")
  const end = ends.reduce((a, b) => (compare(items, a, b) < 0 ? b : a), "")
  for (const [lane, got] of delivered) {
    const isBehind = got.every(({ position }) => compare(items, position, end) > 0)
    if (!real.has(lane) && !isBehind) found.push(`${lane}: the service has no such lane`)
  }
  return found
}
