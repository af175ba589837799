/**
 * Live streams on Node.js: a WebSocket that shows pings, holds a fast service back, and tells why a handshake was refused.
 */
import "./internal/runtime/NodeVersion.ts"
import type { Misconfigured } from "@sluice/core/ApiError"
import type * as Client from "@sluice/core/Client"
import * as LiveClient from "@sluice/core/LiveClient"
import type { ConfigError } from "effect/Config"
import * as Layer from "effect/Layer"
import type { WebSocketConstructor } from "effect/socket/Socket"
import { userAgent } from "./internal/http/UserAgent.ts"
import * as WebSocket from "./internal/live/WebSocket.ts"
import * as NodeClient from "./NodeClient.ts"

/** Settings of {@link layerNoDeps}: those of the live client, and those of its connections. */
export interface Options extends LiveClient.Options {
  /** Whether to ask for compressed messages. Saves bytes and takes processor time for each. Default false. */
  readonly deflate?: boolean | undefined
}

/** Provides the WebSocket that the other layers use. */
export const layerWebSocket = (options: Options = {}): Layer.Layer<WebSocketConstructor> =>
  WebSocket.layer({
    // Above the limit of core, so that core says which setting was exceeded.
    maxMessageBytes: 2 * (options.maxFrameBytes ?? 8_388_608),
    deflate: options.deflate ?? false,
    userAgent
  })

/** Provides a `LiveClient` on Node.js over a client of your own, such as one of `NodeClient.layer`. */
export const layerNoDeps = (options: Options = {}): Layer.Layer<LiveClient.LiveClient, Misconfigured, Client.Client> =>
  Layer.provide(LiveClient.layer(options), layerWebSocket(options))

/** What a program that reads both ways needs. */
export type Services = LiveClient.LiveClient | Client.Services

/** Settings of {@link layer}: those of the HTTP client, and under `live` those of the live client. */
export interface LayerOptions extends NodeClient.Options {
  readonly live?: Options | undefined
}

/** Provides a `LiveClient` on Node.js, together with the HTTP client that reads history and fills holes. */
export const layer = (options: LayerOptions = {}): Layer.Layer<Services, Misconfigured> =>
  Layer.provideMerge(layerNoDeps(options.live), NodeClient.layer(options))

/** Provides the same from the environment, which `NodeClient.layerConfig` describes. `options` override the environment. */
export const layerConfig = (options: LayerOptions = {}): Layer.Layer<Services, Misconfigured | ConfigError> =>
  Layer.provideMerge(layerNoDeps(options.live), NodeClient.layerConfig(options))
