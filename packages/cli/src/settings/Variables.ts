/**
 * Settings that the environment or the config file can give: their names there, and the option of the client that each
 * sets. docs/settings.md has the same table.
 */

/** One setting. */
export interface Variable {
  /** Its name in the config file. */
  readonly key: string
  /** Its name in the environment. */
  readonly variable: `SLUICE_${string}`
  /** The option of the client; errors name the setting by it. */
  readonly setting: string
  /** The type of its value in the config file; text is accepted too. */
  readonly holds: "text" | "number" | "boolean"
  /** Its description in help. */
  readonly means: string
}

/** All of them. */
export const all: ReadonlyArray<Variable> = [
  {
    key: "root",
    variable: "SLUICE_BASE_URL",
    setting: "root",
    holds: "text",
    means: "paid (default), community, or a URL"
  },
  {
    key: "api_key",
    variable: "SLUICE_API_KEY",
    setting: "apiKey",
    holds: "text",
    means: "the API key"
  },
  {
    key: "plan",
    variable: "SLUICE_PLAN",
    setting: "plan",
    holds: "text",
    means: "the plan to assume until a reply names it: community, trial, default, download, or another"
  },
  {
    key: "deprecated",
    variable: "SLUICE_DEPRECATED",
    setting: "deprecated",
    holds: "text",
    means: "what to do with a deprecated endpoint: warn, fail or ignore"
  },
  {
    key: "on_disorder",
    variable: "SLUICE_ON_DISORDER",
    setting: "onDisorder",
    holds: "text",
    means: "what to do with repeated or unordered records: warn, fail or ignore"
  },
  {
    key: "connect_timeout",
    variable: "SLUICE_CONNECT_TIMEOUT",
    setting: "connect",
    holds: "text",
    means: "the longest wait for a connection; default 10 seconds"
  },
  {
    key: "first_byte_timeout",
    variable: "SLUICE_FIRST_BYTE_TIMEOUT",
    setting: "firstByte",
    holds: "text",
    means: "the longest wait for the first byte; default 60 seconds"
  },
  {
    key: "idle_timeout",
    variable: "SLUICE_IDLE_TIMEOUT",
    setting: "idle",
    holds: "text",
    means: "the longest pause within a reply; default 30 seconds"
  },
  {
    key: "min_bytes_per_second",
    variable: "SLUICE_MIN_BYTES_PER_SECOND",
    setting: "minBytesPerSecond",
    holds: "number",
    means: "a slower reply is abandoned and retried; default 100"
  },
  {
    key: "longest_wait",
    variable: "SLUICE_LONGEST_WAIT",
    setting: "longestWait",
    holds: "text",
    means: "the longest wait for the rate limit, such as 1 hour or Infinity; default 5 minutes"
  },
  {
    key: "gzip",
    variable: "SLUICE_GZIP",
    setting: "gzip",
    holds: "boolean",
    means: "whether to ask for compressed replies: true (default) or false"
  },
  {
    key: "ca_file",
    variable: "SLUICE_CA_FILE",
    setting: "caFile",
    holds: "text",
    means: "a file of certificates (PEM) to accept as well, such as those of a proxy"
  },
  {
    key: "parallel",
    variable: "SLUICE_PARALLEL",
    setting: "parallel",
    holds: "number",
    means: "requests at the same time; default 10"
  },
  {
    key: "quota_store",
    variable: "SLUICE_QUOTA_STORE",
    setting: "quotaStore",
    holds: "text",
    means: "where processes share one quota: redis://…, rediss://…, unix:///path of a socket, local, or local:/folder"
  },
  {
    key: "quota_store_gone",
    variable: "SLUICE_QUOTA_STORE_GONE",
    setting: "whenUnavailable",
    holds: "text",
    means: "what to do while that cannot be reached: share (default) or fail"
  },
  {
    key: "max_page_bytes",
    variable: "SLUICE_MAX_PAGE_BYTES",
    setting: "limits.maxPageBytes",
    holds: "number",
    means: "the largest page; the default depends on the request"
  },
  {
    key: "max_line_bytes",
    variable: "SLUICE_MAX_LINE_BYTES",
    setting: "limits.maxLineBytes",
    holds: "number",
    means: "the longest line of a json_stream; default 8 MiB"
  },
  {
    key: "max_empty_pages",
    variable: "SLUICE_MAX_EMPTY_PAGES",
    setting: "limits.maxEmptyPages",
    holds: "number",
    means: "the most empty pages in a row; default 1,000"
  }
]

/** The setting with this name in the config file. */
export const ofKey = (key: string): Variable | undefined => all.find((row) => row.key === key)

/** The setting for this option of the client. */
export const ofSetting = (setting: string): Variable | undefined => all.find((row) => row.setting === setting)
