/** Progress of a dataset: a line that is redrawn on a terminal, and plain lines elsewhere. */
import { harmless } from "@sluice/core/PlainText"
import type * as Dataset from "@sluice/datasets/Dataset"
import * as Amount from "./Amount.ts"
import * as QuotaWait from "./QuotaWait.ts"
import type { Side } from "./Screen.ts"
import * as Style from "./Style.ts"

/** Turns an event into text; empty where it is not shown. */
export type Show = (event: Dataset.Event) => string

/** Where the dataset is: a folder has files, a table has entities. */
export interface Where {
  readonly name: string
  readonly isFolder: boolean
}

/** Names that stand in one line; of more, how many there are. */
const mostNamed = 5

/** Some of the names; an event has the first hundred, and says how many there are. */
const listed = (names: ReadonlyArray<string>, all = names.length) =>
  harmless(
    all <= mostNamed
      ? names.join(", ")
      : `${names.slice(0, mostNamed - 1).join(", ")} and ${Amount.count(all - mostNamed + 1)} more`
  )

const noted = (what: string, names: ReadonlyArray<string>, all?: number) =>
  names.length === 0 ? [] : [`${what}: ${listed(names, all)}`]

const begun = (event: Dataset.Started) => {
  const { added, addedCount, dataset, dropped, droppedCount, entities, gone, goneCount, isNew, requests } = event
  const first = isNew
    ? `Beginning ${dataset} with ${Amount.some(entities, "entity", "entities")}.`
    : `Bringing ${dataset} up to date: ${Amount.some(entities, "entity", "entities")}, ${Amount.some(requests, "request")}.`
  const notes = [
    ...(isNew ? [] : noted("New", added, addedCount)),
    ...noted("No longer there", gone, goneCount),
    ...noted("No longer in the list, and kept", dropped, droppedCount)
  ]
  return [first, ...notes.map((note) => `${note}.`)].map((line) => `${line}\n`).join("")
}

const figures = ({ done, failed, quota, records, requests }: Dataset.Progress): ReadonlyArray<string> => [
  `${done}/${Amount.some(requests, "request")}`,
  ...(failed === 0 ? [] : [`${failed} failed`]),
  Amount.some(records, "record"),
  ...QuotaWait.textOf(quota)
]

/** Of a database that failed there are no entities. */
const failed = ({ entities, reason }: Dataset.Failed) =>
  entities.length === 0 ? harmless(reason) : `${listed(entities)} failed: ${harmless(reason)}`

const retired = ({ metrics, reason }: Dataset.Retired) =>
  `No longer asked for, and kept: ${listed(metrics)} (${harmless(reason)})\n`

const checked = ({ files, records, verified }: Dataset.Verifying, { isFolder }: Where) => {
  const of = isFolder ? Amount.some(files, "file") : Amount.some(files, "entity", "entities")
  return `${Amount.count(verified)}/${of}, ${Amount.some(records, "record")}`
}

/** Says how many entities no sync has read to the end. */
export const unread = (count: number): string => `${Amount.some(count, "entity", "entities")} not read to the end`

/** Says what was proved, by the last event of a verification that found no damage. */
export const proved = (event: Dataset.Verifying, where: Where): string =>
  event.files === 0 ? `${harmless(where.name)} has no records yet.` : `Verified ${checked(event, where)}.`

type Changes = ReturnType<typeof makeChanges>

/** Adds up what a run has changed: records that are new, that were held before and came again, and that the service no longer has. */
const makeChanges = () => {
  const counts = { added: 0, again: 0, removed: 0, revised: 0 }
  let isWritten = false
  return {
    add: ({ deleted, records, replaced, revised = 0, written }: Dataset.Changed) => {
      counts.added += Math.max(0, records - replaced)
      counts.again += Math.min(records, replaced)
      counts.removed += Math.max(0, replaced - records)
      counts.revised += revised
      isWritten ||= written.length + deleted.length > 0
    },
    /** Whether records came or went, or files were written anew because values differ. */
    isNews: () => isWritten || counts.added + counts.removed > 0,
    text: () =>
      [
        Amount.some(counts.added, "new record"),
        ...(counts.again === 0
          ? []
          : [
              `${Amount.count(counts.again)} read again${counts.revised === 0 ? "" : ` (${Amount.count(counts.revised)} revised)`}`
            ]),
        ...(counts.removed === 0 ? [] : [`${Amount.count(counts.removed)} removed`])
      ].join(", ")
  }
}

const joined = ({ compacted, files, records, written }: Dataset.Compacting) =>
  `${Amount.count(compacted)}/${Amount.some(files, "file")} into ${Amount.count(written)}, ${Amount.some(records, "record")}`

/** Says what was compacted, by the last event. */
export const compacted = (event: Dataset.Compacting): string =>
  event.files === 0 ? `${harmless(event.dataset)} has nothing to compact.` : `Compacted ${joined(event)}.`

/** Nothing where the same came as was there. */
const changed = (event: Dataset.Changed) => {
  const { deleted, records, replaced, written } = event
  const files = [...noted("wrote", written), ...noted("removed", deleted)]
  if (files.length === 0 && records === replaced) return ""
  const counts = makeChanges()
  counts.add(event)
  return `${[counts.text(), ...files].join("; ")}\n`
}

const finished = ({ dataset, entities }: Dataset.Finished, changes: Changes) =>
  changes.isNews()
    ? `Done: ${changes.text()}, in ${dataset}.`
    : `Done: no news in ${dataset}, of ${Amount.some(entities, "entity", "entities")}.`

