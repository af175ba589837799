/**
 * What a cursor tells of metrics that are no longer asked for. Their values stay, and runs go on without them.
 */
import * as Struct from "effect/Struct"
import type { Retirement } from "./Definition.ts"
import * as Moment from "./Moment.ts"
import type { Cursor, Time } from "./Store.ts"

/** What an entity had of a metric when that was asked for the last time. */
export type Left = NonNullable<Cursor["left"]>[number]

const withLeft = (cursor: Cursor, left: ReadonlyArray<Left>): Cursor =>
  left.length === 0 ? Struct.omit(cursor, ["left"]) : { ...cursor, left }

/** The cursor without these metrics, of which it has what it had before a run that was refused them. */
export const leave = (cursor: Cursor, metrics: ReadonlyArray<string>, before: Cursor = cursor): Cursor => {
  const names = cursor.columns.filter((name) => metrics.includes(name))
  if (names.length === 0) return cursor
  const now = names.map((name): Left => {
    const { from, last, todo } = before.columns.includes(name) ? before : cursor
    return { name, from, last, ...(todo === undefined ? {} : { todo }) }
  })
  const columns = cursor.columns.filter((name) => !names.includes(name))
  const others = (cursor.left ?? []).filter(({ name }) => !names.includes(name))
  return withLeft({ ...cursor, columns }, [...others, ...now])
}

/** The metrics that were left, and are not asked for again. */
export const without = ({ left = [] }: Pick<Cursor, "left">, columns: ReadonlyArray<string>): Pick<Cursor, "left"> => {
  const others = left.filter(({ name }) => !columns.includes(name))
  return others.length === 0 ? {} : { left: others }
}

/** The cursor after times of the entity were lost. */
export const lose = (cursor: Cursor, times: NonNullable<Cursor["todo"]>[number]): Cursor =>
  withLeft(
    cursor,
    (cursor.left ?? []).map((one) => ({ ...one, todo: [...(one.todo ?? []), times] }))
  )

/** The first time of which nothing is held; nothing where that is all. */
export const endOf = ({ last }: Left, every: number | undefined, { begun }: Partial<Retirement> = {}) => {
  const behind: Time | undefined =
    last === null ? undefined : every === undefined ? Moment.next(last) : Moment.later(last, every)
  return behind === undefined || (begun !== undefined && begun > behind) ? begun : behind
}
