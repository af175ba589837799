/**
 * Requests to a storage that speaks S3, signed by `aws4fetch`.
 *
 * A request without a reply, and one with a status of 429 or from 500 on, is repeated. Where a conditional write is refused after that,
 * the first attempt may have been done although its reply was lost: a number that each such write has for itself shows whether it was.
 */
import { AwsV4Signer } from "aws4fetch"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Xml from "effect/encoding/Xml"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { HttpMethod } from "effect/http/HttpMethod"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { randomUUID } from "node:crypto"
import { Misconfigured } from "@sluice/core/ApiError"
import { FileFailed } from "./FileError.ts"
import type { Condition, Info, Listed, Objects, Whole } from "./Objects.ts"

/** Where the storage is, and who asks. */
export interface Options {
  /** URL of the service; that of Amazon S3 in the region by default. Buckets are the first part of its paths. */
  readonly endpoint?: string | undefined
  /** `us-east-1` by default, which other services mostly take. */
  readonly region?: string | undefined
  /** The id of the key. */
  readonly accessKeyId: string
  /** The secret of the key, which is never shown. */
  readonly secretAccessKey: Redacted.Redacted
  /** Of temporary credentials. */
  readonly sessionToken?: Redacted.Redacted | undefined
}

/** A request; `path` is the address of its object, as errors name it. */
interface Request {
  readonly operation: "read" | "write" | "remove"
  readonly path: string
  readonly method: HttpMethod
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | undefined
}

interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly bytes: Uint8Array
  /** Whether an earlier attempt may have been done. */
  readonly isRepeated: boolean
}

/** The longest wait for one reply, in seconds. Of 8 MiB a slow line sends 70 kB a second. What is removed is mostly so at an end. */
const patienceOf = ({ body, method }: Request) =>
  (body?.length ?? 0) > 65_536 || method === "GET" ? 120 : method === "DELETE" ? 10 : 30

const attempts = Schedule.exponential("100 millis").pipe(Schedule.jittered, Schedule.upTo({ times: 6 }))

const partsOf = (path: string) => {
  const [, bucket = "", key = ""] = /^s3:\/\/([^/]*)\/?(.*)$/s.exec(path) ?? []
  return { bucket, key }
}

const escaped = (key: string) => key.split("/").map(encodeURIComponent).join("/")

const infoOf = ({ headers }: Reply, size: number): Info => ({
  size,
  modified: Option.match(DateTime.make(headers["last-modified"] ?? ""), {
    onNone: () => 0,
    onSome: DateTime.toEpochMillis
  }),
  tag: headers["etag"] ?? "",
  mark: headers["x-amz-meta-sluice"] ?? ""
})

const conditionOf = (condition: Condition | undefined): Readonly<Record<string, string>> =>
  condition === undefined ? {} : condition === "absent" ? { "if-none-match": "*" } : { "if-match": condition.tag }

/** Kept with an object, by which a conditional write knows its own. */
const writeHeader = "x-amz-meta-sluice-write"

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** The root of a document; nothing of what is none. */
const rootOf = (bytes: Uint8Array) =>
  bytes.length === 0
    ? Effect.undefined
    : Stream.make(textOf(bytes)).pipe(
        Stream.pipeThroughChannel(Xml.decodeString()),
        Stream.pipeThroughChannel(Xml.elements(["*"])),
        Stream.runHead,
        Effect.map(Option.getOrUndefined),
        Effect.orElseSucceed(() => undefined)
      )

const below = ({ children }: Xml.Element, name: string) =>
  children.filter((child): child is Xml.Element => !Predicate.isString(child) && child.name === name)

const wordIn = (element: Xml.Element | undefined, name: string) =>
  element === undefined ? undefined : below(element, name)[0]?.children.filter(Predicate.isString).join("")

