import { LiveClient, type LiveMessage } from "@sluice/core"
import type { Live } from "@sluice/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Socket from "effect/socket/Socket"
import * as FakeApi from "../FakeApi.ts"

/** What a scripted connection does next. Objects that are no effect and have no sign below are frames. */
export type Step =
  | { readonly frame: unknown }
  /** Text as it is. */
  | { readonly text: string }
  /** Several frames at once. */
  | { readonly frames: ReadonlyArray<unknown> }
  | { readonly close: number; readonly reason?: string }
  /** The handshake is refused, as the transport of Node.js reports it. First step only. */
  | { readonly refuse: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> }
  /** The handshake fails without a status. First step only. */
  | { readonly fail: unknown }
  /** The handshake is never answered. First step only. */
  | { readonly hang: true }
  | Effect.Effect<unknown>

/** The steps of a connection; without a `close` it stays open. */
export type Script = ReadonlyArray<Step>

type Listener = (event: Socket.WebSocketEvent) => void

/** A WebSocket in memory. */
export class FakeSocket implements Socket.WebSocketLike {
  readyState = 0
  readonly listeners = new Map<string, Set<Listener>>()
  /** Pings that the client sent. */
  pings = 0
  readonly heard = new Map<string, Array<() => void>>()
  closedBy: "client" | "service" | undefined
  readonly url: string

  constructor(url: string) {
    this.url = url
  }

  addEventListener(type: string, listener: Listener, options?: { readonly once?: boolean }) {
    const all = this.listeners.get(type) ?? new Set()
    const added: Listener =
      options?.once === true
        ? (event) => {
            all.delete(added)
            listener(event)
          }
        : listener
    all.add(added)
    this.listeners.set(type, all)
  }

  removeEventListener(type: string, listener: Listener) {
    this.listeners.get(type)?.delete(listener)
  }

  emit(type: string, event: Socket.WebSocketEvent & { readonly error?: unknown }) {
    for (const listener of Array.from(this.listeners.get(type) ?? [])) {
      const seen = { ...event, target: this }
      listener(seen)
    }
  }

  send() {}

  close() {
    if (this.readyState === 3) return
    this.readyState = 3
    this.closedBy ??= "client"
  }

  /** Closes from the other side. */
  end(code: number, reason?: string) {
    if (this.readyState === 3) return
    this.readyState = 3
    this.closedBy = "service"
    this.emit("close", reason === undefined ? { code } : { code, reason })
  }
}

/** A socket that shows pings and pongs. */
export class PingableSocket extends FakeSocket {
  answers = true

  ping() {
    this.pings += 1
    if (this.answers) this.hear("pong")
  }

  on(event: string, listener: () => void) {
    this.heard.set(event, [...(this.heard.get(event) ?? []), listener])
  }

  hear(event: "ping" | "pong") {
    for (const listener of this.heard.get(event) ?? []) listener()
  }
}

/** A socket that can be held back, as that of Node.js can. What comes meanwhile waits, its end too. */
export class PausableSocket extends FakeSocket {
  isPaused = false
  private waiting: Array<() => void> = []

  pause() {
    this.isPaused = true
  }

  resume() {
    this.isPaused = false
    while (!this.isPaused) {
      const next = this.waiting.shift()
      if (next === undefined) return
      next()
    }
  }

  override emit(type: string, event: Socket.WebSocketEvent & { readonly error?: unknown }) {
    if (this.isPaused) this.waiting.push(() => super.emit(type, event))
    else super.emit(type, event)
  }
}

/** A scripted live service. */
export interface FakeLive {
  readonly sockets: ReadonlyArray<FakeSocket>
  /** `path?query` of every handshake so far. */
  readonly handshakes: () => ReadonlyArray<string>
  readonly open: () => number
  readonly layer: (
    api: FakeApi.FakeApi,
    options?: LiveClient.Options,
    client?: Parameters<FakeApi.FakeApi["layer"]>[0]
  ) => Layer.Layer<LiveClient.LiveClient>
}

/** Answers each connection as the function says, by its number from 0. */
export const serve = (
  script: (connection: number, url: URL) => Script,
  make: (url: string) => FakeSocket = (url) => new FakeSocket(url)
): FakeLive => {
  const sockets: Array<FakeSocket> = []
  const constructor = Layer.effect(
    Socket.WebSocketConstructor,
    Effect.gen(function* () {
      const context = yield* Effect.context<never>()
      const run = Effect.runForkWith(context)
      return (text: string) => {
        const socket = make(text)
        const steps = script(sockets.length, new URL(text))
        sockets.push(socket)
        run(Effect.andThen(Effect.yieldNow, play(socket, steps)))
        return socket
      }
    })
  )
  return {
    sockets,
    handshakes: () =>
      sockets.map(({ url }) => {
        const { pathname, searchParams } = new URL(url)
        return `${pathname.replace(/^\/v4/, "")}?${decodeURIComponent(searchParams.toString())}`
      }),
    open: () => sockets.filter(({ readyState }) => readyState === 1).length,
    layer: (api, options, client) =>
      LiveClient.layer(options).pipe(Layer.provide([constructor, api.layer(client)]), Layer.orDie)
  }
}

