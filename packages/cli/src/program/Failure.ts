/**
 * What users read of each error: one sentence, a suggested fix, and the exit code.
 */
import type { ApiError } from "@sluice/core/ApiError"
import type { LiveError } from "@sluice/core/LiveError"
import type { JobError } from "@sluice/core/JobError"
import type { BadSplit, PartFailed } from "@sluice/core/Bulk"
import * as PlainText from "@sluice/core/PlainText"
import type { DatasetError } from "@sluice/node/Dataset"
import type { DownloadError } from "@sluice/node/Download"
import type { FormatError } from "@sluice/node/Format"
import * as Predicate from "effect/Predicate"
import type { UnknownBackfill, WrongState } from "@sluice/cluster/Backfill"
import type { BackfillStoreFailed } from "@sluice/cluster/BackfillStore"
import type { ClusterUnavailable } from "@sluice/cluster/Cluster"
import type { SocketServerError } from "effect/socket/SocketServer"
import type { BackfillEnded, WhichBackfill } from "../commands/Backfill.ts"
import type { Uncatalogued } from "../commands/Covered.ts"
import type { Unhealthy } from "../commands/Doctor.ts"
import type { BadName, NotText } from "../commands/Output.ts"
import type { BadPlace, MissingPackage } from "../commands/Place.ts"
import type { UnknownEndpoint } from "../endpoints/EndpointIndex.ts"
import type { BadTime } from "../endpoints/RelativeTime.ts"
import type { Misnamed } from "../endpoints/Suggestions.ts"
import * as Listings from "../endpoints/Listings.ts"
import * as Nearest from "../endpoints/Nearest.ts"
import type { BadCluster } from "../settings/ClusterUrl.ts"
import type { Explained } from "../settings/Explain.ts"
import type { ConnectionError } from "../settings/Connection.ts"
import type { OutputFailed } from "../terminal/Screen.ts"
import * as MeantRoot from "../settings/MeantRoot.ts"
import * as Target from "../settings/Target.ts"
import * as Variables from "../settings/Variables.ts"
import * as ClusterAdvice from "./ClusterAdvice.ts"
import * as DatasetAdvice from "./DatasetAdvice.ts"

/** Everything a command can fail with. */
export type Failure =
  | ApiError
  | LiveError
  | JobError
  | PartFailed
  | BadSplit
  | FormatError
  | DownloadError
  | DatasetError
  | ConnectionError
  | UnknownEndpoint
  | BadCluster
  | BackfillEnded
  | WhichBackfill
  | ClusterUnavailable
  | BackfillStoreFailed
  | UnknownBackfill
  | WrongState
  | SocketServerError
  | OutputFailed
  | NotText
  | BadName
  | BadPlace
  | MissingPackage
  | Uncatalogued
  | DatasetAdvice.CatalogDiffers
  | Unhealthy
  | BadTime
  | Misnamed
  | SandboxFailed
  | BadUse

/** The stand-in service cannot start: its port is in use. */
export interface SandboxFailed {
  readonly _tag: "SandboxUnavailable"
  readonly message: string
}

/** An invocation that cannot be parsed. */
export interface BadUse {
  readonly _tag: "BadUse"
  readonly message: string
  readonly next: string
}

/** Exit codes by category. docs/command-line.md describes them. */
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

/** The category of a failure. */
export type Kind = keyof typeof codes

const isKind = (text: string): text is Kind => Object.hasOwn(codes, text)

/** A failure as it is shown. */
export interface Shown extends Explained {
  readonly kind: Kind
}

interface Rule<E> {
  readonly kind: Kind
  readonly next?: string | ((error: E, target: Target.Known) => string | undefined)
}

/** Failures whose rules are those of others. */
type Outer = "SyncFailed" | "Unhealthy" | "PartFailed" | "JobUnread" | "CheckFailed" | "PartsFailed" | "Misnamed"

type Rules = { readonly [Tag in Exclude<Failure["_tag"], Outer>]: Rule<Extract<Failure, { readonly _tag: Tag }>> }

const describe = (endpoint: string) => `\`sluice describe ${endpoint.replace(/^\//, "")}\` lists its parameters.`

/** The command that lists what a parameter of an endpoint may name. */
const listing = (endpoint: string, parameter: string): string => {
  if (endpoint === "/reference-data/markets" && parameter === "type")
    return "The types are spot, future, option and bond."
  const command = Listings.find(endpoint, parameter)
  return command === undefined ? describe(endpoint) : `\`sluice ${command}\` lists what there is.`
}

