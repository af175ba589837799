/**
 * Everything that a command can fail with.
 */
import type { PartFailed } from "@sluice/core/Bulk"
import type { JobUnread } from "@sluice/core/JobError"
import type { CheckFailed, PlanFailed } from "@sluice/files/Download"
import type { DatasetsFailed } from "../commands/data/EachDataset.ts"
import type { Unhealthy } from "../commands/doctor/Doctor.ts"
import type { Misnamed } from "../endpoints/Suggestions.ts"
import type { ClusterFailure } from "./ClusterAdvice.ts"
import type { DatasetFailure } from "./DatasetAdvice.ts"
import type { FolderFailure } from "./FolderAdvice.ts"
import type { RequestFailure } from "./RequestAdvice.ts"
import type { UsageFailure } from "./UsageAdvice.ts"

/** Failures that hold another, which says what to do. */
export type Holder = PartFailed | JobUnread | CheckFailed | PlanFailed | Misnamed

export type Failure =
  | RequestFailure
  | UsageFailure
  | FolderFailure
  | DatasetFailure
  | ClusterFailure
  | Holder
  | Unhealthy
  | DatasetsFailed
