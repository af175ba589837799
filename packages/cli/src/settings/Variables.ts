/**
 * The settings of the client that can be given outside the command: their variable, their name in the config file,
 * and the option of the client that each sets. The one table of these names; docs/command-line.md lists the same.
 */

/** One setting. */
export interface Variable {
  /** Its name in the config file. */
  readonly key: string
  /** Its name in the environment. */
  readonly variable: `SLUICE_${string}`
  /** The option of the client, by which errors name it. */
  readonly setting: string
  /** What the config file may hold besides text. */
  readonly holds: "text" | "number" | "boolean"
  /** What help says of it. */
  readonly means: string
}

/** All of them. */
export const all: ReadonlyArray<Variable> = [
  {
    key: "root",
    variable: "SLUICE_BASE_URL",
    setting: "root",
    holds: "text",
    means: "paid (the default), community, or a URL"
  },
  {
    key: "api_key",
    variable: "SLUICE_API_KEY",
    setting: "apiKey",
    holds: "text",
    means: "the key"
  },
  {
    key: "plan",
    variable: "SLUICE_PLAN",
    setting: "plan",
    holds: "text",
    means: "the plan to assume until a reply names it: community, trial, default, download, or one that is new"
  },
  {
    key: "deprecated",
    variable: "SLUICE_DEPRECATED",
    setting: "deprecated",
    holds: "text",
    means: "warn, fail or ignore"
  },
  {
    key: "on_disorder",
    variable: "SLUICE_ON_DISORDER",
    setting: "onDisorder",
    holds: "text",
    means: "of repeated or unordered records: warn, fail or ignore"
  },
  {
    key: "connect_timeout",
    variable: "SLUICE_CONNECT_TIMEOUT",
    setting: "connect",
    holds: "text",
    means: "such as 10 seconds, the default"
  },
  {
    key: "first_byte_timeout",
    variable: "SLUICE_FIRST_BYTE_TIMEOUT",
    setting: "firstByte",
    holds: "text",
    means: "such as 60 seconds, the default"
  },
  {
    key: "idle_timeout",
    variable: "SLUICE_IDLE_TIMEOUT",
    setting: "idle",
    holds: "text",
    means: "such as 30 seconds, the default"
  },
  {
    key: "min_bytes_per_second",
    variable: "SLUICE_MIN_BYTES_PER_SECOND",
    setting: "minBytesPerSecond",
    holds: "number",
    means: "the fewest bytes a second; 100 when absent"
  },
  {
    key: "longest_wait",
    variable: "SLUICE_LONGEST_WAIT",
    setting: "longestWait",
    holds: "text",
    means: "such as 1 hour, or Infinity; 5 minutes when absent"
  },
  {
    key: "gzip",
    variable: "SLUICE_GZIP",
    setting: "gzip",
    holds: "boolean",
    means: "true (the default) or false"
  },
  {
    key: "parallel",
    variable: "SLUICE_PARALLEL",
    setting: "parallel",
    holds: "number",
    means: "requests at once; 10 when absent"
  },
  {
    key: "max_page_bytes",
    variable: "SLUICE_MAX_PAGE_BYTES",
    setting: "limits.maxPageBytes",
    holds: "number",
    means: "the largest page; depends on the request when absent"
  },
  {
    key: "max_empty_pages",
    variable: "SLUICE_MAX_EMPTY_PAGES",
    setting: "limits.maxEmptyPages",
    holds: "number",
    means: "empty pages in a row; 1,000 when absent"
  }
]

/** The setting of this name in the config file. */
export const ofKey = (key: string): Variable | undefined => all.find((row) => row.key === key)

/** Where the option can be set. */
export const ofSetting = (setting: string): Variable | undefined => all.find((row) => row.setting === setting)