/** Codes of the system for those of the storage, as far as callers ask for them. */
const codes: Readonly<Record<string, string>> = {
  NoSuchKey: "ENOENT",
  "404": "ENOENT",
  AccessDenied: "EACCES",
  "403": "EACCES"
}

const failed = (request: Request, code: string | undefined, reason: string) =>
  new FileFailed({
    operation: request.operation,
    path: request.path,
    code: code === undefined ? undefined : (codes[code] ?? code),
    reason
  })

/** The error of a reply. Of its text only code and message are told, which name no credentials. */
const refusal = (request: Request, { bytes, status }: Reply): Effect.Effect<never, FileFailed> =>
  Effect.flatMap(rootOf(bytes), (error) => {
    const code = wordIn(error, "Code") ?? String(status)
    return Effect.fail(failed(request, code, wordIn(error, "Message") ?? `the storage answered ${status}`))
  })

/** Some operations begin their reply with 200 before they have failed. */
const hasFailed = ({ method }: Request, { bytes }: Reply) =>
  method !== "GET" && bytes.length < 65_536 && textOf(bytes).includes("<Error>")

export type Sign = (request: HttpClientRequest.HttpClientRequest) => Effect.Effect<HttpClientRequest.HttpClientRequest>

/** Signs as Amazon wants it. */
const signer = (options: Options, region: string): Sign =>
  Effect.fnUntraced(function* (request) {
    const now = DateTime.formatIso(DateTime.makeUnsafe(yield* Clock.currentTimeMillis))
    const { headers, method, url } = request
    const signer = new AwsV4Signer({
      method,
      url,
      headers: { ...headers },
      service: "s3",
      region,
      datetime: now.replaceAll(/[:-]|\.\d{3}/g, ""),
      accessKeyId: options.accessKeyId,
      secretAccessKey: Redacted.value(options.secretAccessKey),
      ...(options.sessionToken === undefined ? {} : { sessionToken: Redacted.value(options.sessionToken) })
    })
    // Type boundary: the signer computes with the platform's digests, which are promises, and has no other way to fail.
    const signed = yield* Effect.promise(() => signer.sign())
    return request.pipe(
      HttpClientRequest.setUrl(String(signed.url)),
      HttpClientRequest.setHeaders(Object.fromEntries(signed.headers))
    )
  })

