/** The reference as data: every endpoint with what its value, its schemas and its comments say of it. */
import * as Listed from "../Listed.ts"
import * as Doc from "./Doc.ts"
import * as Records from "./Records.ts"
import * as Shape from "./Shape.ts"
import * as Source from "./Source.ts"
import * as Types from "./Types.ts"

/** What the type of an endpoint adds to its record. */
export interface Addition {
  readonly doc: Doc.Doc
  readonly rows: ReadonlyArray<Records.Row>
  readonly records: ReadonlyArray<Records.Record>
}

export interface Entry {
  /** As it is called, such as `ReferenceData.assets`. */
  readonly name: string
  readonly endpoint: Listed.Listed["endpoint"]
  readonly doc: Doc.Doc
  readonly parameters: Records.Parameters
  /** Absent where the type of the endpoint alone says what it is. */
  readonly record: Records.Record | undefined
  readonly additions: ReadonlyArray<Addition>
}

export interface Section {
  readonly name: string
  readonly doc: Doc.Doc
  readonly entries: ReadonlyArray<Entry>
}

export interface Reference {
  readonly sections: ReadonlyArray<Section>
  /** Parameters that many endpoints have. */
  readonly shared: ReadonlyArray<Records.Row>
  /** What some of the words for parameters mean. */
  readonly legend: ReadonlyArray<{ readonly words: string; readonly doc: Doc.Doc }>
}

/** Builds the reference, or stops at what cannot be told. */
export const make = (): Reference => {
  const sources = Listed.all.map((listed) => {
    const symbol = Source.exportOf(Source.fileOf(listed.section), listed.name)
    return { listed, symbol, signature: Types.signatureOf(symbol) }
  })
  const read = Records.reader(new Set(sources.flatMap(({ signature }) => signature.record.schemas)))
  const all = sources.map((source) => ({ section: source.listed.section, entry: entryOf(source, read) }))
  return {
    sections: [...new Set(all.map(({ section }) => section))].map((name) => ({
      name,
      doc: Source.introductionOf(name),
      entries: all.filter(({ section }) => section === name).map(({ entry }) => entry)
    })),
    shared: sharedBy(all.map(({ entry }) => entry)),
    legend: Shape.legend.map(({ name, words }) => ({
      words,
      doc: Source.docOf(Source.exportOf(Source.paramsFile, name))
    }))
  }
}

type Read = (source: Source.Symbol) => Records.Record

interface Sourced {
  readonly listed: Listed.Listed
  readonly symbol: Source.Symbol
  readonly signature: ReturnType<typeof Types.signatureOf>
}

const entryOf = ({ listed: { endpoint, name, section }, signature, symbol }: Sourced, read: Read): Entry => {
  const params = Records.publishedOf(endpoint.params)
  if (params === undefined) return Source.stop(symbol, "has parameters that no section exports")
  const [record, ...others] = signature.record.schemas
  const additions = signature.record.described.flatMap((described) => additionsOf(described, read))
  if (others.length > 0 || (record === undefined && additions.length === 0)) {
    return Source.stop(symbol, "has not one record in its type")
  }
  if (record !== undefined && !Shape.isSame(Records.publishedAs(record).struct, endpoint.record())) {
    Source.stop(symbol, `has ${record.name} in its type, but checks other records`)
  }
  const doc = Source.docOf(symbol)
  checkDoc(symbol, doc, endpoint)
  return {
    name: `${section}.${name}`,
    endpoint,
    doc,
    parameters: Records.parametersOf(params, signature.params),
    record: record === undefined ? undefined : read(record),
    additions
  }
}

/** A comment and the value it stands above must name the same section and the same replacements. */
const checkDoc = (symbol: Source.Symbol, doc: Doc.Doc, { deprecated, section }: Entry["endpoint"]) => {
  if (doc.source?.includes(`docs/interface.md ${section}`) !== true) {
    Source.stop(symbol, `does not say in its comment that it comes from docs/interface.md ${section}`)
  }
  const silent = deprecated?.replacement.find((path) => doc.deprecated?.includes(`\`${path}\``) !== true)
  if (silent !== undefined) Source.stop(symbol, `is replaced by ${silent}, which its @deprecated does not name`)
  if ((deprecated === undefined) !== (doc.deprecated === undefined)) {
    Source.stop(symbol, "is deprecated by its comment or by its value, but not by both")
  }
}

const additionsOf = ({ parts, symbol }: Types.Parts["described"][number], read: Read): ReadonlyArray<Addition> => [
  {
    doc: Source.docOf(symbol),
    rows: parts.rows.map((row) => ({ ...row, record: undefined })),
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
      if (
        earlier !== undefined &&
        (earlier.words !== row.words || Doc.paragraph(earlier.doc) !== Doc.paragraph(row.doc))
      ) {
        Doc.unresolved({ file: Source.paramsFile }, row.name, "is shared by endpoints under two meanings")
      }
      rows.set(row.name, earlier ?? row)
    }
  }
  return [...rows.values()]
}
