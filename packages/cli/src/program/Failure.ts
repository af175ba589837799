/**
 * Everything that a command can fail with.
 */
import type { PartFailed } from "@sluice/core/Bulk"
import type { JobUnread } from "@sluice/core/JobError"
import type { SyncFailed } from "@sluice/datasets/Dataset"
import type { CheckFailed, PartsFailed } from "@sluice/files/Download"
import type { Unhealthy } from "../commands/Doctor.ts"
import type { Misnamed } from "../endpoints/Suggestions.ts"
import type { ClusterFailure } from "./ClusterAdvice.ts"
import type { DatasetFailure } from "./DatasetAdvice.ts"
import type { FolderFailure } from "./FolderAdvice.ts"
import type { RequestFailure } from "./RequestAdvice.ts"
import type { UsageFailure } from "./UsageAdvice.ts"

/** Failures that hold others, which say what to do. */
export type Outer = SyncFailed | Unhealthy | PartFailed | JobUnread | CheckFailed | PartsFailed | Misnamed

/** Everything that a command can fail with. */
export type Failure = RequestFailure | UsageFailure | FolderFailure | DatasetFailure | ClusterFailure | Outer
