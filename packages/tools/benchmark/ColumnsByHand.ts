/**
 * What people write to get typed arrays without a library: records parsed as objects, each value converted.
 *
 * Free of Effect, as all that is written by hand.
 */
import * as Workload from "./Workload.ts"

/** Records of a batch, as of the batches of Sluice. */
const rows = 16_384

type Add = (value: unknown, index: number) => void

const doubles = (): Add => {
  let values = new Float64Array(rows)
  return (value, index) => {
    if (index === 0) values = new Float64Array(rows)
    values[index] = typeof value === "string" ? Number(value) : Number.NaN
  }
}

/** Nanoseconds since 1970. */
const times = (): Add => {
  let values = new BigInt64Array(rows)
  return (value, index) => {
    if (index === 0) values = new BigInt64Array(rows)
    const text = String(value)
    values[index] = BigInt(Date.parse(text)) * 1_000_000n + BigInt(text.slice(23, 29))
  }
}

/** Texts that repeat. */
const codes = (): Add => {
  const words = new Map<unknown, number>()
  let values = new Int32Array(rows)
  return (value, index) => {
    if (index === 0) values = new Int32Array(rows)
    let code = words.get(value)
    if (code === undefined) words.set(value, (code = words.size))
    values[index] = code
  }
}

const texts = (): Add => {
  let values: Array<unknown> = []
  return (value, index) => {
    if (index === 0) values = []
    values.push(value)
  }
}

const builders: Readonly<Record<string, () => Add>> = {
  market: codes,
  asset: codes,
  side: codes,
  time: times,
  database_time: times,
  coin_metrics_id: texts
}

/** What a program reads of a column of numbers. */
export const touch = (values: Iterable<number>): number => {
  let sum = 0
  for (const value of values) sum += Math.trunc(value)
  return sum
}

/** Begins columns of the records of a workload, and gives what adds records. */
export const begin = (workload: Workload.Workload, seen: Workload.Seen) => {
  const kind = Workload.kindOf(workload)
  let columns: ReadonlyArray<readonly [name: string, add: Add]> | undefined
  let length = 0
  return (records: Workload.Rows): void => {
    columns ??= Object.keys(records[0] ?? {}).map((name) => [name, (builders[name] ?? doubles)()] as const)
    for (const record of records) {
      for (const [name, add] of columns) add(record[name], length)
      seen.records++
      seen.touched += Math.trunc(Number(record[kind.touched]))
      length = length + 1 === rows ? 0 : length + 1
    }
  }
}
