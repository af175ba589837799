/**
 * Explains errors of connections by the codes of the system and of the HTTP library, for programs outside of a browser: three
 * kilobytes of code that a browser, which gives no codes, has no use for.
 */
import * as Layer from "effect/Layer"
import { Explain } from "./internal/http/Failure.ts"
import * as Transport from "./internal/http/Transport.ts"

/**
 * Lets the clients above it tell why a connection failed, such as `the host name is not known`, and not repeat a request that
 * cannot succeed.
 *
 * **When to use**
 *
 * With `Client.layer` over an HTTP client of your own, as in Deno or Bun:
 * `Client.layer().pipe(Layer.provide([FetchHttpClient.layer, SystemErrors.layer]))`. The layers of `@sluice/node` and live streams
 * have it. Without it every such error is `the connection failed`, and is repeated as the policy says.
 */
export const layer: Layer.Layer<never> = /* @__PURE__ */ Layer.succeed(Explain, Transport.explain)