/** Plays the scripts in turn, and dies when asked for more. */
export const make = (scripts: ReadonlyArray<Script>, socket?: (url: string) => FakeSocket): FakeLive =>
  serve((connection) => {
    const script = scripts[connection]
    if (script === undefined) throw new Error(`connection ${connection} is not in the script`)
    return script
  }, socket)

const play = Effect.fnUntraced(function* (socket: FakeSocket, steps: Script) {
  const [first] = steps
  if (first !== undefined && "hang" in first) return
  if (first !== undefined && "refuse" in first) {
    const { body = "", headers = {}, refuse: status } = first
    socket.readyState = 3
    socket.emit("error", { error: { _tag: "HandshakeRefused", status, headers, body } })
    return
  }
  if (first !== undefined && "fail" in first) {
    socket.readyState = 3
    socket.emit("error", { error: first.fail })
    return
  }
  if (socket.readyState !== 0) return
  socket.readyState = 1
  socket.emit("open", {})
  for (const step of steps) {
    if (socket.readyState !== 1) return
    if (Effect.isEffect(step)) yield* step
    else if ("frame" in step) socket.emit("message", { data: JSON.stringify(step.frame) })
    else if ("text" in step) socket.emit("message", { data: step.text })
    else if ("frames" in step) {
      for (const frame of step.frames) socket.emit("message", { data: JSON.stringify(frame) })
    } else if ("close" in step) socket.end(step.close, step.reason)
    yield* Effect.yieldNow
  }
})

/** An HTTP service that is asked for nothing. */
export const noHttp = FakeApi.make([])

/** One that has nothing. */
export const emptyHttp = FakeApi.serve(() => Effect.succeed(FakeApi.page([])))

/** A moment of a day, by its second. */
export const time = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, "0")}.000000000Z`

/** A trade by its number and its second. */
export const trade = (id: string, second: number, sequence?: number, name = "a-btc-usd-spot") => ({
  market: name,
  time: time(second),
  coin_metrics_id: id,
  amount: "1",
  price: "2",
  ...(sequence === undefined ? {} : { cm_sequence_id: String(sequence) })
})

/** The market of most tests. */
export const market = "a-btc-usd-spot"

/** The service breaks the connection. */
export const broken: Step = { close: 1011 }

/** Records that come at once, numbered from 0. */
export const numbered = (records: ReadonlyArray<object>): Step => ({
  frames: records.map((record, index) => ({ ...record, cm_sequence_id: String(index) }))
})

interface Placed {
  readonly market: string
  readonly time: string
}

/** Of these records those that a request asks for: of its markets, from its start to its end. */
export const within = <A extends Placed>(records: ReadonlyArray<A>, { searchParams }: URL): ReadonlyArray<A> => {
  const [markets = "", from = "", to = "~"] = ["markets", "start_time", "end_time"].map(
    (name) => searchParams.get(name) ?? undefined
  )
  return records.filter(({ market, time }) => markets.split(",").includes(market) && from <= time && time <= to)
}

/** A service that has what the function says after so many seconds of the run, of the range that is asked for. */
export const having = (shown: (second: number) => ReadonlyArray<Placed>) =>
  Effect.map(Clock.currentTimeMillis, (origin) =>
    FakeApi.serve(({ url }) =>
      Effect.map(Clock.currentTimeMillis, (millis) => {
        const records = within(shown((millis - origin) / 1_000), url)
        return url.searchParams.get("format") === "json_stream" ? FakeApi.stream(records) : FakeApi.page(records)
      })
    )
  )

/** A message in a word: `live 1`, `filled 2`, `Gap 3..4`, or its kind. */
export const word = (message: LiveMessage.LiveMessage<Live.LiveMarketTrade>): string => {
  switch (message._tag) {
    case "Data":
      return `${message.origin} ${message.record.coin_metrics_id}`
    case "Gap":
      return `gap ${message.from?.slice(17, 19)}..${message.to.slice(17, 19)} ${message.reason}`
    case "Dropped":
      return `dropped ${message.count}`
    default:
      return message._tag
  }
}
