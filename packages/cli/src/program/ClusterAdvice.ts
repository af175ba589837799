/**
 * What to do about failures of a cluster.
 */
import type { ClusterUnavailable } from "@sluice/cluster/Cluster"
import type { BackfillEnded } from "../commands/Backfill.ts"
import type * as Target from "../settings/Target.ts"

/** Whether the service did not accept the key: of this error the store of backfills has only the text. */
export const isKeyRefused = ({ status: { reason, state } }: BackfillEnded): boolean =>
  (state === "refused" || state === "paused") && /: not authorised: /.test(reason ?? "")

/** About a backfill that ended without all of its files. */
export const onEnded = (failure: BackfillEnded, { hasKey }: Target.Known): string => {
  const { isAlone, status } = failure
  const { id, reason, state } = status
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
  if (state === "refused") {
    if (/ differs in /.test(reason ?? "")) {
      return status.request.into === undefined
        ? "Submit it again as it was begun, or into another folder."
        : "The table of a backfill keeps its definition: submit it as it was begun, or into another table. Once it has finished, `sluice sync` with more entities or metrics grows it."
    }
    if (/cannot begin a backfill in /.test(reason ?? ""))
      return "Name another with --table, or let `sluice sync` read into this one."
    return isAlone
      ? "Mend what the reason names, and give the same command again."
      : `Mend what the reason names: then ${retried} begins it again.`
  }
  return isAlone
    ? "The same command reads the rest."
    : `\`sluice backfill status ${id}\` tells more, and ${retried} reads the rest.`
}

/** About the server in which processes share a quota. */
export const onQuotaStore = (reason: string, places: string): string =>
  /\b(?:WRONGPASS|NOAUTH|NOPERM|invalid password)/i.test(reason)
    ? `Correct user and password of its address, redis://user:password@host: ${places}.`
    : `Start it, or correct its address: ${places}. Without one each process keeps a quota of its own.`

/** About a cluster that cannot be joined. */
export const unavailable = ({ reason }: ClusterUnavailable): string =>
  /authentication|does not exist/i.test(reason)
    ? "Check user, password and database of the cluster (--cluster, SLUICE_CLUSTER): the database has to exist, sluice makes only its tables."
    : "Check the URL of the cluster (--cluster, SLUICE_CLUSTER), and that PostgreSQL runs."

/** About the store of backfills. */
export const onStore = (transient: boolean): string =>
  transient
    ? "Check that PostgreSQL runs, and try again."
    : "Mend what PostgreSQL refuses, such as a right on its tables that begin with sluice_, and start again: what is finished is kept."