export const make = Effect.fnUntraced(function* (options: Options, given?: Sign) {
  const http = yield* HttpClient.HttpClient
  const region = options.region ?? "us-east-1"
  const root = (options.endpoint ?? `https://s3.${region}.amazonaws.com`).replace(/\/+$/, "")
  for (const setting of ["accessKeyId", "secretAccessKey", "sessionToken", "region"] as const) {
    const value = options[setting] ?? "none"
    const text = Redacted.isRedacted(value) ? Redacted.value(value) : value
    // Never quoted, also not by whoever signs a request.
    if (!/^[\x21-\x7e]+$/.test(text)) {
      return yield* new Misconfigured({
        setting,
        reason: "has a character that no request may have, such as a line break"
      })
    }
  }
  if (!/^https?:\/\/./.test(root) || !URL.canParse(root)) {
    return yield* new Misconfigured({ setting: "endpoint", reason: "is no URL that begins with https:// or http://" })
  }

  const { host } = new URL(root)
  const sign = given ?? signer(options, region)

  const made = ({ body, headers = {}, key, method, path, query = {} }: Request) => {
    const { bucket, key: own } = partsOf(path)
    const words = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    const url = `${root}/${bucket}/${escaped(key ?? own)}${words.length === 0 ? "" : `?${words.join("&")}`}`
    const request = HttpClientRequest.make(method)(url, { headers })
    return body === undefined ? request : HttpClientRequest.bodyUint8Array(request, body)
  }

  /** Sends a request, and gives any reply that is not retried. */
  const send = (request: Request): Effect.Effect<Reply, FileFailed> => {
    let sent = 0
    const once = Effect.gen(function* () {
      sent += 1
      // Who traces requests to the service does not show it to the storage.
      const sending = http.execute(yield* sign(made(request)))
      const response = yield* Effect.provideService(sending, HttpClient.TracerPropagationEnabled, false)
      const bytes = new Uint8Array(yield* response.arrayBuffer)
      const { headers, status } = response
      const reply: Reply = { status, headers, bytes, isRepeated: sent > 1 }
      if (status >= 500 || status === 429 || (status === 200 && hasFailed(request, reply))) {
        return yield* refusal(request, reply)
      }
      return reply
    }).pipe(
      Effect.timeout(`${patienceOf(request)} seconds`),
      Effect.catchTags({
        HttpClientError: ({ reason }) => Effect.fail(failed(request, reason._tag, `${host} did not answer`)),
        TimeoutError: () =>
          Effect.fail(failed(request, "Timeout", `${host} did not answer within ${patienceOf(request)} seconds`))
      })
    )
    // What was interrupted could still be done, after whatever follows.
    const whole = request.method === "GET" || request.method === "HEAD" ? once : Effect.uninterruptible(once)
    return Effect.retry(whole, attempts)
  }

  const succeeded = (request: Request): Effect.Effect<Reply, FileFailed> =>
    Effect.flatMap(send(request), (reply) => (reply.status < 300 ? Effect.succeed(reply) : refusal(request, reply)))

  /** The document that a reply is. */
  const document = Effect.fnUntraced(function* (request: Request, name: string) {
    const reply = yield* succeeded(request)
    const found = yield* rootOf(reply.bytes)
    return found?.name === name ? found : yield* refusal(request, reply)
  })

  const ifThere = (request: Request) =>
    Effect.flatMap(send(request), (reply): Effect.Effect<Reply | undefined, FileFailed> => {
      if (reply.status < 300) return Effect.succeed(reply)
      return Effect.catchIf(
        refusal(request, reply),
        ({ code }) => code === "ENOENT",
        () => Effect.undefined
      )
    })

  const get: Objects["get"] = Effect.fnUntraced(function* (path, range) {
    const headers = range === undefined ? {} : { range: `bytes=${range.from}-${range.to - 1}` }
    const request: Request = { operation: "read", path, method: "GET", headers }
    const reply = yield* ifThere(request)
    if (reply === undefined) return undefined
    // Whoever does not know ranges sends all of it.
    const bytes = range !== undefined && reply.status === 200 ? reply.bytes.subarray(range.from, range.to) : reply.bytes
    const expected =
      range === undefined ? Number(reply.headers["content-length"] ?? bytes.length) : range.to - range.from
    if (bytes.length !== expected)
      return yield* failed(request, undefined, `${host} sent ${bytes.length} bytes of ${expected}`)
    const whole: Whole = { ...infoOf(reply, bytes.length), bytes }
    return whole
  })

  const head: Objects["head"] = Effect.fnUntraced(function* (path) {
    const reply = yield* ifThere({ operation: "read", path, method: "HEAD" })
    if (reply === undefined) return undefined
    const { "content-length": length } = reply.headers
    // A service that does not tell the size of an object sends its bytes.
    return length === undefined ? yield* get(path) : infoOf(reply, Number(length))
  })

  const put: Objects["put"] = Effect.fnUntraced(function* (path, bytes, { condition, mark } = {}) {
    const own = condition === undefined ? {} : { [writeHeader]: randomUUID() }
    const marked = mark === undefined ? {} : { "x-amz-meta-sluice": mark }
    const headers = { ...conditionOf(condition), ...marked, ...own }
    const request: Request = { operation: "write", path, method: "PUT", headers, body: bytes }
    const reply = yield* send(request)
    if (reply.status < 300) return reply.headers["etag"] ?? ""
    // Two conditional writes at the same time are a 409 for one of them.
    if (reply.status === 409) return yield* failed(request, "PreconditionFailed", "another write came at the same time")
    const isRefused = reply.status === 412
    const found =
      isRefused && reply.isRepeated ? yield* ifThere({ operation: "read", path, method: "HEAD" }) : undefined
    if (found !== undefined && found.headers[writeHeader] === own[writeHeader]) return found.headers["etag"] ?? ""
    return yield* refusal(request, reply)
  })

  const copy: Objects["copy"] = (from, to) => {
    const { bucket, key } = partsOf(from)
    // Some services do not read an escaped "=" here, which needs no escape.
    const headers = { "x-amz-copy-source": `/${bucket}/${escaped(key).replaceAll("%3D", "=")}` }
    return Effect.asVoid(document({ operation: "write", path: to, method: "PUT", headers }, "CopyObjectResult"))
  }

  const remove: Objects["remove"] = (path) => Effect.asVoid(ifThere({ operation: "remove", path, method: "DELETE" }))

  const list: Objects["list"] = Effect.fnUntraced(function* (path) {
    const { key: prefix } = partsOf(path)
    const folder = prefix.lastIndexOf("/") + 1
    const all: Array<Listed> = []
    for (let token: string | undefined = ""; token !== undefined;) {
      const query: Record<string, string> = {
        "list-type": "2",
        delimiter: "/",
        prefix,
        ...(token === "" ? {} : { "continuation-token": token })
      }
      const found: Xml.Element = yield* document(
        { operation: "read", path, method: "GET", key: "", query },
        "ListBucketResult"
      )
      for (const one of below(found, "Contents")) {
        const name = (wordIn(one, "Key") ?? "").slice(folder)
        if (name !== "") all.push({ name, isFolder: false, size: Number(wordIn(one, "Size")) })
      }
      for (const one of below(found, "CommonPrefixes")) {
        all.push({ name: (wordIn(one, "Prefix") ?? "").slice(folder, -1), isFolder: true, size: 0 })
      }
      const next = wordIn(found, "NextContinuationToken")
      const isCut = wordIn(found, "IsTruncated") === "true"
      if (isCut && (next === undefined || next === token)) {
        return yield* failed({ operation: "read", path, method: "GET" }, undefined, "the list is cut")
      }
      token = isCut ? next : undefined
    }
    return all
  })

  const upload: Objects["upload"] = Effect.fnUntraced(function* (path) {
    const operation = "write"
    const tags: Array<string> = []
    let [size, isFinished] = [0, false]
    const begin = document({ operation, path, method: "POST", query: { uploads: "" } }, "InitiateMultipartUploadResult")
    const query = yield* Effect.acquireRelease(
      Effect.map(begin, (begun) => ({ uploadId: wordIn(begun, "UploadId") ?? "" })),
      (query) => (isFinished ? Effect.void : Effect.ignore(send({ operation, path, method: "DELETE", query })))
    )
    return {
      add: Effect.fnUntraced(function* (body: Uint8Array) {
        const part = { partNumber: String(tags.length + 1), ...query }
        size += body.length
        tags.push((yield* succeeded({ operation, path, method: "PUT", query: part, body })).headers["etag"] ?? "")
      }),
      finish: Effect.gen(function* () {
        const parts = tags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${tag}</ETag></Part>`)
        const body = new TextEncoder().encode(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`)
        const reply = yield* document(
          { operation, path, method: "POST", query, body },
          "CompleteMultipartUploadResult"
        ).pipe(
          // Its reply was lost, and it is complete.
          Effect.catchIf(
            ({ code }) => code === "NoSuchUpload",
            (error) =>
              Effect.flatMap(head(path), (found) => (found?.size === size ? Effect.undefined : Effect.fail(error)))
          )
        )
        isFinished = true
        return reply
      }).pipe(Effect.asVoid)
    }
  })

  const objects: Objects = { head, get, put, copy, remove, list, upload }
  return objects
})
