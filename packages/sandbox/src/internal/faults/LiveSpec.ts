/** Parses the faults of live streams, which share a spec with those of HTTP and begin with `live-`. */
import * as Result from "effect/Result"
import type { Refusal } from "../request/Refusal.ts"
import * as LiveTable from "./LiveTable.ts"
import * as Spec from "./Spec.ts"

const make = (written: Spec.Written<LiveTable.Kind, LiveTable.Name>) => {
  const { number, value = "" } = written
  const amount = Number(value.replace("ms", ""))
  const unit = value.endsWith("ms") ? ("ms" as const) : ("frame" as const)
  return {
    ...Spec.common(written, amount),
    /** After so many frames, or after so long. */
    position: { unit, amount },
    code: number("code") ?? 1012,
    /** The frame that it happens to. */
    at: number("at") ?? 1,
    /** The type of the error that refuses the connection. */
    refused: LiveTable.refusals.find((type) => type === value)
  }
}

export type LiveFault = ReturnType<typeof make>

const isLive = (part: string): boolean => part.trim().startsWith("live-")

/** Takes specs apart: that of the path of a request, and that of its header. */
export const separate = (...specs: ReadonlyArray<string | undefined>) => {
  const parts = specs.flatMap((spec) => spec?.split(",") ?? []).filter((part) => part.trim() !== "")
  return { http: parts.filter((part) => !isLive(part)).join(","), live: parts.filter(isLive).join(",") }
}

export const parse = (spec: string): Result.Result<ReadonlyArray<LiveFault>, Refusal> =>
  spec === "" ? Result.succeed([]) : Spec.read(LiveTable, spec, make)
