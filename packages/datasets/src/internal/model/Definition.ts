/**
 * What a dataset holds, as plain data: kept beside the records, so that a later run needs nothing else.
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/** Schema of {@link Definition}. */
export const Definition = Schema.Struct({
  /** URL of the service, without a key. */
  root: Schema.String,
  /** Path of the endpoint. */
  endpoint: Schema.String,
  /**
   * Parameters without an end: entities by name or by wildcard, metrics, frequency, filters, and where the series begins. Lists
   * are arrays of text.
   */
  params: Schema.JsonObject,
  /** Milliseconds before the last record of an entity that every run reads again. */
  lookBack: Schema.Finite,
  /** What happens to the records of an entity that the service no longer has. */
  onRemoved: Schema.Literals(["keep", "remove"])
})

/** What a dataset holds, as plain data. */
export interface Definition extends Schema.Schema.Type<typeof Definition> {}

/** The parts of a definition by which two runs must agree, or of which the later may have more. */
export interface Compared {
  /** Settings that differ and are not growth, such as `params.frequency`. */
  readonly differs: ReadonlyArray<string>
  /** Entities and metrics of the earlier definition that the later one has not. */
  readonly missing: ReadonlyArray<string>
  /** Whether the later definition holds more than the earlier one. */
  readonly grows: boolean
}

/** Names of the parameters that may grow. */
export interface Growing {
  /** The list of entities. */
  readonly entities: string
  /** The list of columns, where the endpoint has one. */
  readonly columns: string | undefined
  /** Where the series begins. */
  readonly start: string
}

/**
 * Compares the definition of a run with the one that was kept. A run may add entities, metrics and an earlier start. How far it
 * looks back and what it does about entities that are gone may change with every run.
 */
export const compare = (kept: Definition, wanted: Definition, growing: Growing): Compared => {
  const differs: Array<string> = []
  const missing: Array<string> = []
  let grows = false
  if (kept.root !== wanted.root) differs.push("root")
  if (kept.endpoint !== wanted.endpoint) return { differs: [...differs, "endpoint"], missing, grows }
  const names = new Set([...Object.keys(kept.params), ...Object.keys(wanted.params)])
  for (const name of names) {
    const [before, after] = [kept.params[name], wanted.params[name]]
    if (JSON.stringify(before) === JSON.stringify(after)) continue
    const added =
      name === growing.start ? startsEarlier(before, after) : isGrowing(growing, name) && includesAll(before, after)
    if (added) grows = true
    else {
      differs.push(`params.${name}`)
      const items = new Set(listOf(after))
      if (isGrowing(growing, name)) missing.push(...listOf(before).filter((item) => !items.has(item)))
    }
  }
  return { differs, missing, grows }
}

const isGrowing = ({ columns, entities }: Growing, name: string) => name === entities || name === columns

const listOf = (value: unknown): ReadonlyArray<string> => (Array.isArray(value) ? value.filter(Predicate.isString) : [])

const includesAll = (before: unknown, after: unknown): boolean => {
  const items = new Set(listOf(after))
  return listOf(before).every((item) => items.has(item))
}

/** Starts are kept as the service writes times, so that they compare as text. Without one a series is held from its beginning. */
const startsEarlier = (before: unknown, after: unknown): boolean =>
  Predicate.isString(before) && Predicate.isString(after) && after < before
