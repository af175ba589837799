import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as EndpointIndex from "../src/endpoints/EndpointIndex.ts"
import * as Examples from "../src/endpoints/Examples.ts"
import * as Parameters from "../src/endpoints/Parameters.ts"
import * as TestMode from "../../core/test/TestMode.ts"
import { folder, services, sluice } from "./Process.ts"

/** The arguments of an example, as a shell reads them. */
const argumentsOf = (command: string) =>
  command
    .replace(/^sluice /, "")
    .split(" ")
    .map((word) => word.replaceAll("'", ""))

layer(services, { excludeTestServices: true })("examples", (it) => {
  it.effect("of every live operation run as they are", () =>
    Effect.gen(function* () {
      const failed: Array<string> = []
      for (const entry of EndpointIndex.live) {
        const [example] = Examples.tail({ entry, parameters: Parameters.of(entry.endpoint) })
        const { code, stderr, stdout } = yield* sluice(argumentsOf(example?.command ?? ""))
        if (code !== 0 || stdout === "") failed.push(`${example?.command}\n${stderr}`)
      }
      assert.deepStrictEqual(failed, [])
    })
  )

  it.effect("of datasets, schemas and backfills run one after the other as they are", () =>
    Effect.gen(function* () {
      const place = { folder: yield* folder }
      const [dataset] = Examples.verify
      const fs = yield* FileSystem.FileSystem
      yield* fs.writeFileString(`${place.folder}/datasets.toml`, '[prices]\noutput = "dataset"\n')
      const { stdout } = yield* sluice(["sync", "--help"])
      for (const { command } of Examples.sync(undefined)) assert.include(stdout, `\n  ${command}\n`)
      const examples = [
        ...Examples.sync(undefined),
        ...Examples.status,
        dataset,
        ...Examples.schema,
        ...Examples.backfill(undefined)
      ]
      for (const example of examples) {
        const { code, stderr } = yield* sluice(argumentsOf(example?.command ?? ""), {}, place)
        assert.strictEqual(code, 0, `${example?.command}\n${stderr}`)
      }
    })
  )

  it.effect("of every endpoint run as they are, unless they need what only the service knows", () =>
    Effect.gen(function* () {
      const unknown: Array<string> = []
      const failed: Array<string> = []
      for (const [index, entry] of EndpointIndex.all.entries()) {
        const [example] = Examples.get({ entry, parameters: Parameters.of(entry.endpoint) })
        const command = example?.command ?? ""
        if (command.includes("<")) {
          unknown.push(entry.endpoint.path)
          continue
        }
        // Many are of one form. Each fourth one is run, in a long run all.
        if (!TestMode.isLong && index % 4 !== 0) continue
        const { code, stderr, stdout } = yield* sluice(argumentsOf(command))
        if (code !== 0 || stdout === "") failed.push(`${command}\n${stderr}`)
      }
      assert.deepStrictEqual(failed, [])
      assert.sameMembers(unknown, [
        "/blockchain-v2/{asset}/accounts/{account}/balance-updates",
        "/blockchain-v2/{asset}/blocks/{block_hash}",
        "/blockchain-v2/{asset}/blocks/{block_hash}/transactions/{txid}",
        "/blockchain-v2/{asset}/transactions/{txid}",
        "/jobs"
      ])
    })
  )
})
