/**
 * Finds out what a run is about: what its store has, what the definition says, and which entities the service has.
 */
import * as Client from "@sluice/core/Client"
import * as Discover from "@sluice/core/Discover"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Endpoints from "@sluice/core/Endpoints"
import * as Parameter from "@sluice/core/Parameter"
import * as Params from "@sluice/core/Params"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { differing } from "@sluice/files/internal/folder/Differing"
import { BadDefinition, NoDataset, OtherDefinition } from "../model/DatasetError.ts"
import * as Catalog from "../model/Catalog.ts"
import * as Definition from "../model/Definition.ts"
import * as LeftColumns from "../model/LeftColumns.ts"
import * as Moment from "../model/Moment.ts"
import * as RunRequests from "./RunRequests.ts"
import type { Cursor, Kept, Store, Time } from "../model/Store.ts"
import * as SeriesParams from "../model/SeriesParams.ts"

/** What a job says, where it says it. */
export interface Asked {
  readonly endpoint: Endpoint.Any | undefined
  readonly params: Readonly<Record<string, unknown>> | undefined
  readonly lookBack: number | undefined
  readonly onRemoved: "keep" | "remove" | undefined
  readonly versions?: "keep" | "none" | undefined
  /** Whether the dataset gets what the parameters have beside what it has: nothing is left out, and its start is the earlier one. */
  readonly grows?: boolean | undefined
  /** Whether the times of calls alone are read. */
  readonly isCache?: boolean | undefined
}

/** What a run is about. */
export interface Prepared {
  readonly store: Store
  readonly asked: Asked
  readonly subject: SeriesParams.SeriesParams
  readonly definition: Definition.Definition
  readonly kept: Kept | undefined
  /** Metrics that were retired, and that the job names: the service may have them again. */
  readonly named: ReadonlyArray<string>
}

/** The endpoint with a path. */
export const endpointAt = (path: string): Endpoint.Any | undefined => Endpoints.all.find((one) => one.path === path)

/** Compares what a job asks for with what its store has. Touches and sends nothing. */
export const prepare = Effect.fnUntraced(function* (store: Store, asked: Asked) {
  return yield* against(store, asked, yield* store.look)
})

/**
 * What a run is about where another may have begun or changed its dataset since it was prepared: what its job does not say
 * is as the dataset has it now.
 */
export const following = ({ asked, store }: Prepared, kept: Kept) => against(store, asked, kept)

/** Compares what a job asks for with what is kept. What the job does not say is as it is there. */
const against = Effect.fnUntraced(function* (store: Store, asked: Asked, kept: Kept | undefined) {
  const { account } = yield* Client.Client
  const { onRemoved, lookBack } = asked
  const path = asked.endpoint?.path ?? kept?.definition.endpoint
  if (path === undefined) return yield* new NoDataset({ dataset: store.name })
  const endpoint = asked.endpoint ?? endpointAt(path)
  if (endpoint === undefined) {
    return yield* new BadDefinition({ endpoint: path, setting: "endpoint", reason: "is none that this version knows" })
  }
  if (lookBack !== undefined && !(lookBack >= 0 && Number.isFinite(lookBack))) {
    return yield* new BadDefinition({ endpoint: path, setting: "lookBack", reason: "is no length of time" })
  }
  const wanted: Schema.JsonObject =
    asked.params === undefined ? (kept?.definition.params ?? {}) : yield* SeriesParams.normalize(endpoint, asked.params)
  const given =
    asked.grows === true && endpoint.order === "series"
      ? grownBy(endpoint, kept, wanted)
      : asKept(endpoint, kept, wanted)
  const subject = yield* SeriesParams.makeAny(endpoint, given)
  const { named, params, retired } = retiringOf(subject, kept, asked, given)
  // A job that leaves out what the service refused does not want it back.
  const isWanted = (name: string) =>
    asked.params === undefined || asked.grows === true || named.some((one) => one === name)
  const refused = (kept?.definition.refused ?? []).filter(isWanted)
  const plain: Definition.Definition = {
    root: account.root.url,
    endpoint: path,
    params,
    lookBack: lookBack ?? kept?.definition.lookBack ?? SeriesParams.usualLookBack(subject.every),
    onRemoved: onRemoved ?? kept?.definition.onRemoved ?? "keep",
    ...(yield* versionsOf(store, asked, kept, path)),
    ...(asked.isCache === true && { isCache: true })
  }
  const definition = Definition.withRetired(plain, retired, refused, kept?.definition, yield* retirementOf(kept))
  if (subject.isList && definition.versions === undefined) {
    const reason = 'has to be "keep" for a list, of which only the versions are worth a dataset (--versions keep)'
    return yield* new BadDefinition({ endpoint: path, setting: "versions", reason })
  }
  const prepared: Prepared = { store, asked, subject, definition, kept, named }
  yield* agree(prepared)
  if (
    !store.cut.byEntity &&
    store.cut.period !== undefined &&
    SeriesParams.startOf(subject, definition) === undefined
  ) {
    const reason = "is needed where entities share files"
    return yield* new BadDefinition({ endpoint: path, setting: subject.names.start, reason })
  }
  return prepared
})

