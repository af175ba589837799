/**
 * The HTTP client: sends requests under the quota, retries them where that may help, and turns every failure into an
 * `ApiError`.
 */
import type { ConfigError } from "effect/Config"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Gzip from "./Gzip.ts"
import * as Account from "./Account.ts"
import type { Misconfigured } from "./ApiError.ts"
import * as Defaults from "./Defaults.ts"
import * as Environment from "./Environment.ts"
import * as Settings from "./internal/account/Settings.ts"
import * as Engine from "./internal/http/Engine.ts"
import * as Exchange from "./internal/http/Exchange.ts"
import * as PageRequest from "./internal/http/PageRequest.ts"
import * as Reader from "./internal/wire/Reader.ts"
import { Explain } from "./internal/http/Failure.ts"
import * as MemoryQuota from "./MemoryQuota.ts"
import * as Quota from "./Quota.ts"
import * as Retry from "./Retry.ts"

/** Reads the service. Every endpoint needs this and nothing else. */
export class Client extends Context.Service<
  Client,
  {
    /** The root, the key and the deprecation policy. */
    readonly account: Account.Account["Service"]
    /** The budget shared by all streams of this client. */
    readonly quota: Quota.Quota["Service"]
    /** The client's own retry policy. */
    readonly retry: Retry.Policy
    /** What to do about records that are repeated or out of order. */
    readonly onDisorder: DisorderPolicy
  }
>()("@sluice/core/Client") {}

/**
 * What to do about records that are repeated or out of order. `warn` logs one warning per stream, with both records, and
 * emits all. `fail` emits the records before the first such record (for `pages`: the pages before it) and fails with
 * `Decode`. `ignore` compares nothing.
 *
 * **Details**
 *
 * With `warn`, only the first and the last record of each batch are compared with each other and with the batch before. A
 * batch is a page, or 16 to 64 KiB of it or of a json_stream. With `fail`, every record is compared with the one before it, which
 * takes 6 to 7 % of the time of parsing. In a series by entity this finds every record that is repeated or out of order.
 *
 * **Gotchas**
 *
 * In a series sorted by time or height, a record is compared only with the one before it, so entities may be repeated or
 * mixed at one time. In a list without a documented order, three errors are found: the same record twice in a row, a page
 * that begins with one of the 100 records before it, and a page that begins like the page before it. Other repetitions in a
 * list and missing records are not found.
 */
export type DisorderPolicy = "warn" | "fail" | "ignore"

/** Limits on what is read, so that memory and time stay bounded whatever a server sends. In bytes unless said otherwise. */
export interface Limits {
  /**
   * The bytes of a page. A larger page fails with `Decode` and is not requested again. Default: 8 MiB and 512 bytes for each
   * field of each record, up to 256 MiB; 256 MiB for a catalog, which comes in one reply.
   *
   * Two limits cannot be changed: a single record above 8 MiB fails with `Decode`, and so does a page with more records than
   * the largest page of the endpoint (usually 10,000), because a service may ignore a smaller `page_size`. A catalog may have
   * any number of records.
   */
  readonly maxPageBytes?: number | undefined
  /**
   * The bytes of all pages that are being received at once. When it is reached, only the page that began first is read
   * further, up to its own limit. The others wait and keep their sockets and permits. Pages already received do not count.
   * Default {@link Defaults.maxReceivingBytes}.
   */
  readonly maxReceivingBytes?: number | undefined
  /**
   * The bytes of a line of a json_stream. A longer line fails with `Decode`. Default {@link Defaults.maxLineBytes}; it may be
   * set larger, unlike the 8 MiB for a record of a page.
   */
  readonly maxLineBytes?: number | undefined
  /** The bytes of an error body; the rest is not read. Default {@link Defaults.maxErrorBytes}. */
  readonly maxErrorBytes?: number | undefined
  /**
   * Consecutive empty pages that have a next page. More fail with `Decode`, because the pages might never end. Default
   * {@link Defaults.maxEmptyPages}.
   */
  readonly maxEmptyPages?: number | undefined
}

