/**
 * A storage that speaks S3, in memory, as several processes reach it. What it promises is what `ObjectStorage` assumes: each request
 * takes effect at one moment, as a whole or not at all, a list has all that took effect before it, and conditions on writes hold.
 *
 * Between a process and the storage requests fail before they take effect, or their replies are lost; some are under way for minutes,
 * and take effect whether or not who sent them still waits, runs, or has sent them again.
 */
import { Clock, Effect, Fiber, Layer, Redacted } from "effect"
import { HttpClient, HttpClientError, HttpServerResponse } from "effect/http"
import type { HttpClientRequest } from "effect/http"
import { createHash } from "node:crypto"
import { Objects } from "../../src/internal/storage/Objects.ts"
import * as S3 from "../../src/internal/storage/S3.ts"
import type { Kind, Process } from "./Process.ts"

interface Stored {
  readonly bytes: Uint8Array
  readonly modified: number
  readonly meta: Readonly<Record<string, string>>
}

interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** Names on a page of a list. */
const pageSize = 7

/**
 * Milliseconds for which few requests of a slow process are under way: it may have given them up, but no request takes effect a minute
 * after that.
 */
const ages = [0, 20_000, 50_000, 80_000] as const

/** How likely something happens to a request: once in so many. */
const rarity = 40

const tagOf = ({ bytes }: Stored) => `"${createHash("md5").update(bytes).digest("hex")}"`

const refused = (status: number, code: string): Reply => ({
  status,
  body: `<Error><Code>${code}</Code><Message>said the bucket</Message></Error>`
})

const headersOf = (stored: Stored) => ({
  ...stored.meta,
  etag: tagOf(stored),
  "last-modified": new Date(stored.modified).toUTCString()
})

/** What a request does at most of what a kill is to cut. */
const kindOf = ({ headers, method }: HttpClientRequest.HttpClientRequest, path: string): Kind | undefined => {
  if (path.includes("/.sluice/")) return /~[^/]*$/.test(path) && method === "PUT" ? "added" : undefined
  return method === "DELETE" ? "removed" : headers["x-amz-copy-source"] === undefined ? undefined : "named"
}

/** A process to which nothing happens. */
export const calm: Process = {
  number: 1,
  machine: "one",
  now: Clock.currentTimeMillis,
  turn: () => Effect.void,
  isSlow: false,
  below: () => Effect.succeed(0),
  outside: (self) => self,
  delay: Effect.void
}

