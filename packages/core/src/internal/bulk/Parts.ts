/** What a split takes and gives: the parameters of a request, and those of its parts. */
import type * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import type * as Params from "../../Params.ts"
import type { Period } from "./Period.ts"

/** How to split a request. With neither `by` nor `every` it stays whole. */
export interface Split<Name extends string = string> {
  /** A list parameter of which every record belongs to exactly one item, such as `assets`. */
  readonly by?: Name | undefined
  /**
   * Items per part, at most: fewer where the request would be too long for the service. Default 1; `Infinity` takes as many
   * as fit.
   */
  readonly size?: number | undefined
  /**
   * Length of a part in time, or months or years of the calendar in UTC, such as `1 month`, `3 months` or `1 year`: parts of the
   * calendar begin where months do, and the first is as long as what is left of its period. Periods of several months are counted
   * from January, and periods of several years from year 0. Needs `start_time` and `end_time`.
   */
  readonly every?: Duration.Input | Period | undefined
}

/** Parameters whose types are not known at compile time. */
export type AnyParams = Readonly<Record<string, Schema.Json>>

/** One part of a request, as JSON: lists are arrays of text, and absent values are left out. */
export interface Part<out P = AnyParams> {
  /** Counted from 0, in the order of the records. */
  readonly index: number
  /** The parameters that read it. */
  readonly params: P
}
/** Schema of {@link Part}, for parts that are saved and read back. */
export const Part = Schema.Struct({ index: Schema.Int, params: Schema.Record(Schema.String, Schema.Json) })

/** A request cannot be split like this. Nothing was sent. */
export class BadSplit extends Schema.TaggedError<BadSplit>()("BadSplit", {
  /** Path of the endpoint. */
  endpoint: Schema.String,
  /** The parameter, or the member of {@link Split}, that prevents it. */
  parameter: Schema.optional(Schema.String),
  /** The wildcard in the list, where that prevents it. */
  wildcard: Schema.optional(Schema.String),
  reason: Schema.String
}) {
  override get message() {
    const which = this.parameter === undefined ? "" : ` "${this.parameter}"`
    return `${this.endpoint}: cannot be split:${which} ${this.reason}`
  }
}

/** The parameters an endpoint takes; any for an `Endpoint.Any`. */
export type ParamsOf<E> = [Declared<E>] extends [never] ? Readonly<Record<string, unknown>> : Declared<E>

type Declared<E> = E extends (...args: infer Arguments) => unknown ? NonNullable<Arguments[0]> : never

/** The names of an endpoint's list parameters. */
export type ListName<E> = string extends keyof ParamsOf<E> ? string : ListIn<ParamsOf<E>>

type ListIn<P> = { [K in keyof P]-?: Extract<P[K], ReadonlyArray<unknown>> extends never ? never : K }[keyof P] & string

/** The parameters of a part: lists are arrays of their items, and times are those of the part. */
export type PartParams<E, P> = string extends keyof ParamsOf<E>
  ? AnyParams
  : {
      readonly [K in keyof P]: K extends ListName<E>
        ? ReadonlyArray<Item<P[K]>>
        : K extends "start_time" | "end_time"
          ? string
          : P[K]
    }

type Item<V> =
  V extends ReadonlyArray<infer I>
    ? Item<I>
    : V extends Params.Identified<infer Id>
      ? Id
      : V extends string
        ? Params.Items<V>
        : never
