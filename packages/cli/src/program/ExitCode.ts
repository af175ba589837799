/** Exit codes by category. */

export const codes = {
  bug: 1,
  usage: 2,
  key: 3,
  licence: 4,
  missing: 5,
  rate: 6,
  network: 7,
  reply: 8,
  system: 9,
  incomplete: 10,
  interrupted: 130
} as const

export type Kind = keyof typeof codes

/** When a command ends with the code of a category, and with 0. `sluice help exit` prints these rows, which docs/command-line.md has too. */
export const rows: ReadonlyArray<readonly [code: number, kind: Kind | "", means: string]> = [
  [0, "", "success; also when the reader closed the pipe"],
  [codes.bug, "bug", "a bug in this program"],
  [
    codes.usage,
    "usage",
    "a flag, a parameter, an endpoint name, a split, a format or a setting is wrong, or the service does not know the name of an asset, a market, a metric or another; nothing was read"
  ],
  [codes.key, "key", "the key is missing, or the service does not know it"],
  [codes.licence, "licence", "the key may not read this, or the root does not offer it"],
  [
    codes.missing,
    "missing",
    "the service has no such endpoint or has removed it, lists no such job, or has no results of it"
  ],
  [codes.rate, "rate", "other programs use up the rate limit of this key or address"],
  [
    codes.network,
    "network",
    "no complete reply after all retries; the PostgreSQL of a cluster, or the store of a shared quota, does not answer or refuses"
  ],
  [
    codes.reply,
    "reply",
    "the reply does not match the documented interface, or a value does not fit the file format; an answer of `doctor --service` contradicts what Sluice relies on"
  ],
  [
    codes.system,
    "system",
    "a file, folder or disk is in use, damaged, full or not permitted, or a folder holds something else"
  ],
  [
    codes.incomplete,
    "incomplete",
    "several parts of a download, or requests of a sync, failed; the others are kept, and `--resume` reads the remaining ones. A backfill ended without all of its files, or, where no cluster is named, cannot go on. `sluice verify` found entities that no sync has read to the end, or with `--catalog` that the service lists more than the dataset has; `sluice audit` has findings that nobody acknowledged. `sluice get --offline` asks for what is not held"
  ],
  [codes.interrupted, "interrupted", "Ctrl-C or SIGTERM; a download can be resumed"]
]

/** Those that somebody has to mend come before those that may pass by themselves. */
const worstFirst = [
  "bug",
  "system",
  "usage",
  "key",
  "licence",
  "missing",
  "reply",
  "network",
  "rate",
  "incomplete"
] as const satisfies ReadonlyArray<Kind>

/** The category of several failures. */
export const worst = (kinds: ReadonlyArray<string>): Kind => worstFirst.find((kind) => kinds.includes(kind)) ?? "bug"

export const isKind = (text: string): text is Kind => Object.hasOwn(codes, text)
