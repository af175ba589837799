/**
 * What many months came to.
 */
import type { Outcome } from "./Month.ts"
import * as Scenario from "./Scenario.ts"

/** The sum of months. */
export interface Summary {
  months: number
  days: number
  syncs: number
  disturbed: number
  requests: number
  records: number
  allowed: number
  rows: number
  watched: number
  grown: number
  readonly targets: Map<string, number>
  readonly stores: Map<string, number>
  readonly failed: Array<Outcome>
}

/** No months. */
export const empty = (): Summary => ({
  months: 0,
  days: 0,
  syncs: 0,
  disturbed: 0,
  requests: 0,
  records: 0,
  allowed: 0,
  rows: 0,
  watched: 0,
  grown: 0,
  targets: new Map(),
  stores: new Map(),
  failed: []
})

/** Adds a month. */
export const add = (self: Summary, outcome: Outcome): void => {
  const { allowed, disturbed, findings, grown, records, requests, rows, scenario, syncs, watched } = outcome
  self.months += 1
  self.days += scenario.days.length
  self.syncs += syncs
  self.disturbed += disturbed
  self.requests += requests
  self.records += records
  self.allowed += allowed
  self.rows += rows
  self.watched += watched
  self.grown += grown
  for (const [counts, name] of [[self.targets, scenario.target] as const, [self.stores, scenario.store] as const]) {
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  if (findings.length > 0) self.failed.push(outcome)
}

/** Says what is wrong with a month, and how to repeat it. */
export const explain = (
  { failedAt = 0, findings, scenario }: Outcome,
  smaller: Scenario.Scenario | undefined
): string => {
  const { days: _, ...settings } = scenario
  const day = scenario.days[failedAt]
  const replay = smaller === undefined ? "" : ` --calm-before ${Scenario.disturbedFrom(smaller)}`
  return [
    `seed ${scenario.seed}, day ${failedAt}:`,
    ...findings.map((text) => `  - ${text}`),
    `  ${JSON.stringify(settings)}`,
    `  the day: ${JSON.stringify(day)}`,
    `  again with: pnpm month --seed ${scenario.seed} --store ${scenario.store} --days ${failedAt + 1}${replay}`
  ].join("\n")
}

/** Says how it went. */
export const show = (self: Summary): string =>
  [
    `${self.months} months of ${self.days} days, ${self.failed.length} failed`,
    `${self.syncs} syncs, of which ${self.disturbed} were killed, interrupted or without a service or a disk`,
    `the undisturbed ones sent ${self.requests} requests and received ${self.records} records, where ${self.allowed} would have been within bounds`,
    `${self.rows} records held in the end`,
    `definitions grew ${self.grown} times, and datasets were watched ${self.watched} times`,
    [...self.targets].map(([name, count]) => `${count} of ${name}`).join(", "),
    [...self.stores].map(([name, count]) => `${count} in ${name}`).join(", ")
  ].join("\n")
