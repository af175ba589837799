import { type Account, ApiError, Client, type Quota, ReferenceData, type Root } from "@sluice/core"
import type { ConfigError } from "effect/Config"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { HttpClient } from "effect/http/HttpClient"
import type * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { expectTypeOf } from "vitest"

// The union is closed: these eight and no other.
expectTypeOf<ApiError.ApiError["_tag"]>().toEqualTypeOf<
  "RateLimited" | "Deprecated" | "Decode" | "InvalidRequest" | "Unauthorized" | "Forbidden" | "NotFound" | "Unavailable"
>()

// Each says of which endpoint it is; what a handler needs has a type of its own.
expectTypeOf<ApiError.ApiError["endpoint"]>().toEqualTypeOf<string>()
expectTypeOf<ApiError.ApiError["trace"]>().toEqualTypeOf<string | undefined>()
expectTypeOf<ApiError.RateLimited["retryAfter"]>().toEqualTypeOf<Duration.Duration | undefined>()
expectTypeOf<ApiError.Deprecated["replacement"]>().toEqualTypeOf<ReadonlyArray<string>>()
expectTypeOf<ApiError.Forbidden["type"]>().toEqualTypeOf<string | undefined>()
expectTypeOf<ApiError.NotFound["type"]>().toEqualTypeOf<string | undefined>()
expectTypeOf<ApiError.Decode["path"]>().toEqualTypeOf<string>()
expectTypeOf<ApiError.Unavailable["phase"]>().toEqualTypeOf<"connect" | "reply" | "body">()

// Handling every tag leaves no error.
const handled = Stream.runDrain(ReferenceData.pairs()).pipe(
  Effect.catchTags({
    RateLimited: () => Effect.void,
    Deprecated: () => Effect.void,
    Decode: () => Effect.void,
    InvalidRequest: () => Effect.void,
    Unauthorized: () => Effect.void,
    Forbidden: () => Effect.void,
    NotFound: () => Effect.void,
    Unavailable: () => Effect.void
  })
)
expectTypeOf(handled).toEqualTypeOf<Effect.Effect<void, never, Client.Client>>()

// A value that was told apart has the union's type.
declare const caught: unknown
if (ApiError.isApiError(caught)) expectTypeOf(caught).toEqualTypeOf<ApiError.ApiError>()

// A layer fails when it is built, a call never with `Misconfigured`.
expectTypeOf(Client.layer()).toEqualTypeOf<Layer.Layer<Client.Services, ApiError.Misconfigured, HttpClient>>()
expectTypeOf(Client.layerConfig()).toEqualTypeOf<
  Layer.Layer<Client.Services, ApiError.Misconfigured | ConfigError, HttpClient>
>()
expectTypeOf(Client.layerNoDeps()).toEqualTypeOf<
  Layer.Layer<Client.Client, ApiError.Misconfigured, Account.Account | Quota.Quota | HttpClient>
>()
expectTypeOf<Root.Input>().toEqualTypeOf<Root.Root | URL | string>()
// @ts-expect-error: a key is held as Redacted
Client.layer({ apiKey: "k" })
// @ts-expect-error: one of three words
Client.layer({ deprecated: "maybe" })
