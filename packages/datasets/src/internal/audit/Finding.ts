/**
 * What an audit finds, as data.
 */
import * as Schema from "effect/Schema"
import * as Checksum from "@sluice/files/internal/folder/Checksum"
import type { Time } from "../model/Store.ts"

/** Schema of {@link FindingKind}. */
export const FindingKind = Schema.Literals([
  "hole",
  "repeat",
  "disorder",
  "offGrid",
  "badTime",
  "stale",
  "outlier",
  "outOfBounds",
  "inconsistent",
  "crossed",
  "late",
  "unread",
  "missingFile"
])
/**
 * What is wrong: records are missing (`hole`), are there twice (`repeat`) or behind later ones (`disorder`); a time is none of the
 * frequency (`offGrid`), or none at all (`badTime`); a value stays the same far longer than usual (`stale`), stands far off those around it
 * (`outlier`), is negative or zero where it cannot be (`outOfBounds`), or contradicts another of its record (`inconsistent`); the best bid is not
 * below the best ask (`crossed`); the last record is too old (`late`); no sync has read an entity to its
 * end (`unread`); a file was removed (`missingFile`).
 */
export type FindingKind = typeof FindingKind.Type

/** Something that an audit found: of one record, or of consecutive ones. */
export interface Finding {
  readonly _tag: "Finding"
  /** The same in every audit, as long as the same is wrong: it can be acknowledged. */
  readonly id: string
  /** What is wrong. */
  readonly kind: FindingKind
  /** The entity that it is about. */
  readonly entity: string
  /** The field, or those that contradict each other; absent of a record as a whole. */
  readonly field?: string
  /** Time of the first and of the last record that it is about; of a hole, of those that are missing. */
  readonly from: Time
  /** Time of the last record that it is about. */
  readonly to: Time
  /** Records that it is about. */
  readonly count: number
  /** A sentence without the entity and the times. */
  readonly reason: string
  /** Of a hole that was asked for: whether the service has records there. */
  readonly isAtService?: boolean
  /** Whether somebody has looked at it and knows of it. */
  readonly isAcknowledged: boolean
}

/** A finding before it has its id. */
export type Found = Omit<Finding, "_tag" | "id" | "isAcknowledged">

/**
 * How a day of an entity is: all is there and nothing was found (`available`), something was found or is missing (`degraded`), it may still
 * come (`pending`), or there is nothing of it (`missing`).
 */
export type ConditionWord = "available" | "degraded" | "pending" | "missing"

/** Consecutive days of an entity that are alike. */
export interface Condition {
  readonly _tag: "Condition"
  /** The entity. */
  readonly entity: string
  /** What these days are. */
  readonly condition: ConditionWord
  /** The first and the last day, such as `2025-04-01`. */
  readonly from: string
  /** The last day. */
  readonly to: string
  /** How many days they are. */
  readonly days: number
}

/** Numbers of the whole audit, at its end. */
export interface Summary {
  readonly _tag: "Audited"
  /** The folder or the table. */
  readonly dataset: string
  /** How many entities were looked at. */
  readonly entities: number
  /** How many records were looked at. */
  readonly records: number
  /** Days of all entities by their condition. */
  readonly days: Readonly<Record<ConditionWord, number>>
  /** How many findings there are, with and without those that are acknowledged. */
  readonly findings: number
  /** How many findings nobody has acknowledged. */
  readonly unacknowledged: number
  /** Findings by their kind. */
  readonly kinds: Readonly<Partial<Record<FindingKind, number>>>
  /** Holes that the service was not asked about, as they were more than an audit asks for. Absent where it asks for none. */
  readonly unasked?: number
  /** Of metrics whose review is held: how many values have a status, and how many of these were revised. */
  readonly revised?: { readonly values: number; readonly revised: number }
}

/** What an audit emits. */
export type Audit = Finding | Condition | Summary

/** Characters of an id: of 2^48 ids, two of a million findings are the same with a chance of 1 in 500. */
const digits = 12

/** The id of a finding: what it is about, and not how it is told. */
export const idOf = ({ entity, field = "", from, kind, to }: Found): string =>
  Checksum.ofText(JSON.stringify([kind, entity, field, from, to])).slice(0, digits)
