/** Heads of replies, as strange as HTTP lets them be. */
import * as Schema from "effect/Schema"
import { below, Choice } from "./Choice.ts"
import * as Secret from "./Secret.ts"

const names = [
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
  "x-ratelimit-plan",
  "retry-after",
  "content-type",
  "cf-ray",
  "deprecation",
  "sunset",
  "link",
  "content-encoding",
  "content-length",
  "location",
  "x-anything"
] as const

const values = [
  "",
  "0",
  "1",
  "-1",
  "10",
  "6000",
  "9007199254740993",
  "1e9",
  "Infinity",
  "NaN",
  "10, 10;w=6",
  "6000, 6000;w=20",
  "10000000, 1;w=2678400",
  "1, 1;w=2678400",
  "10000000, 10000000;w=1, 1;w=60",
  '5, 5;w=0;w=1, "a,b;w=1", ;;w=',
  '"\\"\\"\\"\\"\\"\\"',
  "trial",
  "download",
  "constructor",
  "__proto__",
  "Wed, 21 Oct 2026 07:28:00 GMT",
  "Thu, 01 Jan 1970 00:10:00 GMT",
  "Wed, 31 Feb 2026 07:28:00 GMT",
  "@1688169599",
  "@-99999999999",
  "@999999999999",
  "?1",
  "true",
  "text/html",
  "application/json; charset=utf-16",
  '<https://h.test/x?api_key=k>; rel="successor-version", <y>; rel=next',
  "<<<<<<<<<<<<<<<<;;;;;;;;rel=",
  '</v4/new>; rel="successor-version"',
  "gzip",
  Secret.key,
  `<https://h.test/${Secret.encoded}/x?api_key=${Secret.key}>; rel="successor-version"`
]

/** Node reads no more of a head than this. */
const longest = 16_000

const Value = Schema.Union([
  Schema.Literals(values),
  Schema.String,
  Choice,
  Schema.Struct({ text: Schema.Union([Schema.Literals(values), Schema.String]), times: below(20_000) })
])

/** A header, or those that only mean something together: known values, any text, any number, any of them many times. */
export const Header = Schema.Union([
  Schema.Struct({ name: Schema.Literals(names), value: Value }),
  Schema.Struct({ name: Schema.Literal("deprecation"), successor: Value }),
  Schema.Struct({ name: Schema.Literal("x-ratelimit-limit"), limit: Value, remaining: below(3), reset: Value })
])

export type Header = typeof Header.Type

const textOf = (value: typeof Value.Type): string => {
  if (typeof value === "string" || typeof value === "number") return String(value)
  return value.text.repeat(value.text === "" ? 0 : Math.min(value.times, Math.ceil(longest / value.text.length)))
}

const pairsOf = (header: Header): ReadonlyArray<readonly [name: string, value: string]> => {
  if ("value" in header) return [[header.name, textOf(header.value)]]
  if ("successor" in header) {
    return [
      ["deprecation", "true"],
      ["link", `<${textOf(header.successor)}>; rel="successor-version"`.slice(-longest)]
    ]
  }
  return [
    ["x-ratelimit-limit", textOf(header.limit)],
    ["x-ratelimit-remaining", String(header.remaining)],
    ["x-ratelimit-reset", textOf(header.reset)]
  ]
}

// Whatever a parser of HTTP lets through: visible ASCII, tabs, and bytes above it.
const sendable = (text: string) =>
  Buffer.from(text)
    .toString("latin1")
    .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "")
    .trim()
    .slice(0, longest)

/** The headers as a client sees them: one value for each name, those given twice joined. */
export const toRecord = (headers: ReadonlyArray<Header>): Readonly<Record<string, string>> => {
  const joined: Record<string, string> = {}
  for (const [name, value] of headers.flatMap(pairsOf)) {
    const text = sendable(value)
    joined[name] = joined[name] === undefined ? text : `${joined[name]}, ${text}`.slice(0, longest)
  }
  return joined
}
