import { Fault } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as Net from "node:net"
import { address } from "./Harness.ts"

/**
 * How a reply came to its end: as announced, by a reset, by a connection closed too early, by an error of a client
 * without a socket, or not at all within the time and the bytes that were allowed for.
 */
export type End = "complete" | "reset" | "closed" | "broken" | "open" | "more"

/** A reply as it came over the wire, or as the in-memory client saw it. */
export interface Exchange {
  readonly over: "socket" | "memory"
  /** 0 when there was no head. */
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Freed from its chunks. */
  readonly body: Buffer
  readonly text: string
  readonly end: End
}

/** So many bytes are read at most. */
export const MOST = 4_000_000

/** Milliseconds without a byte until a reply is left: soon where nothing more is to come. */
const patience = (headers: Readonly<Record<string, string>>) =>
  headers[Fault.header]?.includes("stall") === true ? 250 : 4000

/** Whether a reply stalls within its body: it has a head, which is waited for. */
const hasHead = (headers: Readonly<Record<string, string>>) => headers[Fault.header]?.includes("stall-after") === true

/** Milliseconds of the steps in which silence is counted. */
const step = 25

/**
 * Calls a function when nothing has come for so many milliseconds. These are counted in steps, between which the process reads what
 * there is: one that had no turn for as long has not heard silence.
 */
const onSilence = (most: number, done: () => void) => {
  let steps = 0
  const timer = setInterval(() => {
    if (++steps * step >= most) done()
  }, step)
  return {
    heard: () => {
      steps = 0
    },
    stop: () => clearInterval(timer)
  }
}

interface Unframed {
  readonly body: Buffer
  readonly isWhole: boolean
}

const unchunked = (bytes: Buffer): Unframed => {
  const parts: Array<Buffer> = []
  let at = 0
  while (true) {
    const line = bytes.indexOf("\r\n", at)
    if (line < 0) return { body: Buffer.concat(parts), isWhole: false }
    const size = Number.parseInt(bytes.toString("latin1", at, line), 16)
    const from = line + 2
    if (size === 0) return { body: Buffer.concat(parts), isWhole: bytes.length >= from + 2 }
    parts.push(bytes.subarray(from, from + size))
    at = from + size + 2
    if (at > bytes.length) return { body: Buffer.concat(parts), isWhole: false }
  }
}

const unframed = (headers: Exchange["headers"], rest: Buffer, end: End): Unframed => {
  if (headers["transfer-encoding"] === "chunked") return unchunked(rest)
  const length = headers["content-length"]
  return { body: rest, isWhole: length === undefined ? end === "closed" : rest.length >= Number(length) }
}

const parse = (bytes: Buffer, end: End): Exchange => {
  const head = bytes.indexOf("\r\n\r\n")
  if (head < 0) return { over: "socket", status: 0, headers: {}, body: bytes, text: bytes.toString(), end }
  const [first = "", ...lines] = bytes.toString("latin1", 0, head).split("\r\n")
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()])
  )
  const { body, isWhole } = unframed(headers, bytes.subarray(head + 4), end)
  return {
    over: "socket",
    status: Number(first.split(" ")[1]),
    headers,
    body,
    text: body.toString(),
    end: isWhole ? "complete" : end
  }
}

/** Sends one request over a socket of its own, and reads what comes until it ends. */
export const overSocket = (url: string, headers: Readonly<Record<string, string>> = {}): Effect.Effect<Exchange> =>
  Effect.callback<Exchange>((resume) => {
    const { host, hostname, pathname, port, search } = new URL(url)
    const socket = Net.connect(Number(port), hostname)
    const parts: Array<Buffer> = []
    let size = 0
    const done = (end: End) => {
      silence.stop()
      socket.destroy()
      resume(Effect.sync(() => parse(Buffer.concat(parts), end)))
    }
    const silence = onSilence(patience(headers), () => {
      if (!hasHead(headers) || size > 0) done("open")
    })
    socket.on("data", (part) => {
      silence.heard()
      parts.push(part)
      size += part.length
      if (size > MOST) done("more")
    })
    socket.on("error", (error) => done("code" in error && error.code === "ECONNRESET" ? "reset" : "broken"))
    socket.on("close", () => done("closed"))
    // The last reply of a connection ends with it, so that nothing has to be known of its length.
    const lines = Object.entries({ host, connection: "close", ...headers }).map(([name, value]) => `${name}: ${value}`)
    socket.write([`GET ${pathname}${search} HTTP/1.1`, ...lines, "", ""].join("\r\n"))
    return Effect.sync(() => {
      silence.stop()
      socket.destroy()
    })
  })

const collected = Effect.fnUntraced(function* (url: string, headers: Readonly<Record<string, string>>) {
  const parts: Array<Uint8Array> = []
  let size = 0
  let status = 0
  let received: Exchange["headers"] = {}
  let silence: ReturnType<typeof onSilence> | undefined
  const seen = (end: End): Exchange => {
    const body = Buffer.concat(parts)
    return { over: "memory", status, headers: received, body, text: body.toString(), end }
  }
  const read = Effect.gen(function* () {
    const response = yield* HttpClient.execute(HttpClientRequest.get(url, { headers }))
    silence?.heard()
    status = response.status
    received = response.headers
    yield* response.stream.pipe(
      Stream.takeUntil(() => size > MOST),
      Stream.runForEach((part) =>
        Effect.sync(() => {
          silence?.heard()
          parts.push(part)
          size += part.length
        })
      )
    )
    return size > MOST ? "more" : "complete"
  }).pipe(Effect.orElseSucceed((): End => "broken"))
  const fiber = yield* Effect.forkChild(read)
  yield* TestClock.adjust("1 hour")
  // Compression is done by threads that know of no virtual clock.
  const silent = Effect.callback<End>((resume) => {
    const counted = onSilence(patience(headers), () => {
      if (!hasHead(headers) || status > 0) resume(Effect.succeed("open"))
    })
    silence = counted
    return Effect.sync(counted.stop)
  })
  const end = yield* Effect.raceFirst(Fiber.join(fiber), silent)
  yield* Fiber.interrupt(fiber)
  return seen(end)
})

/** Sends one request through the in-memory client, and reads what comes within an hour of the virtual clock. */
export const inMemory = (url: string, headers: Readonly<Record<string, string>> = {}) => collected(url, headers)

/** Reads a path of the paid root under a fault that stands in a header. */
export const under = Effect.fnUntraced(function* <R>(
  send: (url: string, headers: Readonly<Record<string, string>>) => Effect.Effect<Exchange, never, R>,
  fault: string,
  path: string,
  headers: Readonly<Record<string, string>> = {}
) {
  return yield* send(yield* address(path), { ...headers, ...(fault === "" ? {} : { [Fault.header]: fault }) })
})
