/**
 * The flags of backfills, and what can be asked of one.
 */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type * as Option from "effect/Option"
import * as Struct from "effect/Struct"
import { downloadFlags } from "./Flags.ts"

/** `--cluster`. */
export const cluster = Flag.Redacted("cluster").pipe(
  Flag.withMetavar("<url>"),
  Flag.withDescription(
    "The PostgreSQL of the cluster, postgres://user:password@host/database. Other users of this machine can see flags: prefer SLUICE_CLUSTER"
  ),
  Flag.optional
)

const ofFiles = Struct.omit(downloadFlags, ["concurrency", "output", "keep-going", "resume", "verify"])

/** Flags of `backfill`, beside the parameters of the endpoint. */
export const backfillFlags = {
  output: downloadFlags.output.pipe(Flag.withAlias("to")),
  ...ofFiles,
  cluster,
  concurrency: downloadFlags.concurrency
}

/** Flags of `backfill`. */
export type BackfillFlags = Command.Command.Config.Infer<typeof backfillFlags>

/** Arguments and flags of `backfill`. */
export interface BackfillInput extends BackfillFlags {
  readonly endpoint: string
  readonly parameters: Readonly<Record<string, Option.Option<unknown>>>
}

/** The words after `backfill` that name no endpoint. */
export const actions = ["status", "pause", "resume", "cancel", "retry"] as const

/** What can be asked of a backfill. */
export type Action = (typeof actions)[number]