/** The retirement of metrics that a run no longer asks for, which begins now. */
export const retirementOf = ({ begun, synced }: Pick<Kept, "begun" | "synced"> = {}) =>
  Effect.map(Clock.currentTimeMillis, (now): Definition.Retirement => ({
    at: Moment.ofMillis(now),
    ...(begun === undefined ? {} : { begun: Moment.ofMillis(begun) }),
    ...(synced === undefined ? {} : { ended: synced })
  }))

/** Whether versions are kept. Who keeps them goes on: a time without them would look like one without revisions. */
const versionsOf = Effect.fnUntraced(function* (store: Store, asked: Asked, kept: Kept | undefined, endpoint: string) {
  const refuse = (reason: string) => new BadDefinition({ endpoint, setting: "versions", reason })
  const before = kept?.definition.versions
  if (asked.versions === "none" && before === "keep")
    return yield* refuse("are kept by this dataset, and go on with it")
  const versions = asked.versions === "keep" ? asked.versions : before
  if (versions === undefined) return {}
  if (store.keepsVersions !== true) return yield* refuse("are kept in a folder or a bucket, not in a table")
  return { versions }
})

const lenient = Struct.keys(Params.leniency)

/**
 * The parameters of a dataset that gets what others have beside what it has. Metrics that are retired stay so unless they are named, and
 * what it leaves out instead of failing says nothing of records.
 */
export const grownBy = (
  endpoint: Endpoint.Any,
  kept: Kept | undefined,
  wanted: Schema.JsonObject
): Schema.JsonObject => {
  if (kept?.definition.endpoint !== endpoint.path) return wanted
  const { params: before, retired = [] } = kept.definition
  const lists = [...endpoint.parameters.values()].flatMap(({ name, role }) =>
    role._tag === "Entities" || role._tag === "Columns" ? [name] : []
  )
  const entries = lists.flatMap((name): ReadonlyArray<readonly [string, Schema.Json]> => {
    const held = Params.items(before[name]).filter((item) => !retired.includes(item))
    const items = [...new Set([...held, ...Params.items(wanted[name])])]
    return items.length === 0 ? [] : [[name, items]]
  })
  const start = Parameter.find(endpoint.parameters, "Start", "time")?.name ?? ""
  const [begun, from = Moment.beginning] = [before[start], wanted[start]]
  const isEarlier = Predicate.isString(begun) && Predicate.isString(from) && from < begun
  const earlier = isEarlier ? { [start]: from } : {}
  const own = Object.fromEntries(lenient.flatMap((name) => (name in before ? [[name, before[name]!]] : [])))
  const rest = Struct.omit(wanted, [start, ...lenient])
  return asKept(endpoint, kept, { ...rest, ...own, ...Object.fromEntries(entries), ...earlier })
}

/**
 * Gives the parameters of a job as the dataset has them where they say the same. The start may be left out, and so may
 * a frequency that is the default.
 */
const asKept = (endpoint: Endpoint.Any, kept: Kept | undefined, wanted: Schema.JsonObject): Schema.JsonObject => {
  if (kept?.definition.endpoint !== endpoint.path) return wanted
  const before = kept.definition.params
  const start = Parameter.find(endpoint.parameters, "Start", "time")?.name
  const frequency = Parameter.find(endpoint.parameters, "Frequency")?.name
  const isSameFrequency = Parameter.frequencyOf(endpoint, before) === Parameter.frequencyOf(endpoint, wanted)
  const isKept = (name: string) =>
    (name === start && wanted[name] === undefined) || (name === frequency && isSameFrequency)
  const names = new Set([...Object.keys(before), ...Object.keys(wanted)])
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const value = isKept(name) ? before[name] : inOrderOf(before[name], wanted[name])
      return value === undefined ? [] : [[name, value] as const]
    })
  )
}