/** Makes an empty storage. */
export const make = () => {
  /** By their paths, which begin with `s3://`. */
  const objects = new Map<string, Stored>()
  const uploads = new Map<string, Map<number, Uint8Array>>()
  let begun = 0

  const list = (prefix: string, after: string): Reply => {
    const found = new Map<string, string>()
    for (const path of [...objects.keys()].toSorted()) {
      if (!path.startsWith(prefix)) continue
      const end = path.indexOf("/", prefix.length) + 1
      const name = end === 0 ? path : path.slice(0, end)
      const key = `<Key>${name.replace(/^s3:\/\/[^/]*\//, "")}</Key>`
      const size = `<Size>${objects.get(path)!.bytes.length}</Size>`
      found.set(
        name,
        end === 0
          ? `<Contents>${key}${size}</Contents>`
          : `<CommonPrefixes>${key.replaceAll("Key>", "Prefix>")}</CommonPrefixes>`
      )
    }
    const left = [...found].filter(([name]) => name > after)
    const page = left.slice(0, pageSize)
    const token = Buffer.from(page.at(-1)?.[0] ?? "").toString("hex")
    const more = `<IsTruncated>true</IsTruncated><NextContinuationToken>${token}</NextContinuationToken>`
    const items = page.map(([, item]) => item).join("")
    return {
      status: 200,
      body: `<ListBucketResult>${items}${left.length > page.length ? more : ""}</ListBucketResult>`
    }
  }

  const read = (path: string, range: string | undefined, isHead: boolean): Reply => {
    const stored = objects.get(path)
    if (stored === undefined) return refused(404, "NoSuchKey")
    const [, from = 0, to = stored.bytes.length] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? []
    const bytes = range === undefined ? stored.bytes : stored.bytes.slice(Number(from), Number(to) + 1)
    const headers = { ...headersOf(stored), "content-length": String(bytes.length) }
    return { status: range === undefined ? 200 : 206, headers, ...(isHead ? {} : { body: bytes }) }
  }

  const write = (
    path: string,
    stored: Stored,
    { "if-match": tag, "if-none-match": none }: Reply["headers"] & object
  ) => {
    const found = objects.get(path)
    if (tag !== undefined && found === undefined) return refused(404, "NoSuchKey")
    if (none !== undefined ? found !== undefined : tag !== undefined && tagOf(found!) !== tag) {
      return refused(412, "PreconditionFailed")
    }
    objects.set(path, stored)
    return { status: 200, headers: { etag: tagOf(stored) } }
  }

  /** Answers a request at the moment when it takes effect. */
  const answer = (
    { method, headers }: HttpClientRequest.HttpClientRequest,
    path: string,
    query: URLSearchParams,
    body: Uint8Array,
    modified: number
  ): Reply => {
    const source = headers["x-amz-copy-source"]
    const id = query.get("uploadId")
    const upload = id === null ? undefined : uploads.get(id)
    if (id !== null && upload === undefined) return refused(404, "NoSuchUpload")
    if (method === "HEAD") return read(path, headers["range"], true)
    if (method === "GET") {
      if (!query.has("list-type")) return read(path, headers["range"], false)
      return list(`${path}${query.get("prefix")}`, Buffer.from(query.get("continuation-token") ?? "", "hex").toString())
    }
    if (method === "POST" && query.has("uploads")) {
      uploads.set(String(++begun), new Map())
      const result = `<InitiateMultipartUploadResult><UploadId>${begun}</UploadId></InitiateMultipartUploadResult>`
      return { status: 200, body: result }
    }
    if (method === "POST") {
      uploads.delete(id!)
      const parts = [...upload!].toSorted(([a], [b]) => a - b).map(([, bytes]) => bytes)
      write(path, { bytes: new Uint8Array(Buffer.concat(parts)), modified, meta: {} }, {})
      return { status: 200, body: "<CompleteMultipartUploadResult></CompleteMultipartUploadResult>" }
    }
    if (method === "DELETE") {
      if (id === null) objects.delete(path)
      else uploads.delete(id)
      return { status: 204 }
    }
    if (upload !== undefined) {
      upload.set(Number(query.get("partNumber")), body)
      return { status: 200, headers: { etag: `"${query.get("partNumber")}"` } }
    }
    if (source !== undefined) {
      const copied = objects.get(`s3:/${decodeURIComponent(source)}`)
      if (copied === undefined) return refused(404, "NoSuchKey")
      write(path, { ...copied, modified }, {})
      return { status: 200, body: "<CopyObjectResult></CopyObjectResult>" }
    }
    const meta = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("x-amz-meta-")))
    return write(path, { bytes: body, modified, meta }, headers)
  }

  /** The way of a process to the storage. */
  const http = (process: Process) =>
    HttpClient.make((request, url) =>
      Effect.gen(function* () {
        const path = `s3:/${decodeURIComponent(url.pathname)}`
        const lost = new HttpClientError.HttpClientError({
          reason: new HttpClientError.TransportError({ request, description: "the connection was reset" })
        })
        // Its memory is used again by who sends it.
        const body = request.body._tag === "Uint8Array" ? new Uint8Array(request.body.body) : new Uint8Array()
        const responseOf = ({ body, headers, status }: Reply) => {
          const bytes = typeof body === "string" ? new TextEncoder().encode(body) : (body ?? new Uint8Array())
          const response = HttpServerResponse.uint8Array(bytes, { status })
          return HttpServerResponse.toClientResponse(HttpServerResponse.setHeaders(response, headers ?? {}), {
            request
          })
        }
        yield* process.turn()
        const way = yield* process.below(rarity)
        if (way === 1) return yield* lost
        if (way === 2) return responseOf(refused(503, "SlowDown"))
        const age = way === 3 && process.isSlow ? ages[yield* process.below(ages.length)]! : 0
        const arrival = Effect.andThen(age > 0 ? process.outside(Effect.sleep(age)) : process.delay, process.now)
        // It is under way whatever becomes of the process.
        const sent = yield* Effect.forkDetach(
          Effect.map(arrival, (now) => answer(request, path, url.searchParams, body, now))
        )
        const reply = yield* Fiber.join(sent)
        yield* process.turn(kindOf(request, path))
        return way === 4 ? yield* lost : responseOf(reply)
      })
    )

  const options = {
    endpoint: "https://bucket.invalid",
    accessKeyId: "someone",
    secretAccessKey: Redacted.make("secret")
  }

  return {
    objects,
    /** The storage as a process has it. */
    layer: (process: Process) =>
      Layer.orDie(
        Layer.provide(
          Layer.effect(Objects, S3.make(options, Effect.succeed)),
          Layer.succeed(HttpClient.HttpClient, http(process))
        )
      )
  }
}
