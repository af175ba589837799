/** Builds plain objects with the same keys, all of one hidden class. */
import * as Result from "effect/Result"

/** Builds an object from the values of its keys. */
export type Builder = (values: ReadonlyArray<unknown>) => object

/**
 * Makes a builder for these keys, in this order. No key may be `__proto__`.
 *
 * **Details**
 *
 * Setting the keys one by one takes a third of the time of reading a record; compiled code takes almost none. So it is compiled,
 * as the guards of schemas are. Where code generation is forbidden, keys are set one by one.
 */
export const make = (keys: ReadonlyArray<string>): Builder => compile(keys) ?? setting(keys)

const compile = (keys: ReadonlyArray<string>): Builder | undefined => {
  const { create, declaration } = writeRecord(keys)
  const values = keys.map((_, index) => `values[${index}]`)
  // Type boundary: the compiled function returns this one.
  const compiled = Result.try(() => new Function(`${declaration}\nreturn (values) => ${create(values)}`)() as Builder)
  return Result.getOrUndefined(compiled)
}

export interface RecordCode {
  /** What has to be declared first. */
  readonly declaration: string
  /** The expression that builds an object from one expression for each key. */
  readonly create: (values: ReadonlyArray<string>) => string
}

/**
 * Writes the code that builds objects with these keys.
 *
 * **Details**
 *
 * It is a constructor of plain objects, not an object literal. V8 counts how many objects of each literal survive a collection,
 * and allocates all later ones in the old generation when most did. What is built while a full collection marks seems to
 * survive, so one at the wrong moment doubled the processor time and the peak memory of the rest of the program. V8 does not
 * count what a constructor builds.
 */
export const writeRecord = (keys: ReadonlyArray<string>): RecordCode => {
  // JSON.stringify makes every key a string literal, so no text of the service becomes code.
  const names = keys.map((key) => JSON.stringify(key))
  // An assignment would follow what Object.prototype says of the key.
  if (keys.some((key) => key in Object.prototype)) {
    return {
      declaration: "",
      create: (values) => `({ ${names.map((name, index) => `${name}: ${values[index]}`).join()} })`
    }
  }
  const parameters = keys.map((_, index) => `v${index}`)
  const assignments = names.map((name, index) => `this[${name}] = v${index}`)
  return {
    declaration: `function Record(${parameters.join()}) { ${assignments.join(";")} }\nRecord.prototype = Object.prototype`,
    create: (values) => `new Record(${values.join()})`
  }
}

/** Holds nothing; it has held an object, so that V8 expects objects in its copies. */
const noItems: Array<unknown> = [{}]
noItems.length = 0

/** Makes a list that will hold records or their values. It is a copy, because V8 counts for literals of arrays too. */
export const makeList = (): Array<unknown> => noItems.slice()

const setting = (keys: ReadonlyArray<string>): Builder => {
  const empty: Record<string, unknown> = {}
  for (const key of keys) empty[key] = ""
  return (values) => {
    // A copy has its hidden class at once; adding keys one by one takes twice as long.
    const object = { ...empty }
    for (let index = 0; index < keys.length; index++) object[keys[index]!] = values[index]
    return object
  }
}