const waitLonger = () => `Try again then, or allow a longer wait: ${placesOf("longestWait")}.`

const placesOf = (setting: string) => {
  const row = Variables.ofSetting(setting)
  return row === undefined
    ? "in the environment (SLUICE_…) or in the config file"
    : `${row.variable}, or ${row.key} in the config file`
}

// The key of the config file is sent only to the root of the config file.
const withheld = ({ root = "paid" }: Target.Known, own: string) =>
  `The key of the config file belongs to ${own} and was not sent to ${root}; set SLUICE_API_KEY.`

/** Whether a root is a URL that does not end in a version, as those of the service do. */
const lacksVersion = (root: string | undefined) =>
  root !== undefined && /^https?:/i.test(root) && !/\/v\d+\/*$/.test(root)

const folder: Rule<unknown> = { kind: "system" }

const rules: Rules = {
  InvalidRequest: {
    kind: "usage",
    next: ({ endpoint, kind, parameter = "" }) => {
      // The header of a fault of the stand-in: no endpoint has it, and the reason says where its kinds are listed.
      if (parameter.startsWith("x-")) return undefined
      // One of several is missing, which the message names.
      if (kind === "missing" && parameter !== "") return `Add --${parameter}; ${describe(endpoint)}`
      return kind === "refused" ? listing(endpoint, parameter) : describe(endpoint)
    }
  },
  BadSplit: {
    kind: "usage",
    next: ({ endpoint, parameter = "", wildcard }) =>
      wildcard === undefined || !endpoint.startsWith("/timeseries/")
        ? describe(endpoint)
        : `${listing(endpoint, parameter)} Name some, or split by time alone with \`--every\`.`
  },
  BadFormat: {
    kind: "usage",
    next: ({ endpoint, parameter }) =>
      endpoint === undefined || parameter === undefined
        ? "`sluice get --help`, `sluice download --help` and `sluice sync --help` list the formats and their options."
        : `Add --${parameter}; ${listing(endpoint, parameter)}`
  },
  UnknownEndpoint: {
    kind: "usage",
    next: ({ filled, live, pages }) => {
      if (pages !== undefined) return "`sluice endpoints live` lists those that can be followed."
      if (live !== undefined) return `\`sluice tail ${live}\` follows it.`
      return filled === undefined ? "`sluice endpoints` lists all of them." : `Write \`${filled}\` in its place.`
    }
  },
  BadCluster: { kind: "usage", next: "Set SLUICE_CLUSTER, or give --cluster." },
  CatalogDiffers: { kind: "incomplete", next: DatasetAdvice.onCatalog },
  BackfillEnded: { kind: "incomplete", next: ClusterAdvice.onEnded },
  WhichBackfill: { kind: "usage", next: "`sluice backfill status` lists them." },
  UnknownBackfill: { kind: "missing", next: "`sluice backfill status` lists them." },
  WrongState: { kind: "usage" },
  ClusterUnavailable: { kind: "network", next: ClusterAdvice.unavailable },
  BackfillStoreFailed: { kind: "network", next: ({ transient }) => ClusterAdvice.onStore(transient) },
  SocketServerError: { kind: "system", next: "Choose another port with --port." },
  BadUse: { kind: "usage", next: ({ next }) => next },
  BadConfigFile: { kind: "usage", next: "Correct the file, or name another with --config." },
  ConfigError: { kind: "usage", next: "Correct the setting in the environment (SLUICE_…) or in the config file." },
  Misconfigured: {
    kind: "usage",
    next: ({ setting }, target) => {
      if (setting === "apiKey") {
        if (target.withheldFrom !== undefined) return withheld(target, target.withheldFrom)
        return "Set SLUICE_API_KEY, put api_key into the config file, or use `--root community`."
      }
      if (setting === "root") {
        return "Give another with --root: paid, community, or a URL such as https://example.com/v4."
      }
      return `Change it where it is set: ${placesOf(setting)}.`
    }
  },
  Unauthorized: {
    kind: "key",
    next: (_, target) => {
      if (target.withheldFrom !== undefined) return withheld(target, target.withheldFrom)
      if (!target.hasKey) return "No key was sent: set SLUICE_API_KEY, or api_key in the config file."
      return "Check the key: SLUICE_API_KEY, or api_key in the config file; `--root community` needs none."
    }
  },
  Forbidden: {
    kind: "licence",
    next: ({ plan, root }) =>
      root.includes("community")
        ? "The community root has only community data; other data needs a key and `--root paid`."
        : `The licence of this key${plan === undefined ? "" : ` (plan ${plan})`} does not cover it: request less, or ask the provider for a larger licence.`
  },
  NotFound: {
    kind: "missing",
    next: (_, { root }) =>
      lacksVersion(root)
        ? `Does the root ${root} lack /v4? If not, check the names in the request.`
        : "Check the names in the request; the reference-data endpoints list those that exist."
  },
  Deprecated: {
    kind: "missing",
    next: ({ replacement }) =>
      replacement.length === 0
        ? "`sluice endpoints` lists the endpoints."
        : `Use ${replacement.join(" or ")} instead; \`sluice endpoints\` lists the endpoints that sluice knows.`
  },
  RateLimited: {
    kind: "rate",
    next: ({ longestWait }) =>
      longestWait === undefined
        ? "Another program uses this key or address: wait, or stop that program; `sluice quota` shows what is left."
        : waitLonger()
  },
  Unavailable: {
    kind: "network",
    next: ({ longestWait, phase, reason, transient }, { root = "" }) => {
      if (longestWait !== undefined) return waitLonger()
      if (reason.startsWith("the quota store ")) return ClusterAdvice.onQuotaStore(reason, placesOf("quotaStore"))
      if (phase === "connect") {
        const isStandIn = reason.includes("refused") && /^https?:\/\/(?:localhost|127\.[\d.]+|\[::1\])[:/]/i.test(root)
        const first = isStandIn ? "Is `sluice sandbox` running? Otherwise check" : "Check"
        return `${first} the network, and that the root is right (--root, SLUICE_BASE_URL).`
      }
      return transient ? "Try again later." : "If it happens again, report it to the provider with the trace."
    }
  },
  Decode: {
    kind: "reply",
    next: ({ setting }) =>
      setting === undefined
        ? "The reply does not match the documented interface: a newer version of sluice may read it."
        : `If the reply is right, raise the limit: ${placesOf(setting)}.`
  },
  JobUnconfirmed: { kind: "network", next: "Start it again only if a second job does no harm." },
  JobFailed: { kind: "missing", next: "Start it again, or report it to the provider." },
  JobExpired: { kind: "missing", next: "Start it again with `sluice jobs start`." },
  JobUnfinished: {
    kind: "incomplete",
    next: ({ id }) => `Later \`sluice jobs status ${id}\` tells whether it is done.`
  },
  JobUnknown: { kind: "missing", next: "Check the id; a job belongs to the key that started it." },
  JobResultRefused: { kind: "reply", next: "Report it to the provider." },
  JobResultGone: { kind: "missing", next: "Try again later, or start the job again." },
  Unwritable: {
    kind: "reply",
    next: "Choose a format that can hold it: ndjson holds every value, and Parquet with --numbers text every number."
  },
  FolderInUse: folder,
  FolderLost: folder,
  OtherJob: {
    kind: "system",
    next: ({ differs }) =>
      differs.some((name) => /^params\..*_time$/.test(name))
        ? "A time such as -30d moves on: with --resume it stays what it was when the download began."
        : undefined
  },
  NotFinished: { kind: "system", next: "Add --resume to continue it, or choose another folder." },
  NothingToResume: folder,
  FolderOccupied: folder,
  BookkeepingDamaged: folder,
  UnexpectedEntry: folder,
  FileChanged: folder,
  FileMissing: folder,
  FileFailed: folder,
  BadDefinition: {
    kind: "usage",
    next: ({ endpoint, setting }) => DatasetAdvice.onDefinition(setting) ?? describe(endpoint)
  },
  OtherDefinition: { kind: "system", next: DatasetAdvice.onOther },
  NoDataset: { kind: "usage", next: DatasetAdvice.onNone },
  NewerVersion: folder,
  UnexpectedRecord: { kind: "reply", next: "Run it again; if it happens again, report it to the provider." },
  OtherName: {
    kind: "usage",
    next: "Add the name to the list and run it again; what is held under the old one is kept, or removed with --gone remove."
  },
  DatasetDamaged: { kind: "system", next: DatasetAdvice.onDamage },
  StoreFailed: { kind: "system", next: DatasetAdvice.onStore },
  StoreInUse: folder,
  RunInterrupted: folder,
  TooSlow: {
    kind: "system",
    next: "Read the output faster, raise --capacity, or choose another --when-full: suspend or drop-oldest."
  },
  TooManyConnections: { kind: "rate", next: "Close other live streams of this key." },
  BadTime: { kind: "usage", next: "Units are s, m, h, d, w, mo (months) and y; what is told from now is in UTC." },
  Uncatalogued: { kind: "usage", next: "Leave the names out to read of its parameters and records." },
  BadName: { kind: "usage", next: "Name the format with --format, or give the file an extension of one." },
  BadPlace: { kind: "usage", next: DatasetAdvice.onPlace },
  MissingPackage: { kind: "system", next: DatasetAdvice.onMissing },
  NotText: { kind: "usage", next: "Name a file with --output, or send the output to a pipe." },
  OutputFailed: {
    kind: "system",
    next: ({ file }) =>
      file === undefined
        ? "Check the destination of the output, and its free space."
        : "Name another file with --output."
  },
  SandboxUnavailable: { kind: "system", next: "Choose another port with --port, or 0 for any free port." }
}

/** Describes a failure. A value without a rule is a bug. */
export const show = (failure: Failure, target: Target.Known = Target.nothing): Shown => {
  const inner = innerOf(failure)
  if (inner !== undefined) {
    const shown = { ...show(inner, target), message: PlainText.withoutKey(failure.message) }
    return failure._tag === "JobUnread" && inner._tag === "Decode" && inner.setting === undefined
      ? { ...shown, next: otherKind }
      : shown
  }
  if (failure._tag === "Unhealthy") {
    const { category, message } = failure
    return { kind: isKind(category) ? category : "bug", tag: failure._tag, message, next: undefined }
  }
  if (failure._tag === "PartsFailed") {
    const next = "The same command with --resume reads the remaining parts."
    return { kind: "incomplete", tag: failure._tag, message: failure.message, next }
  }
  if (failure._tag === "SyncFailed") {
    const next = "The same command reads the rest; all others are kept."
    return { kind: "incomplete", tag: failure._tag, message: failure.message, next }
  }
  // Type boundary: the type of the table ensures that the rule under a tag takes the failure with this tag.
  const table = rules as Readonly<Record<string, unknown>>
  const rule = Object.hasOwn(table, failure._tag) ? (table[failure._tag] as Rule<Failure>) : undefined
  if (rule === undefined) return bug(failure)
  const next = Predicate.isFunction(rule.next) ? rule.next(failure, target) : rule.next
  const kind = isKey(failure) ? "key" : rule.kind
  // The message quotes what was typed, which may be a URL with a key.
  const message = PlainText.withoutKey(messageOf(failure, target).replace(/\.$/, ""))
  const shown: Shown = { kind, tag: failure._tag, message, next }
  return DatasetAdvice.isDamage(failure) ? { ...shown, damaged: DatasetAdvice.damagedIn(failure) } : shown
}

