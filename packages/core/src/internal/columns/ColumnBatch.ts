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

/** A column of a run of records. */
export interface RunColumn {
  readonly nullable: boolean
  /** The index of its key in the run. */
  readonly key: number
}

/** A word of a column, and its code. */
export type Word = readonly [word: string, code: number]

/** Values that were written. */
export interface Written {
  /** Records that were read, nulls included. */
  readonly records: number
  readonly nulls: number
  /** The values, valid until the next call. */
  readonly bytes: Uint8Array
}

/** Texts that were written. */
export interface WrittenTexts extends Written {
  /** The bytes of the offsets at which each of them ends. */
  readonly ends: Uint8Array
}

/** Writes columns of one batch after the other. Each function stops at a value of another form than most. */
export interface ColumnBatch {
  readonly load: (batch: Batch.Batch) => void
  /** Begins a run of that batch. */
  readonly loadRun: (run: Batch.Run) => void
  /** Writes the values of some records, eight bytes for each, null too. */
  readonly words: (kind: WordKind, column: RunColumn, from: number, to: number) => Written
  /** Writes the texts of some records. The first begins at offset `at`. */
  readonly texts: (isJson: boolean, column: RunColumn, from: number, to: number, at: number) => WrittenTexts
  /** Writes the codes of the texts of some records, of the words that a list has. */
  readonly codes: (list: number, column: RunColumn, from: number, to: number) => Written
  /** Sets the words of a list: the first 64, as far as there is room for their text. */
  readonly setWords: (list: number, words: ReadonlyArray<Word>) => void
}

type Exported = {
  readonly [name in "texts" | "words" | "codes"]: (...values: ReadonlyArray<number>) => number
}

/** Words of 32 bits of a list: how many words it has, three for each, and their bytes. */
const listSize = 2_048

/** More words are not looked through one after the other. */
export const mostWords = 64

/** Builds what writes the columns of one batch after the other, with as many lists of words. */
export const make = (lists = 0): ColumnBatch => {
  const memory = BatchMemory.make<Exported>(columnModule, PowersOfFive.size + lists * listSize)
  const { bytes, exports, load, loadRun, out, setTable, word } = memory
  setTable(PowersOfFive.make())
  let run: BatchMemory.Loaded = { records: 0, recordsEnd: 0, stride: 0, shift: 0 }
  /** Records of the batch. */
  let length = 0

  const listAt = (list: number) => BatchMemory.table + 4 * (PowersOfFive.size + list * listSize)
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
    load: (batch) => {
      ;({ length } = batch)
      // A text with its length or its end takes four bytes more than in the batch, a number of 64 bits at most eight. What copies
      // sixteen bytes at a time writes as many beyond the last.
      load(batch, batch.to - batch.from + 8 * length + 16)
    },
    loadRun: (next) => {
      run = loadRun(next)
    },
    words: (kind, column, from, to) => written(out, exports.words(...some(column, from, to), words[kind], out)),
    texts: (isJson, column, from, to, at) => {
      const start = out + 4 * length
      const end = exports.texts(...some(column, from, to), Number(isJson), out, start, at - start)
      return { ...written(start, end), ends: bytes(out, out + 4 * word(0)) }
    },
    codes: (list, column, from, to) => written(out, exports.codes(...some(column, from, to), listAt(list), out)),
    setWords: (list, words) => {
      const image = new Int32Array(listSize)
      const texts = new Uint8Array(image.buffer)
      let at = 4 * (1 + 3 * mostWords)
      for (const [index, [text, code]] of words.slice(0, mostWords).entries()) {
        const encoded = new TextEncoder().encode(text)
        if (at + encoded.length > texts.length) break
        texts.set(encoded, at)
        image.set([listAt(list) + at, encoded.length, code], 1 + 3 * index)
        image[0] = index + 1
        at += encoded.length
      }
      setTable(image, listAt(list))
    }
  }
}
