/**
 * A storage that speaks S3 and is not ours (s3rver). It checks who asks, but not the signature, and knows no conditional writes: these
 * are answered before it is asked, one write at a time.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { ObjectStorage } from "@sluice/files"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Semaphore from "effect/Semaphore"
import S3rver from "s3rver"
import type { Draw } from "../../../core/test/Draw.ts"

/** Starts a storage with the bucket `data`, and tells its root. */
export const start = Effect.gen(function* () {
  const directory = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped({ prefix: "sluice-s3-" })
  const buckets = [{ name: "data", configs: [] }]
  const server = new S3rver({ address: "127.0.0.1", port: 0, silent: true, directory, configureBuckets: buckets })
  const { port } = yield* Effect.acquireRelease(
    Effect.promise(() => server.run()),
    () => Effect.promise(() => server.close())
  )
  return `http://127.0.0.1:${port}`
})

const answered = (request: HttpClientRequest.HttpClientRequest, status: number, code: string) => {
  const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>said the test</Message></Error>`
  return HttpClientResponse.fromWeb(request, new Response(body, { status }))
}

/** Names on a page of a list. */
const pageSize = 5

/** Groups the names of lists, as the storage does not find what is in folders of folders, and gives them page by page. */
const listed = (http: HttpClient.HttpClient) =>
  HttpClient.transform(http, (send, request) => {
    const url = new URL(request.url)
    const [prefix, token] = [url.searchParams.get("prefix"), Number(url.searchParams.get("continuation-token") ?? 0)]
    if (request.method !== "GET" || prefix === null) return send
    for (const name of ["delimiter", "continuation-token"]) url.searchParams.delete(name)
    return Effect.gen(function* () {
      const reply = yield* http.execute(HttpClientRequest.setUrl(request, url))
      if (reply.status !== 200) return reply
      const found = new Map<string, string>()
      for (const [, key = "", size] of (yield* reply.text).matchAll(/<Key>([^<]*)<\/Key>.*?<Size>(\d+)<\/Size>/gs)) {
        const end = key.indexOf("/", prefix.length) + 1
        const item = `<Contents><Key>${key}</Key><Size>${size}</Size></Contents>`
        if (end === 0) found.set(key, item)
        else found.set(key.slice(0, end), `<CommonPrefixes><Prefix>${key.slice(0, end)}</Prefix></CommonPrefixes>`)
      }
      const next = token + pageSize
      const more = `<IsTruncated>true</IsTruncated><NextContinuationToken>${next}</NextContinuationToken>`
      const items = [...found.values()].slice(token, next).join("")
      const body = `<ListBucketResult>${items}${next < found.size ? more : ""}</ListBucketResult>`
      return HttpClientResponse.fromWeb(request, new Response(body))
    })
  })

/** Answers conditional writes as the interface of Amazon S3 says. */
const conditional = (http: HttpClient.HttpClient, one: Semaphore.Semaphore) =>
  HttpClient.transform(http, (send, request) => {
    const { "if-match": tag, "if-none-match": none } = request.headers
    if (request.method !== "PUT" || (tag === undefined && none === undefined)) return send
    // The signature covers these headers, so the storage gets them too, and leaves them alone.
    return one.withPermit(
      Effect.gen(function* () {
        const found = tags.get(request.url)
        if (none !== undefined ? found !== undefined : found !== tag)
          return answered(request, 412, "PreconditionFailed")
        return yield* send
      })
    )
  })

/** Tags of what is there, by its URL: the storage tells them with each write. */
const tags = new Map<string, string>()

/** Sees what is written and removed. */
const watched = (http: HttpClient.HttpClient) =>
  HttpClient.transform(http, (send, request) =>
    Effect.tap(send, ({ headers, status }) =>
      Effect.sync(() => {
        const { "x-amz-copy-source": source } = request.headers
        const { origin, search } = new URL(request.url)
        if (status >= 300 || search !== "") return
        const tag = source === undefined ? headers["etag"] : tags.get(`${origin}${source.replaceAll("=", "%3D")}`)
        if (request.method === "PUT") tags.set(request.url, tag ?? "")
        if (request.method === "DELETE") tags.delete(request.url)
      })
    )
  )

/** Lets some requests fail: before they are done, or after, when their replies are lost. */
const disturbed = (http: HttpClient.HttpClient, draw: Draw | undefined) =>
  HttpClient.transform(http, (send, request) => {
    const way = draw === undefined ? 9 : draw.below(20)
    if (way === 0) return Effect.succeed(answered(request, 503, "SlowDown"))
    if (way === 1) return Effect.succeed(answered(request, 500, "InternalError"))
    const lost = new HttpClientError.HttpClientError({
      reason: new HttpClientError.TransportError({ request, description: "the connection was reset" })
    })
    return way === 2 ? Effect.andThen(send, Effect.fail(lost)) : send
  })

/** The storage as programs have it; with a draw, its requests fail now and then. */
export const layer = (root: string, draw?: Draw, accessKeyId = "S3RVER") =>
  Layer.unwrap(
    Effect.map(Semaphore.make(1), (one) => {
      const http = Layer.effect(
        HttpClient.HttpClient,
        Effect.map(HttpClient.HttpClient, (http) => disturbed(conditional(watched(listed(http)), one), draw))
      ).pipe(Layer.provide(NodeHttpClient.layerUndici))
      const options = { endpoint: root, accessKeyId, secretAccessKey: Redacted.make("S3RVER") }
      return Layer.provide(ObjectStorage.layer(options), http)
    })
  )
