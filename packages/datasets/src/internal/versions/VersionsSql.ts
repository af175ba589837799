/**
 * The versions of records as SQL of DuckDB over the files of a folder: the rules of `Versions.ts`, in which times are nanoseconds since 1970.
 */
import type { ColumnType } from "@sluice/core/internal/columns/ColumnType"
import * as Ddl from "@sluice/files/internal/format/Ddl"
import * as Knowable from "../model/Knowable.ts"
import * as Moment from "../model/Moment.ts"
import type { Time } from "../model/Store.ts"
import type { Knowing } from "./Versions.ts"

/** A file of a partition. */
export interface PartitionFile {
  readonly path: string
  /** Tells partitions apart. */
  readonly partition: number
  /** The entity of all its records; absent where each names its own. */
  readonly entity: string | undefined
}

/** What the SQL is about. */
export interface Described {
  /** The name of the macro. */
  readonly name: string
  readonly entity: string
  /** Fields that tell records of one entity and time apart; absent where there is one at a time. */
  readonly identity: ReadonlyArray<string> | undefined
  /** Whether each file is of one entity, which its records do not name in Parquet. */
  readonly isFixed: boolean
  /** Whether files are NDJSON, and Parquet otherwise. */
  readonly isNdjson: boolean
  readonly compression: string | undefined
  /** All of a record. */
  readonly columns: ReadonlyArray<{ readonly name: string; readonly type: ColumnType }>
  readonly files: ReadonlyArray<PartitionFile>
  /** Those of a partition in the order in which they were written. */
  readonly histories: ReadonlyArray<PartitionFile>
  readonly knowing: Knowing
  /** When the last complete run had looked. */
  readonly looked: Time
  /** The file that grows with each change, and its size. */
  readonly changes: { readonly path: string; readonly size: number }
}

const { identifier, literal, path, typeOf } = Ddl

const nanos = (millis: number): string => `${BigInt(Math.round(millis)) * 1_000_000n}`

const momentOf = (text: string): string => `epoch_ns(CAST(${text} AS TIMESTAMP_NS))`

const fieldMoment = (name: string): string => momentOf(identifier(name))

const listOf = (files: ReadonlyArray<PartitionFile>): string =>
  `[\n    ${files.map((file) => path(file.path)).join(",\n    ")}\n  ]`

/** The rows of files with the partition and the entity of each. */
const withFiles = (read: string, files: ReadonlyArray<PartitionFile>): string => {
  const rows = files.map(({ entity, partition, path }) => {
    const known = entity === undefined ? "CAST(NULL AS VARCHAR)" : literal(entity)
    return `(${literal(path)}, ${partition}, ${known})`
  })
  return `${read} r JOIN (VALUES\n    ${rows.join(",\n    ")}\n  ) f(file, sluice_partition, file_entity) ON r.filename = f.file`
}

/** Options of a read of JSON: whatever the folders above are called, they are no columns, and their names tell of no compression. */
const asIs = (compression: string) =>
  `filename = true, hive_partitioning = false, compression = ${literal(compression)}`

/** Lines of histories, in order. Reading files keeps their order. */
const linesOf = ({ histories }: Described): string => {
  const fields = "was: 'JSON', entity: 'VARCHAR', first: 'VARCHAR', last: 'VARCHAR', id: 'VARCHAR'"
  const columns = `{${fields}, "after": 'VARCHAR', until: 'VARCHAR', "at": 'VARCHAR'}`
  if (histories.length === 0) {
    return `SELECT NULL::JSON was, NULL::VARCHAR entity, '' first, '' last, '' id, '' "after", '' until, '' "at", 0::BIGINT line,
    0 sluice_partition, '' file_entity WHERE false`
  }
  const read = `read_json(${listOf(histories)}, format = 'newline_delimited', ${asIs("gzip")}, columns = ${columns})`
  return `SELECT r.*, f.* FROM ${withFiles(`(SELECT *, row_number() OVER () AS line FROM ${read})`, histories)}`
}

/** The columns of a record that is JSON. */
const typed = (columns: Described["columns"], json: string): string =>
  columns
    .map(({ name, type }) => `CAST(${json}->>${literal(name)} AS ${typeOf(type, "duckdb")}) AS ${identifier(name)}`)
    .join(",\n    ")

