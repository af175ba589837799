/**
 * A connection to PostgreSQL that can `COPY … FROM STDIN`, for a client that cannot.
 *
 * `@effect/sql-pg` speaks the protocol itself and ends a connection on which the server asks for data of a COPY. It does take
 * the connection to speak over, though. This one answers that question: the message with which the server asks is taken out of
 * what the client reads, the rows that wait are sent, and the client sees what it sees after any other statement, how
 * many rows there were. Arrays as parameters (`INSERT … SELECT FROM unnest`) need none of this; they took 1.1 to 1.3 times
 * as long as COPY for tables of four columns, and twice as long or more at forty.
 */
import { type Socket } from "node:net"
import { Duplex } from "node:stream"

/** Opens the connection below, and tells when it can be written to, or why there is none. Returns what gives it up. */
export type Connect = (opened: (error: Error | undefined, socket?: Socket) => void) => () => void

/** Connections of one client, of which one at a time copies. */
export interface CopySocket {
  /** Opens a connection, for the option `stream` of the client. */
  readonly stream: () => Duplex
  /** Gives the data of the next COPY, in its format. The next statement must be this COPY. */
  readonly load: (rows: Uint8Array) => void
}

/** Builds connections over those that `connect` opens. */
export const make = (connect: Connect): CopySocket => {
  let rows: Uint8Array | undefined

  const answer = () => {
    const given = rows
    rows = undefined
    // The server ignores the Sync that the client sent with its statement, so another ends the COPY.
    return given === undefined
      ? [message(copyFail, Buffer.from("no rows wait for this COPY\0")), message(sync, nothing)]
      : [header(copyData, given.length), given, message(copyDone, nothing), message(sync, nothing)]
  }

  return {
    load: (given) => {
      rows = given
    },
    stream: () => {
      let socket: Socket | undefined
      // What the client writes before there is a connection.
      const waiting: Array<(socket: Socket) => void> = []

      const withoutQuestions = makeFilter(() => {
        for (const part of answer()) socket?.write(part)
      })
      const giveUp = connect((error, opened) => {
        if (opened === undefined) {
          outer.destroy(error)
          return
        }
        socket = opened
        opened.on("data", (chunk: Buffer) => {
          for (const part of withoutQuestions(chunk)) if (!outer.push(part)) opened.pause()
        })
        opened.on("end", () => outer.push(null))
        opened.on("error", (error) => outer.destroy(error))
        opened.on("close", () => outer.destroy())
        for (const send of waiting) send(opened)
      })
      const outer = new Duplex({
        read: () => void socket?.resume(),
        write: (chunk: Uint8Array, _, done) => {
          if (socket === undefined) waiting.push((opened) => opened.write(chunk, done))
          else socket.write(chunk, done)
        },
        final: (done) => {
          if (socket === undefined) done()
          else socket.end(done)
        },
        destroy: (error, done) => {
          giveUp()
          socket?.destroy()
          done(error)
        }
      })
      return outer
    }
  }
}

/**
 * Builds what takes the question for rows out of the messages of a server, and tells of it. A message is a letter, the
 * length of the rest in four bytes, and the rest.
 */
const makeFilter = (asked: () => void) => {
  // Bytes of the message that are still to come, and whether they are kept from the reader.
  let left = 0
  let isQuestion = false
  let begun: Uint8Array = nothing

  return (chunk: Uint8Array): ReadonlyArray<Uint8Array> => {
    const bytes = begun.length === 0 ? chunk : Buffer.concat([begun, chunk])
    const kept: Array<Uint8Array> = []
    let from = 0
    let at = 0
    const keepUntil = (end: number) => {
      if (end > from) kept.push(bytes.subarray(from, end))
    }
    while (at < bytes.length) {
      if (left === 0) {
        if (bytes.length - at < 5) break
        const length = new DataView(bytes.buffer, bytes.byteOffset + at).getUint32(1)
        isQuestion = bytes[at] === copyInResponse
        left = 1 + length
        if (isQuestion) keepUntil(at)
      }
      const step = Math.min(left, bytes.length - at)
      at += step
      left -= step
      if (!isQuestion) continue
      from = at
      if (left === 0) asked()
    }
    keepUntil(at)
    begun = bytes.subarray(at)
    return kept
  }
}

const copyInResponse = "G".charCodeAt(0)
const copyData = "d"
const copyDone = "c"
const copyFail = "f"
const sync = "S"

const nothing = new Uint8Array(0)

const header = (letter: string, length: number) => {
  const bytes = Buffer.alloc(5)
  bytes.write(letter, "latin1")
  bytes.writeUInt32BE(length + 4, 1)
  return bytes
}

const message = (letter: string, body: Uint8Array) => Buffer.concat([header(letter, body.length), body])
