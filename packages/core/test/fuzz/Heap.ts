/** The heap, once everything that can go has gone. */
import * as v8 from "node:v8"
import * as vm from "node:vm"

// Node has no way to collect now unless it is started with this flag, which a test cannot do; set later, only contexts
// made after it have the function.
v8.setFlagsFromString("--expose-gc")
const collect: unknown = vm.runInNewContext("gc")

/** Bytes in use after a collection. */
export const used = (): number => {
  if (typeof collect !== "function") throw new Error("the collector cannot be called")
  collect()
  collect()
  return v8.getHeapStatistics().used_heap_size
}
