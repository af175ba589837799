/** What users read of a failure: one sentence, a suggested fix, and its category. */
import * as PlainText from "@sluice/core/PlainText"
import * as Predicate from "effect/Predicate"
import * as Nearest from "../endpoints/Nearest.ts"
import type { DatasetsFailed } from "../commands/data/EachDataset.ts"
import type { Unhealthy } from "../commands/doctor/Doctor.ts"
import type { Explained } from "../settings/Explain.ts"
import * as MeantRoot from "../settings/MeantRoot.ts"
import * as Target from "../settings/Target.ts"
import type * as Advice from "./Advice.ts"
import * as ClusterAdvice from "./ClusterAdvice.ts"
import * as DatasetAdvice from "./DatasetAdvice.ts"
import * as ExitCode from "./ExitCode.ts"
import * as RequestAdvice from "./RequestAdvice.ts"
import * as UsageAdvice from "./UsageAdvice.ts"
import type { PartFailed } from "@sluice/core/Bulk"
import type { JobUnread } from "@sluice/core/JobError"
import type { CheckFailed, PlanFailed } from "@sluice/files/Download"
import type { Misnamed } from "../endpoints/Suggestions.ts"

/** Failures that hold another, which says what to do. */
type Holder = PartFailed | JobUnread | CheckFailed | PlanFailed | Misnamed

/** Everything that a command can fail with. */
export type Failure =
  | RequestAdvice.RequestFailure
  | UsageAdvice.UsageFailure
  | DatasetAdvice.DatasetFailure
  | ClusterAdvice.ClusterFailure
  | Holder
  | Unhealthy
  | DatasetsFailed

/** A failure as it is shown. */
export interface ShownFailure extends Explained {
  readonly kind: ExitCode.Kind
}

const advice: Advice.Table<Exclude<Failure, Holder | Unhealthy | DatasetsFailed>> = {
  ...RequestAdvice.advice,
  ...UsageAdvice.advice,
  ...DatasetAdvice.advice,
  ...ClusterAdvice.advice
}

/** Describes a failure. A value without advice is a bug. */
export const of = (failure: Failure, target: Target.Known = Target.nothing): ShownFailure => {
  const inner = innerOf(failure)
  if (inner !== undefined) {
    const shown = { ...of(inner, target), message: PlainText.withoutKey(failure.message) }
    return failure._tag === "JobUnread" && inner._tag === "Decode" && inner.setting === undefined
      ? { ...shown, next: otherKind }
      : shown
  }
  if (failure._tag === "Unhealthy") {
    const { category, message } = failure
    return { kind: ExitCode.isKind(category) ? category : "bug", tag: failure._tag, message, next: undefined }
  }
  if (failure._tag === "DatasetsFailed") {
    const { failed, message } = failure
    // What differs would differ again.
    const names = failed.flatMap(({ name, tag }) => (tag === "OtherDefinition" ? [] : [name]))
    const next =
      names.length === 0
        ? undefined
        : `The same command goes on with what is missing, and with \`--only ${names.join(",")}\` takes no other.`
    return { kind: ExitCode.worst(failed.map(({ kind }) => kind)), tag: failure._tag, message, next, failed }
  }
  // Type boundary: the type of the table ensures that the advice under a tag takes the failure with this tag.
  const table = advice as Readonly<Record<string, unknown>>
  const found = Object.hasOwn(table, failure._tag) ? (table[failure._tag] as Advice.Advice<Failure>) : undefined
  if (found === undefined) return bug(failure)
  const next = Predicate.isFunction(found.next) ? found.next(failure, target) : found.next
  const kind = isKey(failure) ? "key" : found.kind
  // The message quotes what was typed, which may be a URL with a key.
  const message = PlainText.withoutKey(messageOf(failure, target).replace(/\.$/, ""))
  const shown: ShownFailure = { kind, tag: failure._tag, message, next }
  return DatasetAdvice.isDamage(failure) ? { ...shown, damaged: DatasetAdvice.damagedIn(failure) } : shown
}

const otherKind =
  "The results do not match the documented interface: a newer version of sluice may read them, or the job is of another kind."

/** The message, with the flag or variable at fault in place of the name that the setting has in a program. */
const messageOf = (failure: Failure, { root, rootFrom }: Target.Known) => {
  // The fix is said by the advice, as a flag.
  if (failure._tag === "NotFinished")
    return `${failure.folder} has ${failure.done} of the ${failure.parts} parts of this download`
  if (failure._tag === "PlanExceeded")
    return failure.message.replace(failure.option, RequestAdvice.flagOf(failure.option))
  if (failure._tag !== "Misconfigured") return failure.message
  if (failure.setting === "apiKey") return failure.reason
  if (failure.setting !== "root" || rootFrom === undefined) return failure.message
  const url = root === undefined ? undefined : MeantRoot.of(root)
  return `${rootFrom}: ${failure.reason}${Nearest.meant(url === undefined ? [] : [url])}`
}

/** The failure that decides the category; several failed parts have none in common. */
const innerOf = (failure: Failure): Failure | undefined => {
  if (failure._tag === "JobUnread" || failure._tag === "PartFailed") return failure.error
  if (failure._tag === "CheckFailed" || failure._tag === "PlanFailed" || failure._tag === "Misnamed")
    return failure.error
  if (failure._tag === "SyncFailed") return DatasetAdvice.sharedBy(failure)
  return failure._tag === "PartsFailed" && failure.failed.length === 1 ? failure.failed[0]?.error : undefined
}

const isKey = (failure: Failure) =>
  (failure._tag === "Misconfigured" && failure.setting === "apiKey") ||
  (failure._tag === "BackfillEnded" && ClusterAdvice.isKeyRefused(failure))

export const bug = (cause: unknown): ShownFailure => ({
  kind: "bug",
  tag: "Bug",
  message: `this is a bug of sluice: ${Predicate.isError(cause) ? cause.message : String(cause)}`,
  next: "Please report it with the command that caused it."
})
