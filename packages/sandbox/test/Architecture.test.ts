import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Imports from "../../core/test/Imports.ts"

const files = Imports.below(path.join(import.meta.dirname, "../src"))

/** The rooms of the table on the page, the lowest first. Those of one row are on one floor. */
const rows = (() => {
  const page = fs.readFileSync(path.join(import.meta.dirname, "../../../docs/architecture.md"), "utf8")
  const section = /\n## The stand-in service\n([^]*?)\n## /.exec(page)?.[1] ?? ""
  return [...section.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)]
    .map(([, cell = ""]) => [...cell.matchAll(/\w+/g)].map(([room]) => room))
    .toReversed()
})()

/** The public modules that say what may be asked for, which rooms import. */
const settings = ["Dialect", "Fault", "Plan"]

/** The room of a file; absent for the modules right under `src`, which stand above all but for `settings`. */
const roomOf = (name: string) => /^(?:internal\/)?([^/]+)\//.exec(name)?.[1]

const floorOf = (name: string) => {
  const room = roomOf(name)
  return room === undefined ? Infinity : rows.findIndex((rooms) => rooms.includes(room))
}

describe("Architecture", () => {
  it("has on its page every room, and no other", () => {
    const rooms = new Set(files.flatMap(({ name }) => roomOf(name) ?? []))
    assert.isAbove(rooms.size, 5)
    assert.deepStrictEqual(rows.flat().toSorted(), [...rooms].toSorted())
  })

  it("has files that import only their own room and those below it in the table", () => {
    for (const { imports, name } of files.filter((file) => roomOf(file.name) !== undefined)) {
      const own = imports.filter((module) => !settings.includes(module) && files.some((file) => file.name === module))
      const above = own.filter((module) => roomOf(module) !== roomOf(name) && floorOf(module) >= floorOf(name))
      assert.deepStrictEqual(above, [], name)
    }
  })

  it("knows nothing of core, whose mistakes it would share", () => {
    for (const { modules, name } of files) {
      assert.deepStrictEqual(
        modules.filter((module) => module.startsWith("@sluice/")),
        [],
        name
      )
    }
  })
})
