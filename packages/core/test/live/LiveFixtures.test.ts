import { assert, describe, it } from "@effect/vitest"
import { Endpoints, type LiveMessage } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Expected from "../table/Expected.ts"
import * as Table from "@sluice/interface/Table"
import * as FakeLive from "./FakeLive.ts"
import * as Fixtures from "../Fixtures.ts"
import * as Virtual from "../Virtual.ts"

const find = (path: string) => Endpoints.live.find((endpoint) => endpoint.path === path)!

describe("Live fixtures", () => {
  it("are one for every live operation, and for no other path", () => {
    assert.deepStrictEqual(
      Fixtures.live.map(({ path }) => path).toSorted(),
      Endpoints.live.map(({ path }) => path).toSorted()
    )
  })
})

describe.each(Fixtures.live.map((fixture) => [fixture.path, fixture] as const))("%s", (path, fixture) => {
  const endpoint = find(path)

  it("names records by the keys of the table", () => {
    const keys = Object.entries(Table.find(path).record).flatMap(([name, { isKey }]) => (isKey ? [name] : []))
    assert.includeMembers(keys, [endpoint.entity, ...(endpoint.identity ?? [])])
  })

  it.effect.each(Fixtures.byName(fixture.replies))("accepts: %s", ([, { body, query }]) =>
    Effect.gen(function* () {
      const live = FakeLive.make([[{ frames: body.data }]])
      const messages: ReadonlyArray<LiveMessage.LiveMessage<unknown>> = yield* Virtual.run(
        endpoint(Fixtures.paramsOf(path, query)).pipe(
          Stream.take(body.data.length + 1),
          Stream.runCollect,
          Effect.provide(live.layer(FakeLive.noHttp))
        )
      )
      assert.deepStrictEqual(
        messages.slice(1),
        body.data.map((record) => ({
          _tag: "Data",
          record,
          origin: "live",
          received: "1970-01-01T00:00:00.001000000Z"
        }))
      )
      const sent = Object.fromEntries(new URL(live.sockets[0]!.url).searchParams)
      assert.deepStrictEqual(sent, { ...Fixtures.sentOf(path, query) })
    })
  )

  it.effect.each(Fixtures.byName(fixture.broken))("refuses: %s", ([, { at, body }]) =>
    Effect.gen(function* () {
      // Type boundary: the frames of a fixture.
      const frames = body.data as ReadonlyArray<unknown>
      const live = FakeLive.serve(() => [{ frames }])
      const [view] = Expected.views(Table.find(path))
      const error = yield* Virtual.run(
        endpoint(Fixtures.paramsOf(path, "", view?.params)).pipe(
          Stream.runDrain,
          Effect.flip,
          Effect.provide(live.layer(FakeLive.noHttp))
        )
      )
      assert(error._tag === "Decode", error.message)
      assert.strictEqual(error.path, at)
    })
  )
})
