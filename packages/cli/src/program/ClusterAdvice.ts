/** What to do about failures of a cluster. */
import type { UnknownBackfill, WrongState } from "@sluice/cluster/Backfill"
import type { BackfillStoreFailed } from "@sluice/cluster/BackfillStore"
import type { ClusterUnavailable } from "@sluice/cluster/Cluster"
import type { LoadUnfinished } from "@sluice/datasets/SharedDataset"
import type { BackfillEnded, WhichBackfill } from "../commands/data/Backfill.ts"
import type { BadCluster } from "../settings/ClusterUrl.ts"
import type * as Target from "../settings/Target.ts"
import type * as Advice from "./Advice.ts"

/** A cluster cannot be joined, or a backfill is not done. */
export type ClusterFailure =
  | BadCluster
  | BackfillEnded
  | WhichBackfill
  | ClusterUnavailable
  | BackfillStoreFailed
  | UnknownBackfill
  | WrongState
  | LoadUnfinished

export const isKeyRefused = ({ status }: BackfillEnded): boolean => status.error === "Unauthorized"

/** Errors of a place that has something else. */
const differs: ReadonlySet<string | null> = new Set(["OtherJob", "OtherDefinition"])

/** About a backfill that ended without all of its files. */
const onEnded = (failure: BackfillEnded, { hasKey }: Target.Known): string => {
  const { isAlone, status } = failure
  const { error, id, state } = status
  const retried = isAlone ? "the same command" : `\`sluice backfill retry ${id}\``
  if (isKeyRefused(failure)) {
    if (!isAlone)
      return `Check the key of the workers (SLUICE_API_KEY, or api_key in their config file); then ${retried} begins it again.`
    const check = hasKey
      ? "Check the key: SLUICE_API_KEY, or api_key in the config file"
      : "No key was sent: set SLUICE_API_KEY, or api_key in the config file"
    return `${check}. Then the same command continues.`
  }
  if (state === "paused") return "Mend what the reason names: then the same command continues."
  if (status.ended === null) {
    return `No worker is running that could release its place: start \`sluice worker\`. Once it has, ${retried} reads the rest.`
  }
  if (state === "refused") {
    if (differs.has(error)) {
      return status.request.into === undefined
        ? "Submit it again as it was begun, or into another folder."
        : "The table of a backfill keeps its definition: submit it as it was begun, or into another table. Once it has finished, `sluice sync` with more entities or metrics grows it."
    }
    if (error === "InvalidRequest") {
      const path = status.request.endpoint.slice(1)
      return isAlone
        ? `Give the command again with what is right; \`sluice describe ${path}\` lists its parameters.`
        : `Submit it again with what is right: this one keeps its parameters, and \`sluice backfill forget ${id}\` removes it from the list.`
    }
    if (error === "TableOccupied") return "Name another with --table, or let `sluice sync` read into this one."
    return isAlone
      ? "Mend what the reason names, and give the same command again."
      : `Mend what the reason names: then ${retried} begins it again, with the parameters and the place it has. With others it is a new submission.`
  }
  return isAlone
    ? "The same command reads the rest."
    : `\`sluice backfill status ${id}\` tells more, and ${retried} reads the rest.`
}

/** About a backfill whose state does not allow what was asked for. */
const onState = ({ action, ending, id, state }: WrongState): string | undefined => {
  if (ending)
    return "Give the command again in some seconds: it ends where a `sluice worker` runs, and `sluice backfill status` tells when it has."
  if (action === "forget") return `\`sluice backfill cancel ${id}\` ends it; then it can be forgotten.`
  return state === "paused" && action === "retry" ? `\`sluice backfill resume ${id}\` lets it go on.` : undefined
}

const onLoad = ({ by }: LoadUnfinished): string =>
  `Wait for it, or where it was stopped let it go on: \`sluice backfill status\` and \`sluice backfill retry ${by.replace(/^backfill /, "")}\`; without a cluster, by the same \`sluice backfill\`. To give it up when it has stopped, remove .sluice in its folder.`

/** About the server in which processes share a quota. */
export const onQuotaStore = (reason: string, places: string): string =>
  /\b(?:WRONGPASS|NOAUTH|NOPERM|invalid password)/i.test(reason)
    ? `Correct user and password of its address, redis://user:password@host: ${places}.`
    : `Start it, or correct its address: ${places}. Without one each process keeps a quota of its own.`

const unavailable: Readonly<Record<ClusterUnavailable["kind"], string>> = {
  unreachable: "Check the URL of the cluster (--cluster, SLUICE_CLUSTER), and that PostgreSQL runs.",
  login: "Check user and password in the URL of the cluster (--cluster, SLUICE_CLUSTER).",
  noDatabase:
    "Create it, or name another (--cluster, SLUICE_CLUSTER): the database has to exist, sluice makes only its tables.",
  refused: "Mend what PostgreSQL says, such as too many connections, and give the command again."
}

const onStore = ({ backfill, transient }: BackfillStoreFailed): string =>
  transient
    ? "Check that PostgreSQL runs, and try again."
    : backfill !== undefined
      ? `Use the version that wrote it, or remove its row: DELETE FROM sluice_backfills WHERE id = '${backfill}'.`
      : "Mend what PostgreSQL refuses, such as a right on its tables that begin with sluice_, and start again: what is finished is kept."

export const advice: Advice.Table<ClusterFailure> = {
  BadCluster: {
    kind: "usage",
    next: ({ message }) =>
      message.startsWith("SLUICE_CLUSTER_SECRET")
        ? "Set a longer one, the same for all workers: `openssl rand -hex 32` prints one."
        : "Set SLUICE_CLUSTER, or give --cluster: postgres://user:password@host/database."
  },
  ClusterUnavailable: { kind: "network", next: ({ kind }) => unavailable[kind] },
  BackfillStoreFailed: { kind: "network", next: onStore },
  BackfillEnded: { kind: "incomplete", next: onEnded },
  WhichBackfill: { kind: "usage", next: "`sluice backfill status` lists them." },
  UnknownBackfill: { kind: "missing", next: "`sluice backfill status` lists them." },
  WrongState: { kind: "usage", next: onState },
  LoadUnfinished: { kind: "system", next: onLoad }
}