const otherKind =
  "The results do not match the documented interface: a newer version of sluice may read them, or the job is of another kind."

/** The message, with the flag or variable at fault in place of the name that the setting has in a program. */
const messageOf = (failure: Failure, { root, rootFrom }: Target.Known) => {
  // The fix is said by the rule, as a flag.
  if (failure._tag === "NotFinished")
    return `${failure.folder} has ${failure.done} of the ${failure.parts} parts of this download`
  if (failure._tag !== "Misconfigured") return failure.message
  if (failure.setting === "apiKey") return failure.reason
  if (failure.setting !== "root" || rootFrom === undefined) return failure.message
  const url = root === undefined ? undefined : MeantRoot.of(root)
  return `${rootFrom}: ${failure.reason}${Nearest.meant(url === undefined ? [] : [url])}`
}

/** The failure that decides the category; several failed parts have none in common. */
const innerOf = (failure: Failure): Failure | undefined => {
  if (failure._tag === "JobUnread" || failure._tag === "PartFailed") return failure.error
  if (failure._tag === "CheckFailed" || failure._tag === "Misnamed") return failure.error
  if (failure._tag === "SyncFailed") return DatasetAdvice.sharedBy(failure)
  return failure._tag === "PartsFailed" && failure.failed.length === 1 ? failure.failed[0]?.error : undefined
}

const isKey = (failure: Failure) =>
  (failure._tag === "Misconfigured" && failure.setting === "apiKey") ||
  (failure._tag === "BackfillEnded" && ClusterAdvice.isKeyRefused(failure))

/** Describes a defect. */
export const bug = (cause: unknown): Shown => ({
  kind: "bug",
  tag: "Bug",
  message: `this is a bug of sluice: ${Predicate.isError(cause) ? cause.message : String(cause)}`,
  next: "Please report it with the command that caused it."
})
