/** Holds what a reader was given against what the service has. */
import { Cause, Context, Effect, Exit, Logger, References, Tracer } from "effect"
import { inspect } from "node:util"
import * as KeyForm from "../../../sandbox/src/internal/faults/KeyForm.ts"

const broken = (what: string) => Effect.die(new Error(what))

/** A record as text, by which it is compared. */
export const textOf = (record: unknown): string => JSON.stringify(record)

/** The truth has to be there, each record once and no other; in whatever order. */
export const same = Effect.fnUntraced(function* (told: ReadonlyArray<unknown>, truth: ReadonlyArray<string>) {
  const left = new Set(truth)
  for (const text of told.map(textOf)) {
    if (!left.delete(text)) {
      return yield* broken(`${truth.includes(text) ? "comes twice" : "is none of the service's"}: ${text}`)
    }
  }
  if (left.size > 0) return yield* broken(`${left.size} of ${truth.length} are missing, such as ${[...left][0]}`)
})

/** What came before an end that was asked for, or a typed error: each record once and no other. */
export const part = Effect.fnUntraced(function* (told: ReadonlyArray<unknown>, truth: ReadonlyArray<string>) {
  const texts = new Set(told.map(textOf))
  return yield* same(
    told,
    truth.filter((text) => texts.has(text))
  )
})

/** What came is how the truth begins. */
export const inOrder = Effect.fnUntraced(function* (told: ReadonlyArray<unknown>, truth: ReadonlyArray<string>) {
  const texts = told.map(textOf)
  const at = texts.findIndex((text, index) => text !== truth[index])
  if (at !== -1) return yield* broken(`record ${at} is ${texts[at]} instead of ${truth[at] ?? "none"}`)
})

export const released = (counts: Readonly<Record<string, number>>) => {
  const held = Object.entries(counts).find(([, count]) => count !== 0)
  return held === undefined ? Effect.void : broken(`${held[0]} is ${held[1]} afterwards`)
}

export const none = (found: ReadonlyArray<string>) =>
  found[0] === undefined ? Effect.void : broken(`${found[0]}, and ${found.length - 1} others`)

/** How often something happened in all runs, by its name. */
export const Drawn = Context.Reference<Record<string, number>>("@sluice/tools/simulation/Drawn", {
  defaultValue: () => ({})
})

export const drawn = (what: string): Effect.Effect<void> =>
  Effect.map(Drawn, (all) => {
    all[what] = (all[what] ?? 0) + 1
  })

/** The key of the clients of a run: long and odd, so that it stands nowhere by chance, and has to be escaped in a URL. */
export const key = "canary+7xq2/vk9=zw 4t"

/** The stand-in's and the client's settings for that key. */
export const options = { key, plan: "download", keys: { [key]: { plan: "download" } } } as const

/** Keys of runs that take one of the stand-in's own. */
const others = ["demo-key", "sandbox-trial"]

/** Base64 of a text that begins so many bytes after a border of three, without the characters that its neighbours share. */
const base64At = (text: string, offset: number) => {
  const all = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]).toString("base64")
  return all.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + text.length) * 8) / 6))
}

/** How a key may be written in a text or a URL. */
export const writtenAs = (key: string): ReadonlyArray<string> => [
  ...KeyForm.names.map((name) => KeyForm.write(name, key)),
  new URLSearchParams({ key }).toString().slice("key=".length)
]

const forms = [key, ...others].flatMap((key) => [
  ...writtenAs(key),
  Buffer.from(key).toString("hex"),
  ...[0, 1, 2].map((offset) => base64At(key, offset))
])

/** What the run has said so far. */
const Told = Context.Reference<Array<unknown>>("@sluice/tools/simulation/Told", { defaultValue: () => [] })

/** Keeps what the run has written, or failed with, until {@link keyHidden} looks at it. */
export const told = (what: unknown): Effect.Effect<void> => Effect.map(Told, (all) => void all.push(what))

const textsOf = (what: unknown) => {
  if (typeof what === "string") return what
  return what instanceof Uint8Array ? Buffer.from(what).toString("latin1") : inspect(what, { depth: 12 })
}

/** What a span shows; of one that was left well its attributes alone. */
const shownBy = ({ attributes, events, name, status }: Tracer.NativeSpan) => [
  name,
  ...attributes.values(),
  ...events.flatMap(([name, , attributes]) => [name, attributes]),
  ...(status._tag === "Ended" && Exit.isFailure(status.exit) ? [status.exit.cause] : [])
]

/** Runs a program, and fails where a key stands in what it logged, traced, wrote or failed with. */
export const keyHidden = <A, E, R>(run: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const all: Array<unknown> = []
    const spans: Array<Tracer.NativeSpan> = []
    const logger = Logger.make(({ cause, fiber, message }) => {
      all.push([message, cause, fiber.getRef(References.CurrentLogAnnotations)])
    })
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    const exit = yield* run.pipe(
      Effect.provideService(Told, all),
      Effect.provideService(Logger.CurrentLoggers, new Set([logger])),
      Effect.provideService(References.MinimumLogLevel, "All"),
      Effect.provideService(Tracer.Tracer, tracer),
      Effect.exit
    )
    if (Exit.isFailure(exit)) all.push(exit.cause, Cause.pretty(exit.cause))
    const texts = [...all, ...spans.flatMap(shownBy)].map(textsOf)
    const shown = texts.join("\n")
    const form = forms.find((form) => shown.includes(form))
    return yield* form === undefined
      ? exit
      : broken(`the key is shown as ${form} in ${texts.find((text) => text.includes(form))}`)
  })
