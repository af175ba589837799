/**
 * Every endpoint as a list, for tools that work on all of them: command lines, documentation, tests.
 *
 * Importing this module loads every section. A program that reads a few endpoints should import their sections instead.
 */
import * as Endpoint from "./Endpoint.ts"
import * as LiveEndpoint from "./LiveEndpoint.ts"
import * as Blockchain from "./endpoints/Blockchain.ts"
import * as BlockchainJobs from "./endpoints/BlockchainJobs.ts"
import * as BlockchainMetadata from "./endpoints/BlockchainMetadata.ts"
import * as BlockchainV2 from "./endpoints/BlockchainV2.ts"
import * as Catalog from "./endpoints/Catalog.ts"
import * as CatalogAll from "./endpoints/CatalogAll.ts"
import * as CatalogAllV2 from "./endpoints/CatalogAllV2.ts"
import * as CatalogV2 from "./endpoints/CatalogV2.ts"
import * as ConstituentSnapshots from "./endpoints/ConstituentSnapshots.ts"
import * as ConstituentTimeframes from "./endpoints/ConstituentTimeframes.ts"
import * as Jobs from "./endpoints/Jobs.ts"
import * as Live from "./endpoints/Live.ts"
import * as Profile from "./endpoints/Profile.ts"
import * as ReferenceData from "./endpoints/ReferenceData.ts"
import * as SecurityMaster from "./endpoints/SecurityMaster.ts"
import * as Taxonomy from "./endpoints/Taxonomy.ts"
import * as TaxonomyMetadata from "./endpoints/TaxonomyMetadata.ts"
import * as Timeseries from "./endpoints/Timeseries.ts"
import * as Job from "./Job.ts"

/** The sections by the name they are exported under. */
export const sections = {
  ReferenceData,
  Profile,
  Taxonomy,
  TaxonomyMetadata,
  Timeseries,
  ConstituentSnapshots,
  ConstituentTimeframes,
  BlockchainV2,
  Blockchain,
  BlockchainMetadata,
  SecurityMaster,
  BlockchainJobs,
  Jobs,
  CatalogV2,
  CatalogAllV2,
  Catalog,
  CatalogAll,
  Live
} as const

/** An endpoint with the names it is exported under. */
export interface Entry {
  /** Section, such as `ReferenceData`. */
  readonly section: keyof typeof sections
  /** Name within the section, such as `assets`. */
  readonly name: string
  /** The endpoint. */
  readonly endpoint: Endpoint.Any
}

/** An endpoint of one record with the names it is exported under. */
export interface SingleEntry extends Omit<Entry, "endpoint"> {
  /** The endpoint. */
  readonly endpoint: Endpoint.AnySingle
}

/** A live operation with the names it is exported under. */
export interface LiveEntry extends Omit<Entry, "endpoint"> {
  /** The live operation. */
  readonly endpoint: LiveEndpoint.Any
}

/** An operation that starts jobs, with the names it is exported under. */
export interface JobEntry extends Omit<Entry, "endpoint"> {
  /** The job. */
  readonly endpoint: Job.Any
}

// Type boundary: `Object.entries` widens the names of the sections to any text.
const members = Object.entries(sections).flatMap(([section, members]) =>
  Object.entries(members).map(([name, member]: readonly [string, unknown]) => ({
    section: section as keyof typeof sections,
    name,
    member
  }))
)

/** Every endpoint that replies with a list, with its names, by section. */
export const entries: ReadonlyArray<Entry> = members.flatMap(({ member, ...names }) =>
  Endpoint.isEndpoint(member) ? [{ ...names, endpoint: member }] : []
)

/** Every endpoint that replies with one record, with its names, by section. */
export const singleEntries: ReadonlyArray<SingleEntry> = members.flatMap(({ member, ...names }) =>
  Endpoint.isSingle(member) ? [{ ...names, endpoint: member }] : []
)

/** Every live operation, with its names. */
export const liveEntries: ReadonlyArray<LiveEntry> = members.flatMap(({ member, ...names }) =>
  LiveEndpoint.isLiveEndpoint(member) ? [{ ...names, endpoint: member }] : []
)

/** Every live operation. */
export const live: ReadonlyArray<LiveEndpoint.Any> = liveEntries.map(({ endpoint }) => endpoint)

/** Every operation that starts jobs, with its names. */
export const jobEntries: ReadonlyArray<JobEntry> = members.flatMap(({ member, ...names }) =>
  Job.isJob(member) ? [{ ...names, endpoint: member }] : []
)

/** Every endpoint that replies with a list. */
export const all: ReadonlyArray<Endpoint.Any> = entries.map(({ endpoint }) => endpoint)

/** Every endpoint that replies with one record. */
export const singles: ReadonlyArray<Endpoint.AnySingle> = singleEntries.map(({ endpoint }) => endpoint)

/** Every operation that starts jobs. */
export const jobs: ReadonlyArray<Job.Any> = jobEntries.map(({ endpoint }) => endpoint)

/** The path of each deprecated endpoint, and the paths that give the same data (docs/interface.md 9.3). */
export const replacements: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  all.flatMap(({ path, deprecated }) => (deprecated === undefined ? [] : [[path, deprecated.replacement] as const]))
)
