/**
 * What came of many schedules, in figures.
 */
import * as ObservedRequest from "./ObservedRequest.ts"
import type { Trial } from "./Trial.ts"

/** Figures of any number of schedules. */
export interface Summary {
  schedules: number
  streams: number
  requests: number
  /** Records that were compared. */
  records: number
  /** Milliseconds, on the clocks the schedules ran on. */
  elapsed: number
  /** How streams ended. */
  readonly ends: Record<string, number>
  /** Faults that were met, by kind. */
  readonly faults: Record<string, number>
  readonly failed: Array<Trial>
}

/** No schedules. */
export const empty = (): Summary => ({
  schedules: 0,
  streams: 0,
  requests: 0,
  records: 0,
  elapsed: 0,
  ends: {},
  faults: {},
  failed: []
})

const count = (counts: Record<string, number>, name: string) => {
  counts[name] = (counts[name] ?? 0) + 1
}

/** Adds one more. */
export const add = (self: Summary, trial: Trial): void => {
  self.schedules += 1
  self.elapsed += trial.observed.elapsed
  for (const { end, requests, rows } of trial.observed.streams) {
    self.streams += 1
    self.requests += requests.length
    self.records += rows.length
    count(self.ends, end._tag === "Failed" ? end.error._tag : end._tag)
    for (const request of requests)
      for (const { kind } of ObservedRequest.faultsOf(request.faults)) count(self.faults, kind)
  }
  if (trial.findings.length > 0) self.failed.push(trial)
}

const list = (counts: Record<string, number>) =>
  Object.entries(counts)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count.toLocaleString("en-US")}`)
    .join(", ")

/** Writes the figures. */
export const show = (self: Summary): string => {
  const figure = (name: "schedules" | "streams" | "requests" | "records") =>
    `${self[name].toLocaleString("en-US")} ${name}`
  return [
    `${figure("schedules")}, ${figure("streams")}, ${figure("requests")}, ${figure("records")} compared, ${Math.round(self.elapsed / 3_600_000)} hours on their clocks`,
    `ends    ${list(self.ends)}`,
    `faults  ${list(self.faults)}`,
    `failed  ${self.failed.length}`
  ].join("\n")
}
