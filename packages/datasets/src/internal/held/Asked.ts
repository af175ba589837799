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
import * as Prepare from "../plan/Prepare.ts"
import type { HeldRange, Kept } from "../model/Store.ts"

/** A request of records, and what a dataset that has them all is defined by. */
export interface Asked {
  readonly subject: SeriesParams.SeriesParams
  readonly range: HeldRange
  /** Wildcards among the entities. */
  readonly wildcards: ReadonlyArray<string>
  /** The parameters without an end. */
  readonly params: Schema.JsonObject
}

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
  const subject = yield* SeriesParams.makeAny(endpoint, params)
  const { columns, entities } = subject.names
  if (kept !== undefined && kept.definition.endpoint !== endpoint.path) {
    const reason = `is another one than that of the dataset, ${kept.definition.endpoint}`
    return yield* new BadDefinition({ endpoint: endpoint.path, setting: "endpoint", reason })
  }
  const held = kept?.definition.params ?? {}
  const names = itemsOf(params, entities)
  const metrics = itemsOf(params, columns)
  const wildcards = names.filter((name) => name.includes("*"))
  const isWanted = SeriesParams.wantedBy(subject, { params })
  const found = wildcards.length === 0 ? [] : [...(kept?.cursors.keys() ?? [])].filter(isWanted)
  const result: Asked = {
    subject,
    range: {
      entities: subject.isList
        ? [""]
        : union(
            names.filter((name) => !name.includes("*")),
            found
          ).toSorted(),
      from: SeriesParams.startOf(subject, { params }),
      to: SeriesParams.endOf(subject, whole),
      metrics,
      others: itemsOf(held, columns).filter((name) => !metrics.includes(name))
    },
    wildcards,
    params
  }
  if (kept === undefined) return result
  const grown = subject.isList
    ? params
    : {
        ...Prepare.grownBy(endpoint, kept, params),
        ...(columns === undefined ? {} : { [columns]: union(itemsOf(held, columns), metrics) })
      }
  const { differs } = Definition.compare(kept.definition, { ...kept.definition, params: grown }, subject.names)
  if (differs.length === 0) return result
  const values = differs.map((setting) => differing(setting, settingOf(held, setting), settingOf(grown, setting)))
  return yield* new OtherDefinition({ dataset, differs, values })
})
