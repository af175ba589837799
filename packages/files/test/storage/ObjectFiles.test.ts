import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { ObjectStorage } from "@sluice/files"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Draw from "../../../core/test/Draw.ts"
import { assertSame } from "../../../core/test/Same.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as Files from "../../src/internal/folder/Files.ts"
import { temporary } from "../download/Harness.ts"
import * as ProxyServer from "../../../node/test/ProxyServer.ts"
import * as S3Server from "./S3Server.ts"

// The storage of the test does not find the source of a copy with a "+".
const names = ["one", "two.ndjson", "a=b/three c%.json", "a=b/lock-é.json"]

const bytes = (text: string) => new TextEncoder().encode(text)

/** What an operation gives, or the code it fails with. */
const outcome = <A>(self: Effect.Effect<A, Files.FilesError>) =>
  Effect.match(self, {
    onFailure: (error) => (error._tag === "FileFailed" ? `failed with ${error.code}` : error._tag),
    onSuccess: (value): unknown => value
  })

/** The same operation of any place. */
const operation = (draw: Draw.Draw) => {
  const [name, other] = [draw.one(names), draw.one(names)]
  const [text, more] = [`${draw.below(1_000)} é\n`, `${draw.below(1_000)}\n`.repeat(draw.below(3))]
  const way = draw.below(10)
  const what = `${["put", "new", "cut", "add", "touch", "rename", "remove", "read", "piece", "share"][way]} ${name} ${other}`
  const run = (files: Files.Files, folder: string): Effect.Effect<unknown, Files.FilesError> => {
    const path = files.join(folder, name)
    const writing = (at: "start" | "end", pieces: ReadonlyArray<string>, isCut = false) =>
      Effect.scoped(
        Effect.gen(function* () {
          const writer = yield* files.open(path, at)
          for (const piece of pieces) {
            yield* writer.write(bytes(piece))
            if (at === "end") yield* writer.sync
          }
          if (!isCut) yield* writer.sync
        })
      )
    switch (way) {
      case 0:
        return Effect.asVoid(files.put(path, text))
      case 1:
        return writing("start", [text, more])
      case 2:
        return Effect.andThen(Effect.ignore(writing("start", [text], true)), files.remove(path))
      case 3:
        return writing("end", [text, more])
      case 4:
        return Effect.flatMap(files.size(path), (size) =>
          size === undefined
            ? files.touch(path, "x")
            : Effect.flatMap(files.text(path), (now) => files.touch(path, now ?? ""))
        )
      case 9:
        return Effect.scoped(
          Effect.gen(function* () {
            const second = files.join(folder, "second")
            yield* writing("start", [text, more])
            yield* files.share(path, second)
            yield* files.remove(path)
            const shared = yield* files.text(second)
            yield* files.remove(second)
            return shared
          })
        )
      case 5:
        // Of what was added to, only the copy of a journal is ever renamed.
        return Effect.flatMap(files.text(path), (now) =>
          now === undefined || name === other
            ? Effect.void
            : Effect.andThen(files.put(path, now), files.rename(path, files.join(folder, other)))
        )
      case 6:
        return files.remove(path)
      case 7:
        return files.text(path)
      default:
        return Effect.flatMap(files.text(path), (now) =>
          now === undefined
            ? Effect.undefined
            : Effect.andThen(
                files.put(path, now),
                Effect.scoped(
                  Effect.flatMap(files.openAt(path), ({ read, size }) =>
                    Effect.map(read(2, size + 9), (piece) => `${size} ${Buffer.from(piece).toString()}`)
                  )
                )
              )
        )
    }
  }
  return { what, run }
}

/** A byte of a large file. */
const valueAt = (at: number) => (at * 7 + Math.floor(at / 1_000_000)) % 251

const contents = Effect.fnUntraced(function* (files: Files.Files, folder: string) {
  const below = [...((yield* files.names(folder)) ?? [])].toSorted()
  const texts = yield* Effect.forEach(names, (name) => files.text(files.join(folder, name)))
  return { below: below.filter((name) => name !== "a=b"), texts }
})

