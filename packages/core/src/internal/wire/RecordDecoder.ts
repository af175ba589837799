/**
 * Validates records in batches: a compiled guard checks the whole batch, and only a batch that fails is decoded record by
 * record, to find where and why.
 *
 * This works for schemas without transformations, whose decoded records are the parsed ones. Unknown keys are kept.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaJITCompiler from "effect/schema/SchemaJITCompiler"
import { harmless } from "../../PlainText.ts"
import type * as Reader from "./Reader.ts"
import type * as RecordReader from "./RecordReader.ts"
import * as Utf8 from "./Utf8.ts"

/** The first record of a batch that is not what the interface describes. */
export interface Rejected {
  /** Its index in the batch. */
  readonly index: number
  /** The path inside the record, such as `.asset`; empty for the record itself. */
  readonly path: string
  readonly issue: string
}

/** Validates batches of records of one schema. */
export interface RecordDecoder<out A> {
  /** Returns the same array when every record is valid, otherwise the first that is not. */
  readonly check: (batch: ReadonlyArray<unknown>) => Result.Result<ReadonlyArray<A>, Rejected>
  /**
   * Reads valid records from their bytes, in half the time of parsing and checking them. Returns nothing when they have to
   * be parsed and checked: when there is no reader, or any of them is invalid.
   */
  readonly read: (...run: Parameters<RecordReader.Read>) => ReadonlyArray<A> | undefined
  /** Does the same with bytes that are a record of the layout that was read last. Returns nothing for all others. */
  readonly readOne: RecordReader.SingleReader["readOne"]
  /** Bytes to read at once. */
  readonly pieceSize: () => number
  /** The schema of a record, and the check of a single one. */
  readonly record: Schema.Top
  readonly isValid: (record: unknown) => boolean
}

/** Reads nothing, so that records are parsed. */
const parsing = { read: () => undefined, readOne: () => undefined, pieceSize: () => Utf8.pieceSize }

/**
 * Builds a decoder, with a reader of records where there is one. It compiles the schema, so build it once and keep it.
 *
 * **Gotchas**
 *
 * Where code generation is forbidden (some workers, a strict content policy), validation is interpreted, at a third of the
 * speed.
 */
export const make = <A extends Encoded, Encoded>(
  record: Schema.Codec<A, Encoded>,
  makeReader: Reader.Reader["records"] = () => parsing
): RecordDecoder<A> => {
  const batch = Schema.Array(record)
  SchemaJITCompiler.enable(record.ast)
  SchemaJITCompiler.enable(batch.ast)
  const isBatch = Schema.is(batch)
  const decode = Schema.decodeUnknownResult(record)
  const seen = inheritsNames(record) ? (rows: ReadonlyArray<unknown>) => rows.map(withoutInherited) : undefined
  const isValid = (row: unknown) => isBatch(seen?.([row]) ?? [row])
  return {
    record,
    isValid,
    // Type boundary: the reader returns only records that the schema accepts.
    ...(makeReader(record, isValid) as Pick<RecordDecoder<A>, "read" | "readOne" | "pieceSize">),
    check: (received) => {
      const rows = seen?.(received) ?? received
      // Type boundary: the copies that were checked have the same properties as the records.
      if (isBatch(rows)) return Result.succeed(received as ReadonlyArray<A>)
      for (const [index, row] of rows.entries()) {
        const result = decode(row)
        if (Result.isFailure(result)) return Result.fail({ index, ...describe(result.failure.issue) })
      }
      // Type boundary: the guard and the decoder come from one schema. If they ever differ, the decoder is right.
      return Result.succeed(received as ReadonlyArray<A>)
    }
  }
}

// Type boundary: schemas with `fields` are structs, whose fields are an object.
/** Whether a field has the name of an inherited property: a metric may be named `constructor`. */
const inheritsNames = (record: Schema.Top) =>
  "fields" in record && Object.keys(record.fields as object).some((name) => name in Object.prototype)

/** Copies a record without a prototype, so that an absent property is not taken for an inherited one. */
const withoutInherited = (row: unknown): unknown =>
  Predicate.isObject(row) ? Object.assign(Object.create(null), row) : row

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const describe = (issue: SchemaIssue.Issue) => {
  const [first] = issuesOf(issue).issues
  // Type boundary: this formatter writes keys as they are; the standard also allows objects that hold one.
  return {
    path: harmless((first?.path ?? []).map((step) => formatStep(step as PropertyKey)).join("")),
    issue: harmless(first?.message ?? "not as described")
  }
}

/** Formats one step of a path as in code: `.asset`, `[3]`, `["TxTknCnt-status"]`. */
const formatStep = (step: PropertyKey) => {
  if (typeof step === "number") return `[${step}]`
  return /^[A-Za-z_]\w*$/.test(String(step)) ? `.${String(step)}` : `[${JSON.stringify(String(step))}]`
}
