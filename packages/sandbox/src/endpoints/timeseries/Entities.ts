/** The list of a series that names its entities, with wildcards (docs/interface.md 11.3). */
import * as Effect from "effect/Effect"
import * as Table from "#interface/Table"
import * as Remembered from "../../data/Remembered.ts"
import type { View } from "../../internal/history/History.ts"
import * as Caller from "../../internal/request/Caller.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Refusal from "../../internal/request/Refusal.ts"

/** What a series has records of, such as markets. */
export interface Entities<E> {
  readonly name: (entity: E) => string
  readonly all: () => ReadonlyArray<E>
  readonly find: (name: string) => E | undefined
  /** Refuses a name; in the documented words, where they are those of any other value, nothing. */
  readonly refuse?: ((name: string) => Refusal.Refusal) | undefined
  /** Those that are listed at an instant, where entities come and go. */
  readonly at?: (view: View) => { readonly all: () => ReadonlyArray<E>; readonly find: (name: string) => E | undefined }
}

export interface Listed<E> extends Entities<E> {
  /** The list parameter, such as `markets`. */
  readonly parameter: string
  readonly field: string
  readonly isPattern: (name: string) => boolean
}

/** Entities that are always the same, and have one name each. */
export const fixed = <E>(
  all: ReadonlyArray<E> | (() => ReadonlyArray<E>),
  name: (entity: E) => string
): Entities<E> => ({ name, all: typeof all === "function" ? all : () => all, find: Remembered.finder(all, name) })

/** The entities of a path, as the table says how they are named; a live stream takes a wildcard alone where it takes none. */
export const of = <E>(path: string, self: Entities<E>): Listed<E> => {
  const { parameters, record, roots } = Table.find(path)
  const [parameter = "", list] =
    Object.entries(parameters).find(([, { isList, isRequired }]) => isList && isRequired) ?? []
  const isAlone = roots.includes("stream")
  return {
    ...self,
    parameter,
    field: Object.keys(record)[0] ?? "",
    isPattern: (name) => (list?.takesWildcards === true ? name.includes("*") : isAlone && name === "*")
  }
}

export const listedAt = <E>(self: Listed<E>, view: View | undefined): Listed<E> =>
  view === undefined || self.at === undefined ? self : { ...self, ...self.at(view) }

export interface Chosen<E> {
  readonly entity: E
  /** Named in full, so that it has to have what is asked for. */
  readonly isNamed: boolean
}

/** Refuses an entity that does not exist, or has no such series. */
export const refuse = <E>(self: Listed<E>, name: string): Refusal.Refusal =>
  self.refuse?.(name) ?? Refusal.unsupported(self.parameter, name)

const matcher = (pattern: string): RegExp =>
  new RegExp(`^${pattern.replaceAll(/[.*+?^${}()|[\]\\]/g, (sign) => (sign === "*" ? ".*" : `\\${sign}`))}$`)

/** Reads the list: what it names and what its patterns stand for, ordered by name. */
export const choose = Effect.fnUntraced(function* <E>(
  self: Listed<E>,
  query: Query.Query,
  { ignoresUnsupported }: Leniency
) {
  const chosen = new Map<E, boolean>()
  for (const name of Query.list(query, self.parameter) ?? []) {
    if (self.isPattern(name)) {
      const form = matcher(name)
      for (const entity of self.all()) if (form.test(self.name(entity))) chosen.set(entity, chosen.get(entity) ?? false)
      continue
    }
    const entity = self.find(name)
    if (entity !== undefined) chosen.set(entity, true)
    else if (!ignoresUnsupported) return yield* refuse(self, name)
  }
  return [...chosen]
    .map(([entity, isNamed]): Chosen<E> => ({ entity, isNamed }))
    .sort((a, b) => (self.name(a.entity) < self.name(b.entity) ? -1 : 1))
})

type Leniency = ReturnType<typeof leniency>

export const leniency = (query: Query.Query) => ({
  ignoresUnsupported: Query.flag(query, "ignore_unsupported_errors"),
  ignoresForbidden: Query.flag(query, "ignore_forbidden_errors")
})

/** Finds what each chosen entity has; a licence is asked about last. */
export const resolve = <E, A>(
  self: Listed<E>,
  chosen: ReadonlyArray<Chosen<E>>,
  { ignoresForbidden, ignoresUnsupported }: Leniency,
  find: (entity: E) => A | Refusal.Refusal | undefined
): Effect.Effect<ReadonlyArray<A>, Refusal.Refusal> => {
  const refused: Array<Refusal.Refusal> = []
  const all: Array<A> = []
  for (const { entity, isNamed } of chosen) {
    const found = find(entity) ?? refuse(self, self.name(entity))
    if (!(found instanceof Refusal.Refusal)) all.push(found)
    else if (found.status === 403 ? !ignoresForbidden : isNamed && !ignoresUnsupported) refused.push(found)
  }
  const [refusal] = refused.sort((a, b) => a.status - b.status)
  return refusal === undefined ? Effect.succeed(all) : Effect.fail(refusal)
}

const isRetired = ({ view }: Caller.Caller, metric: string) =>
  view !== undefined && (view.retired.get(metric) ?? Infinity) <= view.now

export const metrics = Effect.fnUntraced(function* <
  M extends { readonly metric: string; readonly community?: boolean }
>(query: Query.Query, caller: Caller.Caller, frequency: string, field: string, find: (name: string) => M | undefined) {
  const { ignoresForbidden, ignoresUnsupported } = leniency(query)
  const names = Query.list(query, "metrics") ?? []
  const found: Array<M> = []
  for (const name of names) {
    const metric = isRetired(caller, name) ? undefined : find(name)
    if (metric !== undefined) found.push(metric)
    else if (!ignoresUnsupported) return yield* Refusal.unsupported("metrics", name)
  }
  const issue = `Metric '${names[0]}' with frequency '${frequency}' is not supported for ${field}`
  return (id: string, has: (metric: M) => boolean): ReadonlyArray<M> | Refusal.Refusal => {
    const own = found.filter(has)
    if (own.length === 0) return Refusal.badParameter("metrics", `${issue} '${id}'.`)
    const readable = own.filter((metric) => Caller.mayRead(caller, metric, frequency))
    const forbidden = own.find((metric) => !readable.includes(metric))
    return forbidden !== undefined && (!ignoresForbidden || readable.length === 0)
      ? Refusal.forbiddenMetric(forbidden.metric, frequency, id)
      : readable
  }
})