/** What is held, and what was: of NDJSON as JSON, of Parquet with its columns. */
const versionsOf = (described: Described): string => {
  const { columns, compression = "uncompressed", entity, files, isFixed, isNdjson } = described
  const past = "NULL::BIGINT AS line, NULL::VARCHAR AS until"
  if (isNdjson) {
    const held =
      files.length === 0
        ? ""
        : `SELECT f.sluice_partition, r.json, ${past} FROM ${withFiles(`read_ndjson_objects(${listOf(files)}, ${asIs(compression)})`, files)}\n  UNION ALL `
    return `SELECT sluice_partition, line, until, json_keys(json) AS sluice_keys,
    ${typed(columns, "json")}
  FROM (${held}SELECT sluice_partition, was, line, until FROM lines WHERE was IS NOT NULL) v(sluice_partition, json, line, until)`
  }
  const others = columns.filter(({ name }) => name !== entity)
  const was = `SELECT sluice_partition, line, until,
    ${isFixed ? "file_entity" : `was->>${literal(entity)}`} AS ${identifier(entity)},
    ${typed(others, "was")}
  FROM lines WHERE was IS NOT NULL`
  if (files.length === 0) return was
  const read = `read_parquet(${listOf(files)}, filename = true, union_by_name = true, hive_partitioning = false)`
  const fixed = isFixed ? `, f.file_entity AS ${identifier(entity)}` : ""
  return `${was}
  UNION ALL BY NAME
  SELECT f.sluice_partition, ${past}, r.* EXCLUDE (filename)${fixed}
  FROM ${withFiles(read, files)}`
}

/** A value as the text by which records of one time are told apart. */
const idOf = ({ columns, identity }: Described): string => {
  if (identity === undefined) return "''"
  const words = identity.map((name) => {
    const own = identifier(name)
    const isTime = columns.some((column) => column.name === name && column.type._tag === "Time")
    const text = isTime ? `strftime(${own}, '%Y-%m-%dT%H:%M:%S.%nZ')` : `CAST(${own} AS VARCHAR)`
    const isFraction = `regexp_full_match(${text}, '-?\\d+\\.\\d+')`
    return `coalesce(CASE WHEN ${isFraction} THEN regexp_replace(${text}, '\\.?0+$', '') ELSE ${text} END, '')`
  })
  return words.join(" || ' ' || ")
}

/** What a record itself says of when it was knowable: for all that it has, and for a part of it. */
const toldOf = ({ columns }: Described) => {
  const { metrics, stamps, statusTimes } = Knowable.fieldsAmong(columns.map(({ name }) => name))
  const latest = statusTimes.length === 0 ? "NULL" : `greatest(${statusTimes.map(fieldMoment).join(", ")})`
  const others = metrics.map(({ name, statusTime }) => {
    const lacks = statusTime === undefined ? "" : ` AND ${identifier(statusTime)} IS NULL`
    return `(${identifier(name)} IS NOT NULL${lacks})`
  })
  const isWhole = others.length === 0 ? "true" : `NOT (${others.join(" OR ")})`
  const reviewed = statusTimes.length === 0 ? [] : [`CASE WHEN ${isWhole} THEN ${latest} END`]
  const whole = [...stamps.map(fieldMoment), ...reviewed]
  return { latest: `${latest}::BIGINT`, stamp: whole.length === 0 ? "NULL::BIGINT" : `coalesce(${whole.join(", ")})` }
}

const isThere = (name: string): string => `${identifier(name)} IS NOT NULL`

/** The end of what a record is about. */
const endOf = (described: Described): string => {
  const { columns, entity, isFixed, isNdjson, knowing } = described
  if (knowing.every === undefined) return "t"
  const names = columns.map(({ name }) => name)
  const { ofInterval } = Knowable.fieldsAmong(names)
  const own = names.filter((name) => !isFixed || name !== entity)
  const conditions = isNdjson
    ? ["len(sluice_keys) < 3", `list_has_any(sluice_keys, [${ofInterval.map(literal).join(", ")}]::VARCHAR[])`]
    : [`${own.map((name) => `(${isThere(name)})::INTEGER`).join(" + ")} < 3`, ...ofInterval.map(isThere)]
  return `t + CASE WHEN ${conditions.join(" OR ")} THEN ${nanos(knowing.every)} ELSE 0 END`
}

