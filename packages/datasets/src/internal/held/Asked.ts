/**
 * Records that are read from a dataset: of some entities, metrics and times.
 */
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Parameter from "@sluice/core/Parameter"
import * as Params from "@sluice/core/Params"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { differing } from "@sluice/files/internal/folder/Differing"
import { BadDefinition, OtherDefinition } from "../model/DatasetError.ts"
import * as Definition from "../model/Definition.ts"
import * as SeriesParams from "../model/SeriesParams.ts"
import type { HeldRange, Kept } from "../model/Store.ts"

/** A request of records, and what a dataset that has them all is defined by. */
export interface Asked {
  readonly subject: SeriesParams.SeriesParams
  readonly range: HeldRange
  /** Wildcards among the entities. */
  readonly wildcards: ReadonlyArray<string>
  /** The parameters, with all that the dataset has, and without an end. */
  readonly params: Schema.JsonObject
}

/** A time before all records, from which a dataset grows to the beginning of its series. */
export const beginning = "1970-01-01T00:00:00.000000000Z"

const itemsOf = (values: Schema.JsonObject, name: string | undefined) =>
  name === undefined ? [] : Params.items(values[name])

const settingOf = (values: Schema.JsonObject, setting: string) => values[setting.replace("params.", "")]

const union = (before: ReadonlyArray<string>, more: ReadonlyArray<string>) => [...new Set([...before, ...more])]

/** Works out what is asked for. Fails for parameters that say something else than which records there are. */
export const of = Effect.fnUntraced(function* (
  dataset: string,
  endpoint: Endpoint.Any,
  given: Readonly<Record<string, unknown>>,
  kept: Kept | undefined
) {
  const nameOf = (role: Parameter.RoleTag, unit?: "time") => Parameter.find(endpoint.parameters, role, unit)?.name ?? ""
  const ends = [nameOf("End", "time"), nameOf("EndInclusive")]
  const whole = yield* SeriesParams.normalize(endpoint, given)
  const params = Struct.omit(whole, ends) as Schema.JsonObject
  const subject = yield* SeriesParams.make(endpoint, params)
  const { columns, entities, start } = subject.names
  if (kept !== undefined && kept.definition.endpoint !== endpoint.path) {
    const reason = `is another one than that of the dataset, ${kept.definition.endpoint}`
    return yield* new BadDefinition({ endpoint: endpoint.path, setting: "endpoint", reason })
  }
  const held = kept?.definition.params ?? {}
  const asked = { entities: itemsOf(params, entities), metrics: itemsOf(params, columns) }
  const from = SeriesParams.startOf(subject, { params })
  const begun = SeriesParams.startOf(subject, { params: held })
  const wildcards = asked.entities.filter((name) => name.includes("*"))
  const isWanted = SeriesParams.wantedBy(subject, { params })
  const found = wildcards.length === 0 ? [] : [...(kept?.cursors.keys() ?? [])].filter(isWanted)
  const names = asked.entities.filter((name) => !name.includes("*"))
  const frequency = nameOf("Frequency")
  const isSameFrequency =
    kept !== undefined && Parameter.frequencyOf(endpoint, held) === Parameter.frequencyOf(endpoint, params)
  const isEarlier = kept !== undefined && begun !== undefined && (from ?? beginning) < begun
  const result: Asked = {
    subject,
    range: {
      entities: union(names, found).toSorted(),
      from,
      to: SeriesParams.endOf(subject, whole),
      metrics: asked.metrics,
      others: itemsOf(held, columns).filter((name) => !asked.metrics.includes(name))
    },
    wildcards,
    params: {
      ...(kept === undefined ? params : Struct.omit(params, [start])),
      ...(isSameFrequency ? Struct.pick(held, [frequency]) : {}),
      ...Struct.pick(held, [start]),
      [entities]: union(itemsOf(held, entities), asked.entities),
      ...(columns === undefined ? {} : { [columns]: union(itemsOf(held, columns), asked.metrics) }),
      ...(isEarlier ? { [start]: from ?? beginning } : {})
    }
  }
  if (kept === undefined) return result
  const { differs } = Definition.compare(kept.definition, { ...kept.definition, params: result.params }, subject.names)
  if (differs.length === 0) return result
  const values = differs.map((setting) =>
    differing(setting, settingOf(held, setting), settingOf(result.params, setting))
  )
  return yield* new OtherDefinition({ dataset, differs, values })
})
