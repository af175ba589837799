/**
 * How workers reach each other: over TCP within a machine, and over TLS where they share a secret. The secret is the key of the
 * connection itself (TLS-PSK), so that neither side needs a certificate, both prove that they know it, and nobody else can read
 * what they say.
 */
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import { Misconfigured } from "@sluice/core/ApiError"
import { harmless } from "@sluice/core/PlainText"
import * as Monotonic from "@sluice/files/internal/progress/Monotonic"
import type * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as RunnerHealth from "effect/cluster/RunnerHealth"
import * as Runners from "effect/cluster/Runners"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as SocketRunner from "effect/cluster/SocketRunner"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as RpcClient from "effect/rpc/RpcClient"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as Socket from "effect/socket/Socket"
import { createHmac } from "node:crypto"
import { isIP } from "node:net"

/** What all workers of a cluster know; undefined where they are on one machine. */
export type Secret = Redacted.Redacted | undefined

/** An address that only processes of this machine can reach. */
const isLoopback = (host: string) => /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i.test(host)

/** Fails where other machines could reach a worker that asks nobody for a secret. */
export const check = (host: string, secret: Secret): Effect.Effect<void, Misconfigured> =>
  secret !== undefined || isLoopback(host)
    ? Effect.void
    : Effect.fail(
        new Misconfigured({
          setting: "secret",
          variable: "SLUICE_CLUSTER_SECRET",
          reason: `others may reach "${harmless(host)}" too: give all workers the same secret, or the host 127.0.0.1 where all of them are on this machine`
        })
      )

/** Where a worker listens that others reach at a host: at an address, that alone; with a name, which may be one of a router, anywhere. */
export const listensAt = (host: string): string => (isIP(host) > 0 || isLoopback(host) ? host : "0.0.0.0")

/** Both sides know which key is meant, since there is one. */
const identity = "sluice"

const optionsOf = (secret: Redacted.Redacted) => {
  const psk = createHmac("sha256", Redacted.value(secret)).update("sluice cluster").digest()
  return {
    // A recorded connection stays secret even if the secret becomes known.
    ciphers: "ECDHE-PSK-CHACHA20-POLY1305",
    minVersion: "TLSv1.2",
    maxVersion: "TLSv1.2",
    psk
  } as const
}

const layerServer = (secret: Secret, { host, port }: RunnerAddress.RunnerAddress) => {
  if (secret === undefined) return NodeClusterSocket.layerSocketServer
  const { psk, ...options } = optionsOf(secret)
  return NodeSocketServer.layerTls({
    ...options,
    host,
    port,
    handshakeTimeout: 5_000,
    pskCallback: (_socket, name) => (name === identity ? psk : null)
  })
}

/** Milliseconds between two warnings of one address. */
const warnEvery = 60_000

/** Warns where the other side has another secret: nothing else says why both learn late of work. */
const makeWarning = () => {
  const warned = new Map<string, number>()
  return ({ host, port }: RunnerAddress.RunnerAddress) =>
    Effect.fnUntraced(function* ({ reason }: Socket.SocketError) {
      const code = "cause" in reason && Predicate.hasProperty(reason.cause, "code") ? String(reason.cause.code) : ""
      const place = `${host}:${port}`
      const now = yield* Monotonic.now
      if (!code.startsWith("ERR_SSL") || now - (warned.get(place) ?? -Infinity) < warnEvery) return
      warned.set(place, now)
      yield* Effect.logWarning(
        harmless(
          `The worker at ${place} refuses this one, or is none: all of a cluster need the same SLUICE_CLUSTER_SECRET`
        )
      )
    })
}

const layerTlsProtocol = (secret: Redacted.Redacted) =>
  Layer.effect(
    Runners.RpcClientProtocol,
    Effect.gen(function* () {
      const serialization = yield* RpcSerialization.RpcSerialization
      const { psk, ...options } = optionsOf(secret)
      const warn = makeWarning()
      return {
        codecFor: serialization.codecFor,
        make: Effect.fnUntraced(function* (address: RunnerAddress.RunnerAddress) {
          const { host, port } = address
          const socket = yield* NodeSocket.makeTls({
            ...options,
            host,
            port,
            openTimeout: 1_000,
            timeout: 5_500,
            // Who knows the key is one of the cluster; there is no certificate that could have a name.
            checkServerIdentity: () => undefined,
            pskCallback: () => ({ psk, identity })
          })
          const warning = Socket.make({ reader: Effect.tapError(socket.reader, warn(address)), writer: socket.writer })
          return yield* RpcClient.makeProtocolSocket().pipe(
            Effect.provideService(Socket.Socket, warning),
            Effect.provideService(RpcSerialization.RpcSerialization, serialization)
          )
        }, Effect.orDie)
      }
    })
  )

const layerClientProtocol = (secret: Secret) =>
  secret === undefined ? NodeClusterSocket.layerClientProtocol : layerTlsProtocol(secret)

type Config = Partial<ShardingConfig.ShardingConfig["Service"]>

const settings = (config: Config) =>
  Layer.merge(ShardingConfig.layerFromEnv(config), RpcSerialization.layerSchemaBinary())

/** A worker of the engine, which others reach and which reaches others. */
export const layerWorker = (config: Config, listen: RunnerAddress.RunnerAddress, secret: Secret) => {
  const client = layerClientProtocol(secret)
  const health = RunnerHealth.layerPing.pipe(Layer.provide(Runners.layerRpc), Layer.provide(client))
  return SocketRunner.layer.pipe(
    Layer.provide([layerServer(secret, listen), client, health]),
    Layer.provide(settings(config))
  )
}

/** Who reaches workers and is none. */
export const layerClient = (config: Config, secret: Secret) =>
  SocketRunner.layerClientOnly.pipe(Layer.provide(layerClientProtocol(secret)), Layer.provide(settings(config)))
