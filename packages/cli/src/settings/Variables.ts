/**
 * Settings that the environment or the config file can give: their names there, and the option of the client that each
 * sets. docs/settings.md has the same table.
 */
import * as Defaults from "@sluice/core/Defaults"

/** The value in the config file may be text in any case. */
type Row = readonly [key: string, setting: string, holds: "text" | "number" | "boolean", means: string]

const rows: ReadonlyArray<Row> = [
  ["root", "root", "text", "paid (default), community, or a URL"],
  ["api_key", "apiKey", "text", "the API key"],
  [
    "plan",
    "plan",
    "text",
    "the plan to assume until a reply names it: community, trial, default, download, or another"
  ],
  ["deprecated", "deprecated", "text", "what to do with a deprecated endpoint: warn, fail or ignore"],
  ["on_disorder", "onDisorder", "text", "what to do with repeated or unordered records: warn, fail or ignore"],
  ["connect_timeout", "connect", "text", "the longest wait for a connection"],
  ["first_byte_timeout", "firstByte", "text", "the longest wait for the first byte"],
  ["idle_timeout", "idle", "text", "the longest pause within a reply"],
  ["min_bytes_per_second", "minBytesPerSecond", "number", "a slower reply is abandoned and retried"],
  ["longest_wait", "longestWait", "text", "the longest wait for the rate limit, such as 1 hour or Infinity"],
  ["gzip", "gzip", "boolean", "whether to ask for compressed replies: true or false"],
  ["ca_file", "caFile", "text", "a file of certificates (PEM) to accept as well, such as those of a proxy"],
  ["parallel", "parallel", "number", "requests at the same time"],
  [
    "quota_store",
    "quotaStore",
    "text",
    "where processes share one quota: redis://…, rediss://…, unix:///path of a socket, local, or local:/folder"
  ],
  ["when_unavailable", "whenUnavailable", "text", "what to do while that cannot be reached: share or fail"],
  ["max_page_bytes", "limits.maxPageBytes", "number", "the largest page; the default depends on the request"],
  ["max_line_bytes", "limits.maxLineBytes", "number", "the longest line of a json_stream, in bytes"],
  ["max_empty_pages", "limits.maxEmptyPages", "number", "the most empty pages in a row"]
]

const usually: ReadonlyMap<string, string | number | boolean | object> = new Map(Object.entries(Defaults))

/** A number with commas. `toLocaleString` takes 3 ms to load what it needs. */
const grouped = (text: string) => text.replaceAll(/(?<=\d)(?=(?:\d{3})+$)/g, ",")

/** All of them. In the environment each has its own name in capitals, but for the root. */
export const all = rows.map(([key, setting, holds, means]) => {
  const variable = `SLUICE_${key === "root" ? "BASE_URL" : key.toUpperCase()}` as const
  const usual = usually.get(setting.replace("limits.", ""))
  const text = usual === undefined ? means : `${means}; default ${grouped(String(usual))}`
  // Errors name a setting by the option of the client.
  return { key, variable, setting, holds, means: text }
})

export type Variable = (typeof all)[number]

export const ofKey = (key: string): Variable | undefined => all.find((row) => row.key === key)

export const ofSetting = (setting: string): Variable | undefined => all.find((row) => row.setting === setting)
