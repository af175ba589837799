/**
 * A live service whose frames are made before they are sent: `node LiveServer.ts` serves trades, and says where.
 *
 * It knows no service and shares no code with the stand-in. Frames are written as the bytes of WebSocket frames, many in one
 * write, so that sending takes as little time as it can. `rows` says how many there are; with `pace` one is sent each so many
 * milliseconds, and holds the moment of its sending in place of its amount.
 */
import { createHash } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo, Socket } from "node:net"

const pieceSize = 65_536

const trade = (index: number, amount: string): string => {
  const time = new Date(Date.UTC(2026, 9, 1) + index).toISOString().slice(0, 23)
  return JSON.stringify({
    market: "coinbase-btc-usd-spot",
    time: `${time}000000Z`,
    coin_metrics_id: String(1_000_000 + index),
    amount,
    price: `${60_000 + (index % 997)}.${10 + (index % 89)}`,
    collect_time: `${time}123456Z`,
    side: index % 3 === 0 ? "sell" : "buy",
    cm_sequence_id: String(index)
  })
}

/** The bytes of a text frame that is not masked, as services send them. */
const frame = (text: string): Buffer => {
  const payload = Buffer.from(text)
  const head =
    payload.length < 126
      ? Buffer.from([0x81, payload.length])
      : Buffer.from([0x81, 126, payload.length >>> 8, payload.length & 0xff])
  return Buffer.concat([head, payload])
}

/** Frames from one on, as pieces of some size. */
const prepared = new Map<number, ReadonlyArray<Buffer>>()

const prepare = (rows: number): ReadonlyArray<Buffer> => {
  const known = prepared.get(rows)
  if (known !== undefined) return known
  const pieces: Array<Buffer> = []
  let frames: Array<Buffer> = []
  let size = 0
  for (let index = 0; index < rows; index++) {
    const next = frame(trade(index, `0.${1_000_000 + (index % 8_999_999)}`))
    frames.push(next)
    size += next.length
    if (size < pieceSize && index < rows - 1) continue
    pieces.push(Buffer.concat(frames))
    frames = []
    size = 0
  }
  prepared.set(rows, pieces)
  return pieces
}

const burst = (socket: Socket, rows: number) => {
  const pieces = prepare(rows)
  let index = 0
  const write = () => {
    while (index < pieces.length) if (!socket.write(pieces[index++]!)) return void socket.once("drain", write)
  }
  write()
}

const paced = (socket: Socket, rows: number, pace: number) => {
  let index = 0
  const timer = setInterval(() => {
    if (index >= rows) return clearInterval(timer)
    socket.write(frame(trade(index++, String(process.hrtime.bigint()))))
  }, pace)
  socket.on("close", () => clearInterval(timer))
}

const server = createServer((_, response) => response.writeHead(404).end())

server.on("upgrade", ({ headers, url }, socket: Socket) => {
  const accept = createHash("sha1")
    .update(`${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest("base64")
  const head = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"]
  socket.setNoDelay(true)
  socket.write(`${[...head, `Sec-WebSocket-Accept: ${accept}`].join("\r\n")}\r\n\r\n`)
  socket.on("error", () => socket.destroy())
  socket.on("data", (bytes: Buffer) => {
    // A close frame is answered with one.
    if ((bytes[0]! & 0x0f) === 8) socket.end(Buffer.from([0x88, 0]))
  })
  const query = new URL(url ?? "", "ws://localhost").searchParams
  const [rows, pace] = [Number(query.get("rows")), Number(query.get("pace"))]
  if (pace > 0) paced(socket, rows, pace)
  else burst(socket, rows)
})

server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`paid http://127.0.0.1:${port}/v4\n`)
})
process.on("SIGTERM", () => process.exit())
