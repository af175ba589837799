/**
 * What a dataset holds, as plain data: kept beside the records, so that a later run needs nothing else.
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"

/** When a metric was retired. */
export const Retirement = Schema.Struct({
  /** When the run began that no longer asked for it. */
  at: Schema.String,
  /** When the last complete run began that asked for it, and when that ended; absent where the place does not keep that. */
  begun: Schema.optionalKey(Schema.String),
  ended: Schema.optionalKey(Schema.String)
})
/** When a metric was retired, as plain data. */
export interface Retirement extends Schema.Schema.Type<typeof Retirement> {}

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
  onRemoved: Schema.Literals(["keep", "remove"]),
  /** Whether what the service said before a change is kept, and when. */
  versions: Schema.optionalKey(Schema.Literal("keep")),
  /** Whether the last run was of `Dataset.cache`: then what no call has asked for is not missing. */
  isCache: Schema.optionalKey(Schema.Literal(true)),
  /** Metrics of the parameters that are held and no longer asked for: a job left them out, or the service refuses them. */
  retired: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Those that the service refused: each run asks whether it has them again. Of others a job has to name them. */
  refused: Schema.optionalKey(Schema.Array(Schema.String)),
  /** When those of `retired` were, by name. */
  retirements: Schema.optionalKey(Schema.Record(Schema.String, Retirement))
})

/** What a dataset holds, as plain data. */
export interface Definition extends Schema.Schema.Type<typeof Definition> {}

/** The parts of a definition by which two runs must agree. */
export interface Compared {
  /** Settings that differ in a way that no run can follow, such as `params.frequency`. */
  readonly differs: ReadonlyArray<string>
  /** What is missing in a list that cannot do without. */
  readonly missing: ReadonlyArray<string>
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
 * Compares the definition of a run with the one that was kept. A run may add entities, metrics and an earlier start, and drop entities
 * and metrics ({@link retire}), as long as one stays: with others alone the place was mistaken. How far it looks back and what it does
 * about entities that are gone may change with every run.
 */
export const compare = (kept: Definition, wanted: Definition, growing: Growing): Compared => {
  const differs: Array<string> = []
  const missing: Array<string> = []
  if (kept.root !== wanted.root) differs.push("root")
  if (kept.endpoint !== wanted.endpoint) return { differs: [...differs, "endpoint"], missing }
  const names = new Set([...Object.keys(kept.params), ...Object.keys(wanted.params)])
  for (const name of names) {
    const [before, after] = [kept.params[name], wanted.params[name]]
    if (JSON.stringify(before) === JSON.stringify(after)) continue
    const items = new Set(listOf(after))
    const lost = listOf(before).filter((item) => !items.has(item))
    const isList = name === growing.entities || name === growing.columns
    const mayLose = name === growing.entities ? listOf(before).length - 1 : 0
    if (isList ? lost.length <= mayLose : name === growing.start && startsEarlier(before, after)) continue
    differs.push(`params.${name}`)
    if (isList) missing.push(...lost)
  }
  return { differs, missing }
}

/** Fields of records whose values are held and no longer asked for. */
export const carriedOf = ({ retired = [] }: Pick<Definition, "retired">): ReadonlyArray<string> =>
  retired.flatMap((name) => [name, `${name}-status`, `${name}-status-time`])

/** A list of metrics as it is kept, and those of it that are no longer asked for. */
export interface Retiring {
  readonly columns: ReadonlyArray<string>
  readonly retired: ReadonlyArray<string>
  /** Metrics that were retired, and that the job names. */
  readonly named: ReadonlyArray<string>
}

/** Keeps metrics that a job leaves out, and those that were retired before, as retired; nothing where no other would be left. */
export const retire = (
  kept: Pick<Definition, "retired">,
  before: ReadonlyArray<string>,
  wanted: ReadonlyArray<string>
): Retiring | undefined => {
  const named = wanted.filter((name) => kept.retired?.includes(name))
  const left = before.filter((name) => !wanted.includes(name))
  const retired = [...left, ...named]
  const columns = [...before, ...wanted.filter((name) => !before.includes(name))]
  const isLeft = before.some((name) => !retired.includes(name))
  return isLeft ? { columns, retired, named } : undefined
}

/** The definition with these metrics retired, of which the service refused some, and when those were that were not `before`. */
export const withRetired = (
  definition: Definition,
  retired: ReadonlyArray<string>,
  refused: ReadonlyArray<string>,
  before: Pick<Definition, "retired" | "retirements"> = definition,
  now?: Retirement
): Definition => {
  const both = refused.filter((name) => retired.includes(name))
  const retirements = retired.flatMap((name) => {
    const own = before.retired?.includes(name) === true ? before.retirements?.[name] : now
    return own === undefined ? [] : [[name, own] as const]
  })
  return {
    ...Struct.omit(definition, ["retired", "refused", "retirements"]),
    ...(retired.length === 0 ? {} : { retired }),
    ...(both.length === 0 ? {} : { refused: both }),
    ...(retirements.length === 0 ? {} : { retirements: Object.fromEntries(retirements) })
  }
}

const listOf = (value: unknown): ReadonlyArray<string> => (Array.isArray(value) ? value.filter(Predicate.isString) : [])

/** Starts are kept as the service writes times, so that they compare as text. Without one a series is held from its beginning. */
const startsEarlier = (before: unknown, after: unknown): boolean =>
  Predicate.isString(before) && Predicate.isString(after) && after < before
