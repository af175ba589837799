/**
 * How far the tests of a property go: `pnpm test` tries what differs, `pnpm test:long` many more cases of it, but not
 * more than a build can wait for. `pnpm fuzz` and `pnpm simulate` try as many as they are asked for.
 */
import { inject } from "vitest"

declare module "vitest" {
  interface ProvidedContext {
    readonly isLong: boolean
  }
}

/** Whether the run is a long one. */
export const isLong = inject("isLong")

/** How often something is tried: in every run, and in a long one. */
export const times = (usual: number, long: number) => (isLong ? long : usual)

/** Of several ways one, another for each next index; all in a long run. */
export const oneOf = <A>(ways: ReadonlyArray<A>, index: number): ReadonlyArray<A> =>
  isLong ? ways : [ways[index % ways.length]!]

/** Of many cases each n-th; all in a long run. */
export const eachNth = <A>(cases: ReadonlyArray<A>, n: number): ReadonlyArray<A> =>
  isLong ? cases : cases.filter((_, index) => index % n === 0)

/** The first seed of what is drawn at random: always the same, so that a red build is about the change in it, or the given one. */
export const firstSeed = Number(process.env["SLUICE_TEST_SEED"] ?? 1)

/** So many seeds, in every run and in a long one. */
export const seeds = (usual: number, long: number): ReadonlyArray<number> =>
  Array.from({ length: times(usual, long) }, (_, index) => firstSeed + index)