export const on = (side: Side, where: Where): Show => (side.isTerminal ? onTerminal(side, where) : inLines())

const onTerminal = ({ columns, style }: Side, where: Where): Show => {
  const fit = (text: string) => Style.cut(text, columns - 1)
  const changes = makeChanges()
  return (event) => {
    switch (event._tag) {
      case "Verifying":
        return event.files === 0 ? "" : `${Style.wipe}${fit(`Checked ${checked(event, where)}`)}`
      case "Compacting":
        return event.files === 0 ? "" : `${Style.wipe}${fit(`Compacted ${joined(event)}`)}`
      case "Started":
        return `${Style.wipe}${begun(event)}`
      case "Progress":
        return `${Style.wipe}${fit(figures(event).join("  "))}`
      case "Failed":
        return `${Style.wipe}${style.red(fit(failed(event)))}\n`
      case "Retired":
        return `${Style.wipe}${style.yellow(retired(event))}`
      case "Finished":
        return `${Style.wipe}${style.green(finished(event, changes))}\n`
      case "Changed":
        changes.add(event)
        return ""
      default:
        return ""
    }
  }
}

/** Shows events in a file or a pipe: a line for each change, and a line of progress every ten seconds. */
export const inLines = (): Show => {
  let next = 10_000
  const changes = makeChanges()
  return (event) => {
    switch (event._tag) {
      case "Started":
        return begun(event)
      case "Changed":
        changes.add(event)
        return changed(event)
      case "Failed":
        return `${failed(event)}\n`
      case "Retired":
        return retired(event)
      case "Finished":
        return `${finished(event, changes)}\n`
      case "Progress": {
        if (event.elapsed < next) return ""
        next = event.elapsed + 10_000
        return `${figures(event).join(", ")}\n`
      }
      default:
        return ""
    }
  }
}

/** Shows the events of a sync that goes on: all of the first run, and then what comes and what fails. */
export const watching = (side: Side, where: Where): Show => {
  const show = on(side, where)
  let isCurrent = false
  return (event) => {
    if (!isCurrent) {
      isCurrent = event._tag === "Finished"
      return show(event) + (isCurrent ? `Watching ${harmless(where.name)}; Ctrl-C ends it.\n` : "")
    }
    switch (event._tag) {
      case "Changed":
        return changed(event)
      case "Failed":
      case "Retired":
        return show(event)
      case "Disconnected":
        return `${side.style.yellow(harmless(`The connection is lost: ${event.reason}`))}\n`
      case "Connected":
        return event.connection === 1 ? "" : `${side.style.green("Connected again.")}\n`
      default:
        return ""
    }
  }
}

/** Shows the same in lines. */
export const watchingLines = ({ columns, style }: Side, where: Where): Show =>
  watching({ columns, style, isTerminal: false }, where)

/** Shows the events of one of several datasets: its name before each line, and no progress. */
export const named =
  (name: string, show: Show): Show =>
  (event) =>
    event._tag === "Progress" ? "" : show(event).replaceAll(/^(?=.)/gm, () => `${harmless(name)}: `)

const reasons: Readonly<Record<Dataset.Request["reason"], string>> = {
  new: "what is new, and the look-back",
  earlier: "an earlier start, missing files, or the rest of what was begun",
  hole: "what is missing",
  columns: "metrics that were added",
  probe: "whether there is news"
}

const day = (time: string) => time.replace(/T00:00:00(?:\.0+)?Z$/, "").replace(/\.0+Z$/, "Z")

const request = ({ entities, from, reason, to }: Dataset.Request) => {
  const range = `${from === undefined ? "from its beginning" : `from ${day(from)}`}${to === undefined ? "" : ` to ${day(to)}`}`
  // Of each only the latest records, which no range tells.
  return `  ${listed(entities)}, ${reason === "probe" ? "the latest records" : range}: ${reasons[reason]}`
}

export const planned = (
  { added, columns, dropped, entities, gone, isCompacting, isNew, missing, requests }: Dataset.Plan,
  dataset: string
): string =>
  [
    `${dataset}: ${isNew ? "a new dataset of " : ""}${Amount.some(entities.length, "entity", "entities")}, ${Amount.some(requests.length, "request")}`,
    ...(isNew ? [] : [...noted("New", added), ...noted("New metrics", columns)]),
    ...noted("No longer there", gone),
    ...noted("No longer in the list, and kept", dropped),
    ...noted("Missing files", missing),
    ...noted("First", isCompacting ? [compacting] : []),
    ...requests.map(request)
  ].join("\n")

/** Says that a compaction was stopped. */
export const compacting = "a compaction to complete"

const lacks: Readonly<Record<Dataset.Difference["reason"], string>> = {
  absent: "nothing is held of it",
  earlier: "begins earlier",
  later: "goes on"
}

/** Says what a catalog lists and a dataset has not. */
export const compared = ({ compared, differences }: Dataset.Comparison, dataset: string): string =>
  [
    compared === 0
      ? `${dataset}: no catalog lists times of its entities, so there is nothing to compare with.`
      : `${dataset}: compared ${Amount.some(compared, "entity", "entities")} with the catalog.`,
    ...differences.map(({ entity, held, listed, reason }) => {
      const from = held === undefined ? "" : `, here ${day(held)}`
      return `  ${entity}: ${lacks[reason]}, in the catalog ${day(listed)}${from}`
    })
  ].join("\n")
