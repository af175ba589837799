/**
 * The values of a column of a batch as Arrow has them, many with one call.
 *
 * The loops are in `column.wat`. A download of a million records takes 0.93 of the processor time of a page loop by hand that
 * writes nothing; with values that JavaScript takes from built records, 2.72 (`bench --only downloads`).
 */
import type * as Batch from "../../Batch.ts"
import * as BatchMemory from "./BatchMemory.ts"
import { columnModule } from "./ColumnModule.ts"
import * as PowersOfFive from "./PowersOfFive.ts"

/** What takes 64 bits. */
export type WordKind = keyof typeof words

/** The kinds of 64 bits by the number that the module knows them by. */
const words = { time: 0, double: 1, integer: 2 } as const

export interface RunColumn {
  readonly nullable: boolean
  /** The index of its key in the run. */
  readonly key: number
}

/** The bytes of a word of a column, and its code. */
export type Word = readonly [bytes: Uint8Array, code: number]

export interface Written {
  /** Records that were read, nulls included. */
  readonly records: number
  readonly nulls: number
  /** The values, valid until the next call. */
  readonly bytes: Uint8Array
}

export interface WrittenTexts extends Written {
  /** The bytes of the offsets at which each of them ends. */
  readonly ends: Uint8Array
}

type Exported = {
  readonly [name in "texts" | "words" | "codes"]: (...values: ReadonlyArray<number>) => number
}

/** Words as the module reads them: how many there are, the place, the length and the code of each, and their bytes. */
export type WordList = Int32Array

const listSize = 2_048
const listAt = BatchMemory.table + 4 * PowersOfFive.size

/** More words are not looked through one after the other. */
export const mostWords = 64

/** Makes a list of the first 64 words, as far as there is room for their bytes. */
export const wordList = (words: Iterable<Word>): WordList => {
  const list = new Int32Array(listSize)
  const texts = new Uint8Array(list.buffer)
  let count = 0
  let at = 4 * (1 + 3 * mostWords)
  for (const [bytes, code] of words) {
    if (count === mostWords || at + bytes.length > texts.length) break
    texts.set(bytes, at)
    list.set([listAt + at, bytes.length, code], 1 + 3 * count)
    count++
    at += bytes.length
  }
  list[0] = count
  return list
}

export const make = () => {
  const memory = BatchMemory.make<Exported>(columnModule, PowersOfFive.size + listSize)
  const { bytes, exports, load, loadRun, out, setTable, word } = memory
  setTable(PowersOfFive.make())
  let loaded: WordList | undefined
  let run: BatchMemory.Loaded = { records: 0, recordsEnd: 0, stride: 0, shift: 0 }
  let length = 0

  const written = (from: number, end: number): Written => ({
    records: word(0),
    nulls: word(4),
    bytes: bytes(from, end)
  })
  /** The first arguments of each function. */
  const some = ({ key, nullable }: RunColumn, from: number, to: number): ReadonlyArray<number> => {
    const { records, shift, stride } = run
    return [records + from * stride, stride, records + to * stride, shift, 4 + 8 * key, Number(nullable)]
  }

  return {
    load: (batch: Batch.Batch) => {
      ;({ length } = batch)
      // A text with its length or its end takes four bytes more than in the batch, a number of 64 bits at most eight. What copies
      // sixteen bytes at a time writes as many beyond the last.
      load(batch, batch.to - batch.from + 8 * length + 16)
    },
    /** Begins a run of that batch. */
    loadRun: (next: Batch.Run) => {
      run = loadRun(next)
    },
    /** Writes the values of some records, eight bytes for each, null too. */
    words: (kind: WordKind, column: RunColumn, from: number, to: number): Written =>
      written(out, exports.words(...some(column, from, to), words[kind], out)),
    /** Writes the texts of some records. The first begins at offset `at`. */
    texts: (isJson: boolean, column: RunColumn, from: number, to: number, at: number): WrittenTexts => {
      const start = out + 4 * length
      const end = exports.texts(...some(column, from, to), Number(isJson), out, start, at - start)
      return { ...written(start, end), ends: bytes(out, out + 4 * word(0)) }
    },
    /** Writes the codes of the texts of some records, up to one that is no word of the list. */
    codes: (list: WordList, column: RunColumn, from: number, to: number): Written => {
      if (list !== loaded) setTable(list, listAt)
      loaded = list
      return written(out, exports.codes(...some(column, from, to), listAt, out))
    }
  }
}

/** Writes columns of one batch after the other. Each function stops at a value of another form than most. */
export type ColumnBatch = ReturnType<typeof make>
