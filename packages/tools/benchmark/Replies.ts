/**
 * A server of replies that are made before they are sent: `node Replies.ts [milliseconds]` serves them, and says where.
 *
 * The first request of a case waits for its replies to be made; the first round does not count. Records are kept in blocks of
 * a page, so that a longer reply shares those of a shorter one. The parameter `kind` names the records, where the path does not, `rows` how many
 * there are where no times say it. After `/revision?of=3` one record in a hundred is another than after `of=2`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import * as Records from "./Records.ts"
import { end as dataEnd, isKind, kinds } from "./Workload.ts"

const minute = 60_000
const blockSize = 10_000
const pieceSize = 65_536

interface Request {
  /** What all replies of the same records have in common. */
  readonly of: string
  readonly write: Records.WriteRecord
  readonly entities: ReadonlyArray<string>
  readonly start: number
  /** Records of each entity. */
  readonly rows: number
  /** Whether a record follows from its time, so that it is the same in every range that has it. */
  readonly isSeries: boolean
}

const requestOf = ({ pathname, searchParams: query }: URL): Request => {
  const kind = query.get("kind") ?? (pathname.endsWith(kinds.trades.path) ? "trades" : "metrics")
  if (!isKind(kind)) throw new Error(`there is no kind ${JSON.stringify(kind)}`)
  const metrics = (query.get("metrics") ?? "").split(",")
  const entities = (query.get("assets") ?? query.get("markets") ?? "all").split(",")
  const start = Date.parse(query.get("start_time") ?? "2024-01-01T00:00:00Z")
  const end = Math.min(Date.parse(query.get("end_time") ?? dataEnd), Date.parse(dataEnd))
  const last = query.get("end_inclusive") === "false" || end === Date.parse(dataEnd) ? 0 : 1
  const rows = Number(query.get("rows") ?? Math.max(0, Math.round((end - start) / minute) + last))
  // One entity has the same records, however many are asked for.
  const of = [kind, metrics, entities, start, entities.length === 1 ? "" : rows, revision].join(";")
  const write = revised(Records.writerOf(kind, metrics))
  return { of, write, entities, start, rows, isSeries: query.has("start_time") }
}

let revision = 0

/** Gives one record in two hundred, each time another, the values of a later one: with those that had them before one in a hundred changes. */
const revised = (write: Records.WriteRecord): Records.WriteRecord =>
  revision === 0
    ? write
    : (entity, row, time) => write(entity, row % 200 === revision ? row + 1_000_000 * revision : row, time)

const recordsFrom = (
  { entities, isSeries, rows, start, write }: Request,
  from: number,
  to: number
): ReadonlyArray<string> =>
  Array.from({ length: Math.max(0, to - from) }, (_, place) => {
    const [entity, row] = [Math.floor((from + place) / rows), (from + place) % rows]
    const at = start + row * minute
    const time = new Date(at).toISOString().slice(0, 19)
    return write(entities[entity]!, isSeries ? at / minute : row, `${time}.000000000Z`)
  })

/** What was made, by what it holds. */
const prepared = new Map<string, Buffer>()

const prepare = (name: string, make: () => Buffer): Buffer => {
  const known = prepared.get(name)
  if (known !== undefined) return known
  const made = make()
  prepared.set(name, made)
  return made
}

const totalOf = ({ entities, rows }: Request) => entities.length * rows

const pageOf = (request: Request, query: URLSearchParams): Buffer => {
  const total = totalOf(request)
  const size = Number(query.get("page_size"))
  // From the end only the last page is requested: to check the end of a json_stream. Its token is never sent.
  const isLast = query.get("paging_from") === "end"
  const from = Number(query.get("next_page_token") ?? (isLast ? Math.max(0, total - size) : 0))
  const to = Math.min(from + size, total)
  const hasMore = isLast ? from > 0 : to < total
  const token = hasMore ? `,"next_page_token":"${to}"` : ""
  return prepare(`${request.of};page;${from};${to};${token}`, () =>
    Buffer.from(`{"data":[${recordsFrom(request, from, to).join()}]${token}}`)
  )
}

const linesOf = (request: Request): ReadonlyArray<Buffer> => {
  const total = totalOf(request)
  const blocks: Array<Buffer> = []
  for (let from = 0; from < total; from += blockSize) {
    const to = Math.min(from + blockSize, total)
    const block = prepare(`${request.of};lines;${from};${to}`, () =>
      Buffer.from(`${recordsFrom(request, from, to).join("\n")}\n`)
    )
    blocks.push(block)
  }
  return blocks
}

/** Sends pieces as a socket takes them. */
const send = (response: ServerResponse, blocks: ReadonlyArray<Buffer>): void => {
  const pieces = blocks.flatMap((block) =>
    Array.from({ length: Math.ceil(block.length / pieceSize) }, (_, index) =>
      block.subarray(index * pieceSize, (index + 1) * pieceSize)
    )
  )
  let at = 0
  const write = () => {
    while (at < pieces.length) {
      if (!response.write(pieces[at++]!)) {
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

const reply = ({ headers, url = "" }: IncomingMessage, response: ServerResponse): void => {
  const asked = new URL(url, "http://localhost")
  const query = asked.searchParams
  if (asked.pathname.endsWith("/revision")) {
    revision = Number(query.get("of"))
    return void response.end()
  }
  const request = requestOf(asked)
  const isGzip = headers["accept-encoding"]?.includes("gzip") === true
  const encoding: Record<string, string> = isGzip ? { "content-encoding": "gzip" } : {}
  if (query.get("format") === "json_stream") {
    response.writeHead(200, { "content-type": "application/x-ndjson", ...encoding })
    const blocks = linesOf(request)
    const compressed = () =>
      prepare(`${request.of};lines;${totalOf(request)};gzip`, () => gzipSync(Buffer.concat(blocks)))
    return send(response, isGzip ? [compressed()] : blocks)
  }
  const page = pageOf(request, query)
  const body = isGzip ? prepare(`${url};gzip`, () => gzipSync(page)) : page
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length, ...encoding })
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
