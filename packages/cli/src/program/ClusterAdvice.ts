/**
 * What to do about failures of a cluster.
 */

/** About a cluster that cannot be joined. */
export const unavailable = "Check the URL of the cluster (--cluster, SLUICE_CLUSTER), and that PostgreSQL runs."

/** About the store of backfills. */
export const onStore = (transient: boolean): string =>
  transient
    ? "Check that PostgreSQL runs, and try again."
    : "Mend what PostgreSQL refuses, such as a right on its tables that begin with sluice_, and start again: what is finished is kept."
