/**
 * One quota for several processes: in Redis or Valkey for processes of many machines, in a file for those of one.
 *
 * **Example** (Sharing the quota through Redis)
 *
 * ```ts
 * const quota = NodeQuota.layer({ quotaStore: Redacted.make("redis://cache.example:6379") })
 * Client.layerNoDeps().pipe(
 *   Layer.provideMerge(quota),
 *   Layer.provideMerge(Account.layerConfig()),
 *   Layer.provide(NodeClient.layerHttp())
 * )
 * ```
 */
import "./internal/runtime/NodeVersion.ts"
import * as Account from "@sluice/core/Account"
import type { Misconfigured } from "@sluice/core/ApiError"
import * as Environment from "@sluice/core/Environment"
import * as MemoryQuota from "@sluice/core/MemoryQuota"
import type { Quota } from "@sluice/core/Quota"
import type { QuotaStore } from "@sluice/core/QuotaStore"
import type { Options as SharedOptions } from "@sluice/core/SharedQuota"
import type { ConfigError } from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { createHmac } from "node:crypto"
import * as Address from "./internal/quota/Address.ts"

/** Settings of {@link layer}. */
export interface Options extends SharedOptions {
  /**
   * Where the quota is kept. `redis://[user:password@]host[:port][/database]`, `rediss://…` over TLS, `unix:///path` for a
   * socket of this machine; `local` for a file that processes of this user share, `local:/folder` for a file in a folder;
   * absent for the memory of this process.
   */
  readonly quotaStore?: Redacted.Redacted | undefined
}

/**
 * The name under which a store keeps the quota of an account: a hash of the root, keyed with the API key. It tells neither.
 *
 * **Gotchas**
 *
 * A root without a key counts requests by address. All machines that share a store share one name for it, and so one window, even
 * if they reach the service from several addresses.
 */
export const nameOf = ({ apiKey, root }: Pick<Account.Account["Service"], "apiKey" | "root">): string =>
  createHmac("sha256", apiKey === undefined ? "" : Redacted.value(apiKey))
    .update(`sluice quota\n${root.url}`)
    .digest("hex")
    .slice(0, 32)

/** What a store is called in messages: its address without user and password. */
export const placeOf = (store: Redacted.Redacted): Effect.Effect<string, Misconfigured> =>
  Effect.map(Address.parse(store), ({ place }) => place)

/**
 * Provides the store at an address.
 *
 * **Details**
 *
 * Fails with `Misconfigured` when the address is none, or the file cannot be made. A server that cannot be reached fails nothing
 * yet: the connection is tried until it is made, and made again when it breaks.
 */
export const layerStore = (store: Redacted.Redacted): Layer.Layer<QuotaStore, Misconfigured, Account.Account> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const address = yield* Address.parse(store)
      const account = nameOf(yield* Account.Account)
      // Loaded only where they are used: each takes longer to load than the rest of the client's settings.
      if (address.kind === "local") {
        const Local = yield* Effect.promise(() => import("./internal/quota/LocalStore.ts"))
        return Local.layer(account, address.folder)
      }
      const Connection = yield* Effect.promise(() => import("./internal/quota/RedisConnection.ts"))
      return Connection.layer(account, address)
    })
  )

/** Provides a `Quota` over the store of {@link Options.quotaStore}, or in memory where there is none. */
export const layer = (options: Options = {}): Layer.Layer<Quota, Misconfigured, Account.Account> => {
  const { quotaStore: store } = options
  if (store === undefined) return MemoryQuota.layer(options)
  return Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("@sluice/core/SharedQuota")),
      (Shared) => Layer.provide(Shared.layer(options), layerStore(store))
    )
  )
}

/**
 * Provides {@link layer} from the environment.
 *
 * **Details**
 *
 * Reads `SLUICE_QUOTA_STORE` (an address as in {@link Options.quotaStore}), `SLUICE_WHEN_UNAVAILABLE` (`share` or
 * `fail`) and what `MemoryQuota.layerConfig` reads. Values in `options` take precedence.
 */
export const layerConfig = (options: Options = {}): Layer.Layer<Quota, Misconfigured | ConfigError, Account.Account> =>
  Layer.unwrap(Effect.map(fromConfig(options), layer))

/** The settings {@link layerConfig} reads, for layers that build on it. */
export const fromConfig = (options: Options = {}): Effect.Effect<Options, Misconfigured | ConfigError> =>
  Effect.gen(function* () {
    const memory = yield* MemoryQuota.fromConfig(options)
    const quotaStore = options.quotaStore ?? (yield* Environment.read("QUOTA_STORE", "quotaStore", Environment.secret))
    const words = Environment.word(["share", "fail"])
    const whenUnavailable =
      options.whenUnavailable ?? (yield* Environment.read("WHEN_UNAVAILABLE", "whenUnavailable", words))
    return { ...memory, quotaStore, whenUnavailable }
  })
