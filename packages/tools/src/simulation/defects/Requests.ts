/**
 * Defects of requests, json_streams and quotas.
 */
import type { Defect } from "./Defect.ts"

const quota = "packages/core/src/internal/quota"
const resume = "packages/core/src/internal/resume"
const shared = "packages/core/src/internal/shared"

/** All of them. */
export const all: ReadonlyArray<Defect> = [
  {
    name: "a permit that came as its request was interrupted is lost",
    file: `${quota}/Permits.ts`,
    from: "if (!line.waiting.delete(turn)) return release(line)",
    to: "if (!line.waiting.delete(turn)) return Effect.void",
    targets: ["requests", "endpoints"]
  },
  {
    name: "a request that gave up is still counted as waiting",
    file: `${quota}/Permits.ts`,
    from: "      waiting -= 1\n      removeIfIdle(line)",
    to: "      removeIfIdle(line)",
    targets: ["requests", "endpoints"]
  },
  {
    name: "a released permit wakes nobody",
    file: `${quota}/Permits.ts`,
    from: "if (waiting > 0) fiber",
    to: "if (waiting > 1) fiber",
    targets: ["requests", "processes"]
  },
  {
    name: "a request without a reply keeps its place in the window",
    file: "packages/core/src/MemoryQuota.ts",
    from: "        finish(now)\n        count",
    to: "        count",
    targets: ["requests", "endpoints"]
  },
  {
    name: "the quota of a call is not counted down when it is interrupted in line",
    file: "packages/core/src/MemoryQuota.ts",
    from: "Effect.ensuring(queue(lane, restore), counted)",
    to: "Effect.tap(queue(lane, restore), () => counted)",
    targets: ["requests", "endpoints"]
  },
  {
    name: "the window has room for one request too many",
    file: `${quota}/Window.ts`,
    from: "while (left(state, policy, now + high) <= 0)",
    to: "while (left(state, policy, now + high) < 0)",
    targets: ["processes"]
  },
  {
    name: "requests that are under way take no place",
    file: `${quota}/Window.ts`,
    from: "return policy.limit - running - countAfter",
    to: "return policy.limit - countAfter",
    targets: ["processes"]
  },
  {
    name: "a place is counted from when the request was sent",
    file: `${quota}/Window.ts`,
    from: "    state.replies.times.push(now)",
    to: "    state.replies.times.push(sent.sent)",
    targets: ["processes"]
  },
  {
    name: "what a dead process has sent is forgotten",
    file: `${shared}/Transition.ts`,
    from: "    if (permit.isTold) end(state, permit, now)\n    else discard(state, permit)",
    to: "    discard(state, permit)",
    targets: ["processes"]
  },
  {
    name: "a dead process keeps its permits",
    file: `${shared}/Transition.ts`,
    from: "    if (!dead.has(permit.process)) continue",
    to: "    if (!dead.has(permit.process) || permit.isTold) continue",
    targets: ["processes"]
  },
  {
    name: "a continued json_stream repeats its last record",
    file: `${resume}/ReplayFilter.ts`,
    from: "      return skipCount(1, (line)",
    to: "      return skipCount(0, (line)",
    targets: ["requests", "endpoints"]
  },
  {
    name: "a replayed reply skips one record too many",
    file: `${resume}/ReplayFilter.ts`,
    from: "skipPosition(series, last, count - last.ids.total, () => {})",
    to: "skipPosition(series, last, count - last.ids.total + 1, () => {})",
    targets: ["requests", "endpoints"]
  },
  {
    name: "records of one time are not told apart after a cut",
    file: `${resume}/ReplayFilter.ts`,
    from: "        if (isHere && left > 0) {",
    to: "        if (isHere) {",
    targets: ["requests", "endpoints"]
  },
  {
    name: "the records of a batch are forgotten when the next comes",
    file: `${resume}/ResumeState.ts`,
    from: "      emitted += records.length",
    to: "      emitted = records.length",
    targets: ["requests", "endpoints"]
  },
  {
    name: "arrays that were waiting are lost at the end of a merge",
    file: "packages/core/src/internal/bulk/Merge.ts",
    from: "    const batch = waiting.shift()\n    if (batch !== undefined) return",
    to: "    const batch = end === undefined ? waiting.shift() : undefined\n    if (batch !== undefined) return",
    targets: ["requests", "endpoints"]
  },
  {
    name: "a reader that waits is not told of the end",
    file: "packages/core/src/internal/bulk/Merge.ts",
    from: "            end = Exit.isSuccess(exit) ? Exit.fail(Cause.Done()) : Exit.failCause(exit.cause)\n            news.openUnsafe()",
    to: "            end = Exit.isSuccess(exit) ? Exit.fail(Cause.Done()) : Exit.failCause(exit.cause)",
    targets: ["requests", "endpoints"]
  },
  {
    name: "a body that stands still is not ended",
    file: "packages/core/src/internal/http/Idle.ts",
    from: "      yield* body.abort",
    to: "      yield* Effect.void",
    targets: ["requests", "endpoints"]
  },
  {
    name: "the watch of bodies ends with the first body",
    file: "packages/core/src/internal/http/Idle.ts",
    from: "if (bodies.size === 0) stop()",
    to: "stop()",
    targets: ["requests", "endpoints"]
  },
  {
    name: "a json_stream that was cut between two lines is taken as whole",
    file: `${resume}/JsonStream.ts`,
    from: 'return isWhole ? undefined : new Unavailable({ endpoint, phase: "body", reason, transient: true, attempts })',
    to: "return undefined",
    targets: ["requests", "endpoints"]
  },
  {
    name: "a request is ended twice",
    file: "packages/core/src/MemoryQuota.ts",
    from: "        if (!isOpen) return\n",
    to: "",
    targets: ["requests", "endpoints"]
  },
  {
    name: "nothing is noted of a request that ends",
    file: "packages/core/src/MemoryQuota.ts",
    from: "      yield* Scope.addFinalizer(yield* Effect.scope, end)\n",
    to: "",
    targets: ["requests", "endpoints"]
  },
  {
    name: "the connection of a body that was not read to its end stays open",
    file: "packages/core/src/internal/http/Exchange.ts",
    from: "    yield* Scope.addFinalizerExit(scope, (exit) => (hasEnded ? Effect.void : Scope.close(connection, exit)))\n",
    to: "",
    targets: ["requests", "endpoints"]
  },
  {
    name: "the window is a second too short",
    file: `${quota}/Window.ts`,
    from: "countAfter(state, now - length(policy)) - theirs",
    to: "countAfter(state, now - length(policy) + 1_000) - theirs",
    targets: ["processes"]
  },
  {
    name: "a lease is not prolonged",
    file: `${shared}/Transition.ts`,
    from: "  own.lease = now + step.lease\n",
    to: "  own.lease ||= now + step.lease\n",
    targets: ["processes"]
  },
  {
    name: "a reply that was observed is noted again",
    file: `${shared}/Transition.ts`,
    from: "  if (permit.isReplied) return\n  permit.isReplied = true",
    to: "  permit.isReplied = true",
    targets: ["sharing", "processes"]
  },
  {
    name: "a line with an error is left out",
    file: `${resume}/JsonStream.ts`,
    from: ": { ...read, failure: refuse(error) }",
    to: ": read",
    targets: ["endpoints"]
  },
  {
    name: "the key stays in the words of the service",
    file: "packages/core/src/Account.ts",
    from: "scrub: (text) => harmless(redact(text)),",
    to: "scrub: harmless,",
    targets: ["endpoints"]
  },
  {
    name: "the pages end with the second",
    file: "packages/core/src/internal/pages/PageStream.ts",
    from: "const after = following === undefined ? undefined",
    to: "const after = following === undefined || page > 1 ? undefined",
    targets: ["endpoints"]
  }
]