/** The parameters with the metrics that are held, and which of these are not asked for. */
const retiringOf = (
  { endpoint, names: { columns } }: SeriesParams.SeriesParams,
  kept: Kept | undefined,
  asked: Asked,
  params: Schema.JsonObject
) => {
  const before = kept?.definition
  if (columns === undefined || before?.endpoint !== endpoint.path || asked.params === undefined) {
    return { params, retired: before?.retired ?? [], named: [] }
  }
  const retiring = Definition.retire(before, Params.items(before.params[columns]), Params.items(params[columns]))
  if (retiring === undefined) return { params, retired: [], named: [] }
  return { ...retiring, params: { ...params, [columns]: retiring.columns } }
}

/** Gives a list with its items as they were kept, and then those that were added: files have columns in this order. */
const inOrderOf = (before: Schema.Json | undefined, value: Schema.Json | undefined) => {
  if (!Array.isArray(value) || !Array.isArray(before)) return value
  const old = before.filter((item) => value.includes(item))
  return [...old, ...value.filter((item) => !old.includes(item))]
}

/** Fails where the definition differs from the one that is kept in a way that no run can follow. */
const agree = Effect.fnUntraced(function* ({ definition, kept, store, subject }: Prepared) {
  if (kept === undefined) return
  const { differs, missing } = Definition.compare(kept.definition, definition, subject.names)
  if (differs.length === 0) return
  const lost = missing.length === 0 ? {} : { missing }
  // Of the lists that may grow, what is missing says more than both lists.
  const growing = [`params.${subject.names.entities}`, `params.${subject.names.columns}`]
  const values = differs
    .filter((setting) => !growing.includes(setting))
    .map((setting) => differing(setting, settingOf(kept.definition, setting), settingOf(definition, setting)))
  return yield* new OtherDefinition({ dataset: store.name, differs, values, ...lost })
})

const settingOf = ({ endpoint, params, root }: Definition.Definition, setting: string): unknown =>
  setting === "root" ? root : setting === "endpoint" ? endpoint : params[setting.replace("params.", "")]

/** Works out what to ask for. Reads catalogs, where the definition has wildcards or does not say where the series begins. */
export const plan = Effect.fnUntraced(function* (
  { asked, definition, kept, store, subject }: Prepared,
  recheck?: number,
  window?: RunRequests.Given["window"]
) {
  const { endpoint, names } = subject
  const params = SeriesParams.askedOf(subject, definition)
  const entities = SeriesParams.hasWildcards(subject, definition)
    ? // Type boundary: the list is one of the endpoint's, and the parameters were checked.
      Params.items(Reflect.get(yield* Discover.expand(endpoint, params, names.entities), names.entities))
    : Params.items(params[names.entities])
  const sorted = [...new Set(entities)].toSorted()
  const cursors = withoutRetired(definition, kept)
  const added = sorted.filter((entity) => !cursors.has(entity))
  const begins =
    SeriesParams.startOf(subject, definition) === undefined ? yield* beginsOf(subject, params, added) : new Map()
  const given: RunRequests.Given = {
    subject,
    definition,
    cut: store.cut,
    cursors,
    entities: sorted,
    listed: new Set(sorted),
    begins,
    now: yield* Clock.currentTimeMillis,
    window,
    isRead: asked.grows,
    recheck
  }
  return { given, plan: RunRequests.make(given) }
})

/** The cursors, without the metrics that are no longer asked for: where one is asked for again, all times of it are. */
const withoutRetired = ({ retired }: Definition.Definition, kept: Kept | undefined): ReadonlyMap<string, Cursor> => {
  if (retired === undefined || kept === undefined) return kept?.cursors ?? new Map()
  return new Map([...kept.cursors].map(([entity, cursor]) => [entity, LeftColumns.leave(cursor, retired)] as const))
}

/** Where the series of entities begin, as far as a catalog says. A catalog that does not answer says nothing. */
const beginsOf = Effect.fnUntraced(function* (
  subject: SeriesParams.SeriesParams,
  params: Schema.JsonObject,
  entities: ReadonlyArray<string>
) {
  const found = yield* Effect.orElseSucceed(Catalog.rangesOf(subject, params, entities), () => new Map())
  return new Map([...found].map(([entity, { first }]): readonly [string, Time] => [entity, first]))
})
