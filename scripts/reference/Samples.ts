/**
 * What the pages of operations show: parameters that have records at the stand-in service, and the first of these records.
 */
import { Cause, Effect, Exit, Layer, Logger, Predicate, Stream } from "effect"
import * as Examples from "../../packages/cli/src/endpoints/Examples.ts"
import * as Parameters from "../../packages/cli/src/endpoints/Parameters.ts"
import * as Client from "../../packages/core/src/Client.ts"
import * as BlockchainV2 from "../../packages/core/src/endpoints/BlockchainV2.ts"
import type { Entry, JobEntry, LiveEntry, SingleEntry } from "../../packages/core/src/Endpoints.ts"
import * as Endpoint from "../../packages/core/src/Endpoint.ts"
import * as LiveClient from "../../packages/core/src/LiveClient.ts"
import * as Parameter from "../../packages/core/src/Parameter.ts"
import * as Sandbox from "../../packages/sandbox/src/Sandbox.ts"
import * as Listed from "../Listed.ts"
import { unresolved } from "./Doc.ts"

export interface Sample {
  /** Parameters by name, as text. */
  readonly params: Readonly<Record<string, string>>
  readonly command: string
  readonly record: object
}

/** An endpoint of one record as one of a list, for what takes only lists. */
const listed = (entry: Entry | SingleEntry): Entry =>
  isSingle(entry) ? { ...entry, endpoint: Endpoint.fromSingle(entry.endpoint) } : entry

const isJob = (entry: Listed.Listed): entry is JobEntry => entry.endpoint.reply === "job"
const isSingle = (entry: Listed.Listed): entry is SingleEntry => entry.endpoint.reply === "record"
const isLive = (entry: Listed.Listed): entry is LiveEntry => entry.endpoint.reply === "frames"

const commandOf = (entry: Listed.Listed): string => {
  const [example] = isJob(entry)
    ? Examples.startJob(entry)
    : isLive(entry)
      ? Examples.tail({ entry, parameters: Parameters.of(entry.endpoint) })
      : Examples.get({ entry: listed(entry), parameters: Parameters.of(entry.endpoint) })
  return example?.command ?? unresolved({ file: "the examples" }, entry.endpoint.path, "has no command")
}

/** What a command line gives to an endpoint; `--limit` is of the command. */
const paramsOf = (command: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...command.matchAll(/ --(\w+) (?:'([^']+)'|(\S+))/g)].flatMap(([, name = "", quoted, plain]) =>
      name === "limit" ? [] : [[name, quoted ?? plain ?? ""]]
    )
  )

const kindOf = (entry: Listed.Listed, name: string) => entry.endpoint.parameters.get(name)

/** A value as a program gives it. */
export const valueOf = (parameter: Parameter.Parameter | undefined, text: string): unknown => {
  if (parameter?.isList === true) return text.split(",")
  return parameter?.kind === "integer" ? Number(text) : text
}

/** Few records, and the latest where that can be asked for. */
const small = (entry: Listed.Listed, given: Readonly<Record<string, string>>): Readonly<Record<string, number>> => {
  const { parameters } = entry.endpoint
  const isNamed = Parameter.withRole(parameters, "Entities").some(({ name }) => name in given)
  const latest = isNamed ? Parameter.find(parameters, "LimitPer") : undefined
  const name = (latest ?? Parameter.find(parameters, "PageSize") ?? Parameter.find(parameters, "Limit"))?.name
  return name === undefined ? {} : { [name]: 1 }
}

/** What only the service knows, by the names of parameters: that of one record. */
const found = Effect.gen(function* () {
  const [transaction] = yield* Stream.runCollect(
    Stream.take(BlockchainV2.transactions({ asset: "btc", page_size: 1 }), 1)
  )
  const [account] = yield* Stream.runCollect(Stream.take(BlockchainV2.accounts({ asset: "btc", page_size: 1 }), 1))
  return {
    account: account?.account,
    block_hash: transaction?.block_hash,
    txid: transaction?.txid,
    ids: "sandbox-completed",
    // What the examples of jobs name.
    bc1qa: "treasury-btc",
    "4a5e1e4b": transaction?.txid
  }
})

const firstOf = (
  entry: Listed.Listed,
  params: object
): Stream.Stream<unknown, unknown, Client.Client | LiveClient.LiveClient> => {
  // Type boundary: the parameters are those of an example, which the endpoint checks.
  const given = params as never
  if (isLive(entry)) {
    return Stream.flatMap(entry.endpoint(given), (message) =>
      message._tag === "Data" ? Stream.succeed(message.record) : Stream.empty
    )
  }
  return isSingle(entry) ? Stream.fromEffect(entry.endpoint(given)) : entry.endpoint(given)
}

const sampleOf = Effect.fnUntraced(function* (
  entry: Listed.Listed,
  known: Readonly<Record<string, string | undefined>>
) {
  const command = commandOf(entry)
    .replaceAll(/<(\w+)>/g, (name, word: string) => known[word] ?? name)
    .replace(/bc1qa|4a5e1e4b/, (name) => known[name] ?? name)
  const params = paramsOf(command)
  const given = Object.entries(params).map(([name, text]) => [name, valueOf(kindOf(entry, name), text)] as const)
  const record = yield* firstOf(entry, { ...Object.fromEntries(given), ...small(entry, params) }).pipe(
    Stream.runHead,
    Effect.flatMap(Effect.fromOption),
    Effect.timeout("60 seconds"),
    Effect.exit
  )
  if (Exit.isFailure(record) || !Predicate.isObject(record.value)) {
    const why = Exit.isFailure(record) ? Cause.pretty(record.cause) : "no object"
    return unresolved({ file: "the stand-in" }, entry.endpoint.path, `shows no record of ${command}: ${why}`)
  }
  return [entry.endpoint.path, { params, command, record: record.value }] as const
})

const client = Sandbox.layerClient((given) => Layer.provideMerge(LiveClient.layer(), Client.layer(given)), { live: {} })

/** The sample of every operation, by its path. */
export const make = (): Promise<ReadonlyMap<string, Sample>> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const known = yield* found
      return new Map(yield* Effect.forEach(Listed.all, (entry) => sampleOf(entry, known), { concurrency: 8 }))
    }).pipe(Effect.provide([client, Logger.layer([])]))
  )