/** Records with the columns `known_from` and `known_until`. */
const query = (described: Described): string => {
  const { columns, entity, knowing } = described
  const { late } = knowing
  const { latest, stamp } = toldOf(described)
  const own = identifier(entity)
  const schema = columns.map(({ name, type }) => `NULL::${typeOf(type, "duckdb")} AS ${identifier(name)}`).join(", ")
  const appeared = `{'after': s."after", 'at': s."at"}`
  return `WITH lines AS MATERIALIZED (
  ${linesOf(described)}
), seen AS (
  SELECT sluice_partition, entity, ${momentOf("first")} AS first, ${momentOf("last")} AS last, id, line,
    ${momentOf('"after"')} AS "after", ${momentOf('"at"')} AS "at"
  FROM lines WHERE was IS NULL
), all_versions AS (
  SELECT ${schema} WHERE false
  UNION ALL BY NAME
  ${versionsOf(described)}
), told AS (
  SELECT *, ${momentOf('"time"')} AS t, ${idOf(described)} AS sluice_id, ${momentOf("until")} AS ended,
    ${stamp} AS stamp, ${latest} AS latest
  FROM all_versions
), ordered AS (
  SELECT *, ${endOf(described)} AS over, lag(line) OVER w AS line_before, lag(ended) OVER w AS ended_before
  FROM told WINDOW w AS (PARTITION BY sluice_partition, ${own}, t, sluice_id ORDER BY line NULLS LAST)
), placed AS (
  SELECT *, (
    SELECT coalesce(arg_max(${appeared}, s.line) FILTER (s."after" IS NOT NULL), arg_min(${appeared}, s.line))
    FROM seen s
    WHERE s.sluice_partition = v.sluice_partition AND s.entity = v.${own} AND s.first <= v.t AND v.t <= s.last
      AND (s.id IS NULL OR s.id = v.sluice_id)
      AND s.line > coalesce(v.line_before, -1) AND (v.line IS NULL OR s.line < v.line)
  ) AS appeared
  FROM ordered v
), estimated AS (
  SELECT *, CASE
    WHEN stamp IS NOT NULL THEN stamp
    WHEN appeared IS NULL OR appeared."after" IS NULL THEN greatest(latest, over + ${nanos(knowing.delay)})
    ${late === undefined ? "" : `ELSE greatest(latest, over + ${nanos(late)})`}
  END AS estimate
  FROM placed
), dated AS (
  SELECT *, CASE
    WHEN appeared IS NULL THEN coalesce(ended_before, least(estimate, ended))
    WHEN (appeared."after" IS NULL OR ((stamp IS NOT NULL OR over > appeared."after") AND estimate > appeared."after"))
      AND estimate <= appeared."at" THEN greatest(estimate, ended_before)
    ELSE greatest(appeared."at", ended_before)
  END AS since
  FROM estimated
)
SELECT ${columns.map(({ name }) => identifier(name)).join(", ")}, make_timestamp_ns(since) AS known_from, make_timestamp_ns(ended) AS known_until
FROM dated`
}

/**
 * Writes the statements: a view of all versions, and a macro that gives those of a moment. Both fail where the folder has changed since,
 * because other files, and other delays, tell of it then.
 */
export const statements = (described: Described): string => {
  const { changes, looked, name } = described
  const all = identifier(`${name}_versions`)
  const isSame = `(SELECT sum(size) = ${changes.size} FROM read_text(${path(changes.path)}))`
  const changed = literal("The dataset has changed since this SQL was written: write it again.")
  const at = "CAST(CAST(moment AS VARCHAR) AS TIMESTAMP_NS)"
  const last = `make_timestamp_ns(${Moment.nanosOf(looked) ?? 0n})`
  const later = literal(`Nobody has looked since ${looked}: sync, and write this SQL again.`)
  return `-- What a dataset held, for DuckDB: the macro gives what was known at a moment, such as '2026-01-01T00:00:00Z'.
CREATE OR REPLACE VIEW ${all} AS
${query(described)}
WHERE CASE WHEN ${isSame} THEN true ELSE error(${changed}) END;

CREATE OR REPLACE MACRO ${identifier(name)}(moment) AS TABLE
SELECT * EXCLUDE (known_from, known_until) FROM ${all}
WHERE CASE WHEN ${at} > ${last} THEN error(${later}) ELSE known_from <= ${at} AND (known_until IS NULL OR ${at} < known_until) END;
`
}
