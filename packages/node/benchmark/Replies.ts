/**
 * A server of asset metrics whose replies are made before they are sent: `node Replies.ts` serves them, and says where.
 *
 * It knows no service and shares no code with the stand-in. Values are as real metrics have them: long decimals for names
 * that end in a currency, counts of three to seven digits for those that end in `Cnt`, null in each fifth record for those
 * that begin with `Opt`. The first request of a case waits for its replies to be made; the first round does not count.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

const minute = 60_000
const pieceSize = 65_536

/** A linear congruential generator: the same values in every run. */
let state = 1
const next = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648)

const digits = (length: number): string => {
  let text = String(1 + (next() % 9))
  while (text.length < length) text += String(1_000_000 + (next() % 1_000_000)).slice(1)
  return text.slice(0, length)
}

const valueOf = (metric: string, index: number): string => {
  if (metric.startsWith("Opt") && index % 5 === 0) return "null"
  return metric.endsWith("Cnt") ? `"${digits(3 + (next() % 5))}"` : `"${digits(5)}.${digits(15)}"`
}

interface Request {
  readonly assets: ReadonlyArray<string>
  readonly metrics: ReadonlyArray<string>
  readonly start: number
  /** Records of each asset. */
  readonly rows: number
}

const requestOf = (query: URLSearchParams): Request => {
  const start = Date.parse(query.get("start_time") ?? "")
  const end = Date.parse(query.get("end_time") ?? "")
  const list = (name: string) => (query.get(name) ?? "").split(",")
  const last = query.get("end_inclusive") === "false" ? 0 : 1
  return { assets: list("assets"), metrics: list("metrics"), start, rows: Math.round((end - start) / minute) + last }
}

const record = ({ assets, metrics, rows, start }: Request, index: number): string => {
  const time = new Date(start + (index % rows) * minute).toISOString().slice(0, 19)
  const values = metrics.map((metric) => `,"${metric}":${valueOf(metric, index)}`)
  return `{"asset":"${assets[Math.floor(index / rows)]}","time":"${time}.000000000Z"${values.join("")}}`
}

/** Writes some records, the same ones whatever was written before. */
const recordsFrom = (request: Request, from: number, count: number): ReadonlyArray<string> => {
  state = from + 1
  const to = Math.min(from + count, request.assets.length * request.rows)
  return Array.from({ length: Math.max(0, to - from) }, (_, place) => record(request, from + place))
}

/** Bodies by URL. */
const bodies = new Map<string, Buffer>()

const bodyOf = (url: string, query: URLSearchParams): Buffer => {
  const known = bodies.get(url)
  if (known !== undefined) return known
  const request = requestOf(query)
  const total = request.assets.length * request.rows
  const size = Number(query.get("page_size"))
  // From the end only the last page is requested: to check the end of a json_stream.
  const first = query.get("paging_from") === "end" ? Math.max(0, total - size) : 0
  const from = Number(query.get("next_page_token") ?? first)
  const records = recordsFrom(request, from, size)
  const token = first === 0 && from + size < total ? `,"next_page_token":"${from + size}"` : ""
  const body = Buffer.from(`{"data":[${records.join(",")}]${token}}`)
  bodies.set(url, body)
  return body
}

const linesOf = (url: string, query: URLSearchParams): Buffer => {
  const known = bodies.get(url)
  if (known !== undefined) return known
  const request = requestOf(query)
  const total = request.assets.length * request.rows
  const parts: Array<Buffer> = []
  for (let from = 0; from < total; from += 10_000) {
    parts.push(Buffer.from(`${recordsFrom(request, from, 10_000).join("\n")}\n`))
  }
  const body = Buffer.concat(parts)
  bodies.set(url, body)
  return body
}

const sendLines = (response: ServerResponse, body: Buffer): void => {
  response.writeHead(200, { "content-type": "application/x-ndjson" })
  let at = 0
  const write = () => {
    while (at < body.length) {
      const piece = body.subarray(at, at + pieceSize)
      at += pieceSize
      if (!response.write(piece)) {
        response.once("drain", write)
        return
      }
    }
    response.end()
  }
  write()
}

/** Milliseconds before every reply. */
const latency = Number(process.argv[2] ?? 0)

const reply = (request: IncomingMessage, response: ServerResponse): void => {
  const url = request.url ?? ""
  const query = new URL(url, "http://localhost").searchParams
  if (query.get("format") === "json_stream") return sendLines(response, linesOf(url, query))
  const body = bodyOf(url, query)
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length })
  response.end(body)
}

const server = createServer((request, response) => {
  if (latency === 0) reply(request, response)
  else setTimeout(reply, latency, request, response)
})

server.listen(0, "127.0.0.1", () => {
  // Type boundary: a server on a port has an address of this form.
  const { port } = server.address() as AddressInfo
  process.stdout.write(`paid http://127.0.0.1:${port}/v4\n`)
})
process.on("SIGTERM", () => process.exit())