/** Settings of {@link layerNoDeps}: those of a client besides its account and its quota. */
export interface ReadOptions {
  /** When to retry a request. Default `Retry.standard`. */
  readonly retry?: Retry.Policy | undefined
  /** What to do about records that are repeated or out of order. Default {@link Defaults.onDisorder}. */
  readonly onDisorder?: DisorderPolicy | undefined
  /** The longest wait for the head of a reply. Default {@link Defaults.firstByte}. */
  readonly firstByte?: Duration.Input | undefined
  /** The longest wait between two chunks of a body. Default {@link Defaults.idle}. */
  readonly idle?: Duration.Input | undefined
  /**
   * The minimum rate of a body, in bytes per second, averaged over a minute of waiting for it. A slower body fails with
   * `Unavailable` and is retried. Unpacked bytes count; the time a slow reader takes does not. Default
   * {@link Defaults.minBytesPerSecond}; 0 for any rate.
   */
  readonly minBytesPerSecond?: number | undefined
  /** Limits on what is read of one reply. */
  readonly limits?: Limits | undefined
}

/** Settings of {@link layer}: those of the account, of the quota, and of reading. */
export interface Options extends Account.Options, MemoryQuota.Options, ReadOptions {}

/** A client, its account and its quota. */
export type Services = Client | Account.Account | Quota.Quota

type Make = (options?: Options) => Effect.Effect<Client["Service"], Misconfigured, HttpClient.HttpClient | Scope.Scope>

/**
 * Builds a client over the provided `HttpClient`, with an account and a quota of its own.
 *
 * Fails with `Misconfigured` when the root is no http(s) URL, when it needs a key and none is given, or when a number in
 * `options` is out of range.
 */
export const make: Make = /* @__PURE__ */ Effect.fnUntraced(function* (options: Options = {}) {
  const account = yield* Account.make(options)
  const quota = yield* MemoryQuota.make(options)
  return yield* makeOver(account, quota, options)
})

const makeOver = Effect.fnUntraced(function* (
  account: Account.Account["Service"],
  quota: Quota.Quota["Service"],
  options: ReadOptions
) {
  yield* check(options)
  const { limits = {}, onDisorder = Defaults.onDisorder, retry = Retry.standard } = options
  const {
    maxEmptyPages = Defaults.maxEmptyPages,
    maxErrorBytes = Defaults.maxErrorBytes,
    maxLineBytes = Defaults.maxLineBytes,
    maxReceivingBytes = Defaults.maxReceivingBytes
  } = limits
  const exchange = yield* Exchange.make({
    // Ties the socket to a scope, with which a body that is not read to its end is closed.
    http: HttpClient.withScope(yield* HttpClient.HttpClient),
    account,
    quota,
    firstByte: options.firstByte ?? Defaults.firstByte,
    idle: options.idle ?? Defaults.idle,
    minBytesPerSecond: options.minBytesPerSecond ?? Defaults.minBytesPerSecond,
    explain: yield* Explain,
    maxErrorBytes
  })
  const reader = yield* Reader.Reader
  return Engine.attach(Client.of({ account, quota, retry, onDisorder }), {
    limits: { maxLineBytes, maxEmptyPages },
    ...exchange,
    ...PageRequest.make({
      open: exchange.open,
      retry,
      parallel: quota.parallel,
      maxPageBytes: limits.maxPageBytes,
      maxReceivingBytes,
      reader
    }),
    decompress: yield* Gzip.Decompressor,
    reader
  })
})

/** Refuses settings that would make every call hang or fail. */
const check = ({ firstByte, idle, limits = {}, minBytesPerSecond = 0 }: ReadOptions) =>
  Settings.check([
    ...Object.entries(limits).map(([name, most = 1]): Settings.Rule => {
      const what = name === "maxEmptyPages" ? "pages" : "bytes"
      return [`limits.${name}`, most >= 1, `expected ${what}, at least one`]
    }),
    Settings.timeout("firstByte", firstByte),
    Settings.timeout("idle", idle),
    ["minBytesPerSecond", minBytesPerSecond >= 0 && minBytesPerSecond < Infinity, "expected a finite number, 0 for any"]
  ])

/** Provides a {@link Client} over an `HttpClient`, together with an account and a quota of its own. */
export const layer = (options: Options = {}): Layer.Layer<Services, Misconfigured, HttpClient.HttpClient> =>
  Layer.provideMerge(layerNoDeps(options), Layer.merge(Account.layer(options), MemoryQuota.layer(options)))

/**
 * Provides a {@link Client} over an account and a quota of your own: one account for several clients, or a quota that several
 * processes share.
 *
 * ```ts
 * Client.layerNoDeps().pipe(Layer.provide([Account.layerConfig(), myQuota, NodeClient.layerHttp()]))
 * ```
 *
 * Reads nothing from the environment, as {@link layer}; {@link layerConfigNoDeps} does.
 */
