/**
 * Parses the faults of live streams, which share a spec with those of HTTP and begin with `live-`.
 */
import * as Result from "effect/Result"
import type { Refusal } from "../request/Refusal.ts"
import * as LiveTable from "./LiveTable.ts"
import * as Spec from "./Spec.ts"

export interface LiveFault extends Spec.Counted {
  readonly kind: LiveTable.Kind
  readonly amount: number
  /** After so many frames, or after so long. */
  readonly position: { readonly unit: "frame" | "ms"; readonly amount: number }
  readonly body: "json" | "html" | "empty"
  readonly code: number
  /** The frame that it happens to. */
  readonly at: number
  /** The type of the error that refuses the connection. */
  readonly refused: (typeof LiveTable.refusals)[number] | undefined
}

const make = ({ entry, number, spec, text, value = "" }: Spec.Written<LiveTable.Kind, LiveTable.Name>): LiveFault => {
  const body = text("body")
  const amount = Number(value.replace("ms", ""))
  return {
    kind: entry.kind,
    spec,
    amount,
    position: { unit: value.endsWith("ms") ? "ms" : "frame", amount },
    after: number("after") ?? 0,
    times: number("times") ?? Number.POSITIVE_INFINITY,
    body: body === "html" || body === "empty" ? body : "json",
    code: number("code") ?? 1012,
    at: number("at") ?? 1,
    refused: LiveTable.refusals.find((type) => type === value)
  }
}

const isLive = (part: string): boolean => part.trim().startsWith("live-")

/** Takes specs apart: that of the path of a request, and that of its header. */
export const separate = (...specs: ReadonlyArray<string | undefined>) => {
  const parts = specs.flatMap((spec) => spec?.split(",") ?? []).filter((part) => part.trim() !== "")
  return { http: parts.filter((part) => !isLive(part)).join(","), live: parts.filter(isLive).join(",") }
}

export const parse = (spec: string): Result.Result<ReadonlyArray<LiveFault>, Refusal> =>
  spec === "" ? Result.succeed([]) : Spec.read(LiveTable, spec, make)
