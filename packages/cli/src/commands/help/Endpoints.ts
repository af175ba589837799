/** `sluice endpoints`: the list of endpoints. */
import * as Effect from "effect/Effect"
import * as EndpointIndex from "../../endpoints/EndpointIndex.ts"
import * as Descriptions from "../../endpoints/Descriptions.ts"
import * as Help from "./Help.ts"
import { Screen, type Side } from "../../terminal/Screen.ts"
import * as GlobalFlags from "../../settings/GlobalFlags.ts"
import * as Style from "../../terminal/Style.ts"

/** An endpoint as it is listed. */
export interface Row {
  readonly path: string
  readonly name: string
  readonly summary: string
  readonly deprecated: boolean
  /** Whether `tail` follows it; `get` and `download` read the others. */
  readonly live: boolean
}

/** The endpoints whose path, name or summary contains all the words. */
export const rowsOf = Effect.fnUntraced(function* (words: ReadonlyArray<string>) {
  const { endpoints } = yield* Descriptions.load
  return [...EndpointIndex.all, ...EndpointIndex.live]
    .map((entry): Row => ({
      path: EndpointIndex.pathOf(entry),
      name: EndpointIndex.nameOf(entry),
      summary: endpoints[entry.endpoint.path]?.summary ?? "",
      deprecated: entry.endpoint.deprecated !== undefined,
      live: entry.endpoint.reply === "frames"
    }))
    .filter(({ name, path, summary }) => {
      const text = `${path} ${name} ${summary}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
})

export const run = Effect.fnUntraced(function* (filter: ReadonlyArray<string>) {
  const screen = yield* Screen
  const words = filter.flatMap((text) => text.toLowerCase().split(/\s+/))
  const rows = yield* rowsOf(words)
  if (yield* GlobalFlags.Json) return yield* screen.print(JSON.stringify(rows, null, 2))
  if (rows.length === 0) {
    return yield* screen.say(`No endpoint matches ${words.map((word) => JSON.stringify(word)).join(" and ")}.\n`)
  }
  yield* screen.print(lines(rows, screen.out).join("\n"))
  const { style } = screen.err
  if (screen.out.isTerminal) yield* screen.say(`\n${style.dim("`sluice describe <endpoint>` describes one.")}\n`)
})

const lines = (rows: ReadonlyArray<Row>, { columns, isTerminal, style }: Side) => {
  const width = Math.max(...rows.map(({ path }) => path.length))
  const line = ({ deprecated, path, summary }: Row) => {
    const text = Help.prose(isTerminal ? Style.cutWords(summary, Math.max(20, columns - width - 2)) : summary, style)
    const name = path.padEnd(width)
    return deprecated ? style.dim(`${name}  ${text}`) : `${style.cyan(name)}  ${text}`
  }
  const groups = [
    { title: undefined, rows: rows.filter(({ deprecated, live }) => !deprecated && !live) },
    { title: "Live, for `tail`", rows: rows.filter(({ live }) => live) },
    { title: "Deprecated", rows: rows.filter(({ deprecated }) => deprecated) }
  ].filter(({ rows }) => rows.length > 0)
  return groups.flatMap(({ rows, title }, index) => [
    ...(index === 0 ? [] : [""]),
    ...(title === undefined ? [] : [style.bold(title)]),
    ...rows.map(line)
  ])
}
