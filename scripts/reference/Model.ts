/**
 * The reference as data: every endpoint with what its value, its schemas and its comments say of it.
 */
import {
  entries,
  type Entry as Listed,
  type JobEntry,
  jobEntries,
  type LiveEntry,
  liveEntries,
  type SingleEntry,
  singleEntries
} from "../../packages/core/src/Endpoints.ts"
import type * as Doc from "./Doc.ts"
import * as Records from "./Records.ts"
import * as Shape from "./Shape.ts"
import * as Source from "./Source.ts"
import * as Types from "./Types.ts"
import { unresolved } from "./Unresolved.ts"

/** What the type of an endpoint adds to its record. */
export interface Addition {
  readonly doc: Doc.Doc
  readonly rows: ReadonlyArray<Records.Row>
  readonly records: ReadonlyArray<Records.Record>
}

/** An endpoint. */
export interface Entry {
  /** As it is called, such as `ReferenceData.assets`. */
  readonly name: string
  readonly endpoint: (Listed | SingleEntry | JobEntry | LiveEntry)["endpoint"]
  readonly doc: Doc.Doc
  readonly parameters: Records.Parameters
  /** Absent where the type of the endpoint alone says what it is. */
  readonly record: Records.Record | undefined
  readonly additions: ReadonlyArray<Addition>
}

/** A section. */
export interface Section {
  readonly name: string
  readonly doc: Doc.Doc
  readonly entries: ReadonlyArray<Entry>
}

/** All of it. */
export interface Reference {
  readonly sections: ReadonlyArray<Section>
  /** Parameters that many endpoints have. */
  readonly shared: ReadonlyArray<Records.Row>
  /** What some of the words for parameters mean. */
  readonly legend: ReadonlyArray<{ readonly words: string; readonly doc: Doc.Doc }>
}

/** Builds the reference, or stops at what cannot be told. */
export const make = (): Reference => {
  const sources = [...entries, ...singleEntries, ...jobEntries, ...liveEntries].map((listed) => {
    const source = Records.sourceOf(listed.section, listed.name)
    return { listed, source, signature: Types.signatureOf(source) }
  })
  const read = Records.reader(new Set(sources.flatMap(({ signature }) => signature.record.schemas)))
  const all = sources.map(({ listed, signature, source }) => ({
    section: listed.section,
    entry: entryOf(listed, source, signature, read)
  }))
  return {
    sections: [...new Set(all.map(({ section }) => section))].map((name) => ({
      name,
      doc: introductionOf(name),
      entries: all.filter(({ section }) => section === name).map(({ entry }) => entry)
    })),
    shared: sharedBy(all.map(({ entry }) => entry)),
    legend: Shape.legend.map(({ name, words }) => ({ words, doc: Records.docOf(parameter(name)) }))
  }
}

const parameter = (name: string) =>
  Source.exportedValue(Records.paramsFile, name) ?? unresolved({ file: Records.paramsFile }, name, "is not found")

const introductionOf = (section: string): Doc.Doc => {
  const file = Records.fileOf(section)
  return Source.open(file).doc ?? unresolved({ file }, section, "has no comment at the head of its file")
}

const entryOf = (
  { endpoint, name, section }: Listed | SingleEntry | JobEntry | LiveEntry,
  source: Source.Value,
  signature: Types.Signature,
  read: (source: Source.Value) => Records.Record
): Entry => {
  const { members, schemas } = Types.flatten(signature.params)
  const [params, ...otherParams] = schemas
  const [record, ...otherRecords] = signature.record.schemas
  if (params === undefined || otherParams.length + otherRecords.length > 0) {
    return unresolved(source.module, source.name, "has not one schema of parameters and one of records in its type")
  }
  if (Records.publishedAs(params).struct !== endpoint.params) {
    unresolved(source.module, source.name, `has ${params.name} in its type, but checks other parameters`)
  }
  const additions = signature.record.described.flatMap((described) => additionsOf(described, read))
  if (record === undefined && additions.length === 0)
    unresolved(source.module, source.name, "has no record in its type")
  if (record !== undefined && !Shape.isSame(Records.publishedAs(record).struct, endpoint.record())) {
    unresolved(source.module, source.name, `has ${record.name} in its type, but checks other records`)
  }
  const doc = Records.docOf(source)
  checkDoc(source, doc, endpoint)
  const said = new Map(members.flatMap(({ doc, name }) => (doc === undefined ? [] : [[name, doc] as const])))
  return {
    name: `${section}.${name}`,
    endpoint,
    doc,
    parameters: Records.parametersOf(params, said),
    record: record === undefined ? undefined : read(record),
    additions
  }
}

/** A comment and the value it stands above must name the same section and the same replacements. */
const checkDoc = (source: Source.Value, doc: Doc.Doc, { deprecated, section }: Entry["endpoint"]) => {
  if (doc.source?.includes(`docs/interface.md ${section}`) !== true) {
    unresolved(
      source.module,
      source.name,
      `does not say in its comment that it comes from docs/interface.md ${section}`
    )
  }
  const silent = deprecated?.replacement.find((path) => doc.deprecated?.includes(`\`${path}\``) !== true)
  if (silent !== undefined) {
    unresolved(source.module, source.name, `is replaced by ${silent}, which its @deprecated does not name`)
  }
  if ((deprecated === undefined) !== (doc.deprecated === undefined)) {
    unresolved(source.module, source.name, "is deprecated by its comment or by its value, but not by both")
  }
}

const additionsOf = (
  { parts, type }: Types.Parts["described"][number],
  read: (source: Source.Value) => Records.Record
): ReadonlyArray<Addition> => [
  {
    doc: Records.docOf(type),
    rows: parts.members.map((member) => ({ ...Types.rowOf(member), record: undefined })),
    records: parts.schemas.map(read)
  },
  ...parts.described.flatMap((inner) => additionsOf(inner, read))
]

/** Each shared parameter once, in the order they come up. */
const sharedBy = (all: ReadonlyArray<Entry>): ReadonlyArray<Records.Row> => {
  const rows = new Map<string, Records.Row>()
  for (const { parameters } of all) {
    for (const row of parameters.shared) {
      const earlier = rows.get(row.name)
      if (earlier !== undefined && (earlier.words !== row.words || earlier.doc !== row.doc)) {
        unresolved({ file: Records.paramsFile }, row.name, "is shared by endpoints under two meanings")
      }
      rows.set(row.name, earlier ?? row)
    }
  }
  return [...rows.values()]
}
