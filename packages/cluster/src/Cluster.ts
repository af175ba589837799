/**
 * Where backfills run: in this process alone, or in a cluster of processes around a PostgreSQL.
 */
import * as Layer from "effect/Layer"
import * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import type * as BackfillStore from "./BackfillStore.ts"
import * as MemoryStore from "./internal/MemoryStore.ts"

/**
 * This process alone, without PostgreSQL: the workflow engine is in memory. After a kill, the same job run again continues
 * from the bookkeeping in its folder.
 */
export const layerMemory: Layer.Layer<BackfillStore.BackfillStore | WorkflowEngine.WorkflowEngine> = Layer.merge(
  MemoryStore.layer,
  WorkflowEngine.layerMemory
)