export const layerNoDeps = (
  options: ReadOptions = {}
): Layer.Layer<Client, Misconfigured, Account.Account | Quota.Quota | HttpClient.HttpClient> =>
  Layer.effect(
    Client,
    Effect.gen(function* () {
      return yield* makeOver(yield* Account.Account, yield* Quota.Quota, options)
    })
  )

/**
 * Provides a {@link Client} from the environment, as {@link layer} does.
 *
 * **Details**
 *
 * Reads what `Account.layerConfig` and `MemoryQuota.layerConfig` read, and `SLUICE_ON_DISORDER` (`warn`, `fail` or
 * `ignore`), `SLUICE_FIRST_BYTE_TIMEOUT` and `SLUICE_IDLE_TIMEOUT` (such as `30 seconds`, or `Infinity`),
 * `SLUICE_MIN_BYTES_PER_SECOND` (bytes a second), `SLUICE_MAX_PAGE_BYTES`, `SLUICE_MAX_LINE_BYTES` and
 * `SLUICE_MAX_EMPTY_PAGES` (`limits`). Fails with `Misconfigured`, which names the variable, when a value is invalid. Values
 * in `options` take precedence.
 */
export const layerConfig = (
  options: Options = {}
): Layer.Layer<Services, Misconfigured | ConfigError, HttpClient.HttpClient> =>
  Layer.unwrap(Effect.map(fromConfig(options), layer))

/**
 * Provides a {@link Client} over an account and a quota of your own, as {@link layerNoDeps} does, from the environment: reads
 * the variables of {@link layerConfig} that neither account nor quota has.
 */
export const layerConfigNoDeps = (
  options: ReadOptions = {}
): Layer.Layer<Client, Misconfigured | ConfigError, Account.Account | Quota.Quota | HttpClient.HttpClient> =>
  Layer.unwrap(Effect.map(readFromConfig(options), (read) => layerNoDeps({ ...options, ...read })))

/** The settings {@link layerConfig} reads, for layers that build on it. */
export const fromConfig = (options: Options = {}): Effect.Effect<Options, Misconfigured | ConfigError> => {
  const parts = [Account.fromConfig(options), MemoryQuota.fromConfig(options), readFromConfig(options)] as const
  return Effect.map(Effect.all(parts), ([account, quota, read]) => ({ ...options, ...account, ...quota, ...read }))
}

const readFromConfig = (options: ReadOptions): Effect.Effect<ReadOptions, Misconfigured | ConfigError> => {
  const { limits } = options
  return Effect.map(environment(), (read) => ({
    onDisorder: options.onDisorder ?? read.onDisorder,
    firstByte: options.firstByte ?? read.firstByte,
    idle: options.idle ?? read.idle,
    minBytesPerSecond: options.minBytesPerSecond ?? read.minBytesPerSecond,
    limits: {
      ...limits,
      maxPageBytes: limits?.maxPageBytes ?? read.maxPageBytes,
      maxLineBytes: limits?.maxLineBytes ?? read.maxLineBytes,
      maxEmptyPages: limits?.maxEmptyPages ?? read.maxEmptyPages
    }
  }))
}

// A function, so that a bundler can leave it out of programs that read no environment.
const environment = () =>
  Effect.all({
    onDisorder: Environment.read("ON_DISORDER", "onDisorder", Environment.word(["warn", "fail", "ignore"])),
    firstByte: Environment.read("FIRST_BYTE_TIMEOUT", "firstByte", Environment.timeout),
    idle: Environment.read("IDLE_TIMEOUT", "idle", Environment.timeout),
    minBytesPerSecond: Environment.read(
      "MIN_BYTES_PER_SECOND",
      "minBytesPerSecond",
      Environment.number(0, "bytes a second")
    ),
    maxPageBytes: Environment.read("MAX_PAGE_BYTES", "limits.maxPageBytes", Environment.count),
    maxLineBytes: Environment.read("MAX_LINE_BYTES", "limits.maxLineBytes", Environment.count),
    maxEmptyPages: Environment.read("MAX_EMPTY_PAGES", "limits.maxEmptyPages", Environment.count)
  })

/** The state of the current client's quota: plan, limit, remaining and reset. */
export const quota: Effect.Effect<Quota.State, never, Client> = /* @__PURE__ */ Effect.flatMap(
  Client,
  (client) => client.quota.state
)

/** The state of the quota now and after every change. */
export const quotaChanges: Stream.Stream<Quota.State, never, Client> = /* @__PURE__ */ Stream.unwrap(
  /* @__PURE__ */ Effect.map(Client, (client) => client.quota.changes)
)
