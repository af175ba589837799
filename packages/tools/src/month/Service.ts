/**
 * The service of a month: the stand-in in memory whose past changes, faults on request, and what was asked of it.
 */
import { Client, FastReader, LiveClient, Retry } from "@sluice/core"
import { type Dialect, Sandbox } from "@sluice/sandbox"
import { Clock, Context, Data, Deferred, Effect, Layer, Redacted, type Scope } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { Socket } from "effect/socket"
import * as DayClock from "./DayClock.ts"

/** What the requests of an attempt meet, and what they were. */
export interface Meeting {
  /** Fault of the first request, of the second, and so on; empty for none. */
  readonly faults: ReadonlyArray<string>
  /** Fault of every request after those; empty for none. */
  readonly always: string
  /** Path and query of each request, without the key. */
  readonly requests: Array<string>
  /** Ends before this request is sent; never where absent. */
  readonly stopsAt: number | undefined
  readonly stopped: Deferred.Deferred<void>
}

/** The service of a month. */
export interface Service {
  readonly client: Layer.Layer<Client.Client>
  readonly live: Layer.Layer<LiveClient.LiveClient>
  /** Begins a run, with the faults of its first requests and of all others, and the number of the request that it ends before. */
  readonly meet: (faults: ReadonlyArray<string>, always: string, stopsAt?: number) => Effect.Effect<Meeting>
  /** How many records it has sent since it started. */
  readonly sent: Effect.Effect<number>
  /** Reads a series as it is, without the client. */
  readonly read: (
    path: string,
    query: Readonly<Record<string, string>>
  ) => Effect.Effect<ReadonlyArray<Row>, Unreadable>
}

/** A record as it is sent. */
export type Row = Readonly<Record<string, unknown>>

/** A plain read that failed. */
export class Unreadable extends Data.TaggedError("Unreadable")<{
  readonly url: string
  readonly text: string
  readonly status: number
}> {
  override get message() {
    return `${this.url}: ${this.status} ${this.text}`
  }
}

interface Page {
  readonly data: ReadonlyArray<Row>
  readonly next_page_token?: string
}

const begin: Service["meet"] = (faults, always, stopsAt) =>
  Effect.map(Deferred.make<void>(), (stopped) => ({ faults, always, requests: [], stopsAt, stopped }))

/** Starts the service at a moment, as the better supported answers to open questions have it where no dialect is given. */
export const start = Effect.fnUntraced(function* (
  history: Sandbox.HistoryOptions,
  moment: DayClock.Moment,
  dialect: Partial<Dialect.Dialect> = {}
): Effect.fn.Return<Service, never, Scope.Scope> {
  const real = yield* Clock.Clock
  const standing = DayClock.ofService(real, moment)
  const live = { from: moment.now, httpLag: 0 }
  const made = yield* Layer.build(Sandbox.layerMemory({ history, live, dialect })).pipe(
    Effect.provideService(Clock.Clock, standing)
  )
  const sandbox = Context.get(made, Sandbox.Sandbox)
  const http = Context.get(made, HttpClient.HttpClient).pipe(
    HttpClient.transformResponse(Effect.provideService(Clock.Clock, standing))
  )
  let meeting = yield* begin([], "")
  const faulty = HttpClient.mapRequestEffect(
    http,
    Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
      const { always, faults, requests, stopped, stopsAt } = meeting
      if (requests.length === stopsAt) {
        yield* Deferred.succeed(stopped, undefined)
        return yield* Effect.never
      }
      const fault = faults[requests.length] ?? always
      const query = new URLSearchParams(request.urlParams.params.map(([name, value]) => [name, String(value)]))
      query.delete("api_key")
      requests.push(`${request.url.replace(sandbox.url, "")}?${query}`)
      return fault === "" ? request : HttpClientRequest.setHeader(request, "x-sandbox-fault", fault)
    })
  )
  const client = Client.layer({
    root: sandbox.url,
    apiKey: Redacted.make("demo-key"),
    retry: Retry.make({ times: 2, base: "1 millis", within: "1 second" })
  }).pipe(Layer.provide(Layer.merge(Layer.succeed(HttpClient.HttpClient, faulty), FastReader.layer)), Layer.orDie)

  const sockets = Layer.succeed(Socket.WebSocketConstructor, Context.get(made, Socket.WebSocketConstructor))
  const streams = LiveClient.layer({ root: sandbox.streamUrl }).pipe(
    Layer.provide(Layer.merge(sockets, client)),
    Layer.orDie
  )

  const page = Effect.fnUntraced(function* (url: string) {
    const response = yield* Effect.orDie(http.get(url))
    const text = yield* Effect.orDie(response.text)
    if (response.status !== 200) return yield* new Unreadable({ url, text, status: response.status })
    // Type boundary: what the stand-in sends is compared, whatever it is.
    return JSON.parse(text) as Page
  })
  const read: Service["read"] = Effect.fnUntraced(function* (path, query) {
    const fixed = { ...query, api_key: "demo-key", paging_from: "start", page_size: "10000" }
    const rows: Array<Row> = []
    let token: string | undefined
    do {
      const more = token === undefined ? {} : { next_page_token: token }
      const next: Page = yield* page(`${sandbox.url}${path}?${new URLSearchParams({ ...fixed, ...more })}`)
      for (const row of next.data) rows.push(row)
      token = next.next_page_token
    } while (token !== undefined)
    return rows
  })
  return {
    client,
    live: streams,
    meet: (...how) => Effect.tap(begin(...how), (begun) => Effect.sync(() => void (meeting = begun))),
    sent: Effect.map(sandbox.stats, ({ records }) => records),
    read
  }
})