describe("files in an object storage", () => {
  for (const isDisturbed of [false, true]) {
    it.live(
      `are as files on a disk${isDisturbed ? ", when requests fail and replies are lost" : ""}`,
      () =>
        Effect.gen(function* () {
          const root = yield* S3Server.start
          // Each failed request is tried again after 100 ms and more, which really pass.
          for (const seed of TestMode.seeds(3, isDisturbed ? 10 : 30)) {
            const draw = Draw.from(seed)
            const local = yield* temporary
            const there = `s3://data/seed ${seed}${isDisturbed ? "/disturbed" : ""}`
            const faults = isDisturbed ? Draw.from(seed + 1_000) : undefined
            yield* Effect.gen(function* () {
              const files = yield* Files.make
              yield* files.makeFolder(files.join(local, "a=b"))
              const said: Array<string> = []
              for (let step = 0; step < 40; step++) {
                const { run, what } = operation(draw)
                said.push(what)
                const [here, far] = [yield* outcome(run(files, local)), yield* outcome(run(files, there))]
                assertSame(far, here, said.join("; "))
              }
              assertSame(yield* contents(files, there), yield* contents(files, local), said.join("; "))
            }).pipe(Effect.provide(S3Server.layer(root, faults), { local: true }))
          }
        }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)),
      120_000
    )
  }

  it.live("are added to by one process at a place", () =>
    Effect.gen(function* () {
      const root = yield* S3Server.start
      yield* Effect.gen(function* () {
        const files = yield* Files.make
        const path = "s3://data/folder/journal.ndjson"
        const [one, two] = [yield* files.open(path, "end"), yield* files.open(path, "end")]
        yield* Effect.andThen(one.write(bytes("one\n")), one.sync)
        const error = yield* Effect.flip(Effect.andThen(two.write(bytes("two\n")), two.sync))
        assert.deepInclude(error, { _tag: "FileFailed", code: "PreconditionFailed" })
        assert.strictEqual(yield* files.text(path), "one\n")
        // What is put anew begins again, also for who had it open.
        yield* files.put(path, "new\n")
        yield* Effect.andThen(one.write(bytes("late\n")), one.sync)
        const next = yield* files.open(path, "end")
        yield* Effect.andThen(next.write(bytes("three\n")), next.sync)
        assert.strictEqual(yield* files.text(path), "new\nthree\n")
      }).pipe(Effect.scoped, Effect.provide(S3Server.layer(root)))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("of many megabytes are sent in parts, and are not there when they are given up", () =>
    Effect.gen(function* () {
      const root = yield* S3Server.start
      yield* Effect.gen(function* () {
        const files = yield* Files.make
        // The memory of each write is used again for the next.
        const block = Buffer.alloc(1_000_000)
        const write = (path: string, isCut: boolean) =>
          Effect.scoped(
            Effect.gen(function* () {
              const writer = yield* files.open(path, "start")
              for (let count = 0; count < 20; count++) {
                for (let at = 0; at < block.length; at++) block[at] = valueAt(count * block.length + at)
                yield* writer.write(block)
              }
              if (!isCut) yield* writer.sync
            })
          )
        yield* write("s3://data/large", false)
        yield* write("s3://data/cut", true)
        assert.strictEqual(yield* files.size("s3://data/cut"), undefined)
        let [at, wrong] = [0, 0]
        yield* files.scan("s3://data/large", (piece) =>
          Effect.sync(() => {
            for (const byte of piece) if (byte !== valueAt(at++)) wrong++
          })
        )
        assert.deepStrictEqual([at, wrong], [20_000_000, 0])
      }).pipe(Effect.scoped, Effect.provide(S3Server.layer(root)))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("need a storage, a bucket and a key, which no error tells", () =>
    Effect.gen(function* () {
      const root = yield* S3Server.start
      const look = Effect.flatMap(Files.make, (files) => Effect.flip(files.put("s3://data/x", "x")))
      assert.include((yield* look).message, "provide ObjectStorage.layerConfig")
      const none = Effect.flatMap(Files.make, (files) => Effect.flip(files.put("s3://none/x", "x")))
      const missing = yield* Effect.provide(none, S3Server.layer(root), { local: true })
      assert.deepInclude(missing, { _tag: "FileFailed", code: "NoSuchBucket" })
      const refused = yield* Effect.provide(look, S3Server.layer(root, undefined, "NOBODY"), { local: true })
      assert.deepInclude(refused, { _tag: "FileFailed", code: "InvalidAccessKeyId" })
      assert.notInclude(JSON.stringify(refused), "NOBODY")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("is reached through a proxy, with keys of the environment", () =>
    Effect.gen(function* () {
      const root = new URL(yield* S3Server.start)
      const proxy = yield* ProxyServer.proxyTo(Number(root.port))
      const environment = {
        http_proxy: `http://127.0.0.1:${proxy.port}`,
        AWS_ENDPOINT_URL: `http://s3.amazonaws.com:${root.port}`,
        AWS_ACCESS_KEY_ID: "S3RVER",
        AWS_SECRET_ACCESS_KEY: "S3RVER"
      }
      const storage = Layer.provide(
        ObjectStorage.layerConfig(),
        ConfigProvider.layer(ConfigProvider.fromUnknown(environment))
      )
      const again = Effect.gen(function* () {
        const files = yield* Files.make
        yield* files.put("s3://data/a b=c/é", "text")
        return yield* files.text("s3://data/a b=c/é")
      })
      assert.strictEqual(yield* Effect.provide(again, storage), "text")
      assert.deepStrictEqual([...new Set(proxy.tunnels.map(({ target }) => target))], [`s3.amazonaws.com:${root.port}`])
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
