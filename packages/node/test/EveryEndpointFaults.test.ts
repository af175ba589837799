import { assert, layer } from "@effect/vitest"
import { Client, type Endpoint, Endpoints } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Extent from "../../core/test/TestMode.ts"
import * as Asked from "./ExampleParams.ts"
import { inVirtualTime, settings } from "./Harness.ts"

/** Faults that every family has to survive, whatever its records are. */
const faults = [
  "status=503;times=2",
  "status=429;retry-after=1;times=1",
  "reset;times=2",
  "reset-after=record:1;times=1",
  "truncate-after=60;times=1",
  "damage=12;times=1",
  "slow=500;times=1",
  "crlf"
]

/** Of each family the last endpoint, which came latest; in a long run every endpoint. */
const families = Map.groupBy(Endpoints.entries, ({ section }) => section)
const chosen = Extent.isLong ? Endpoints.entries : [...families.values()].map((entries) => entries.at(-1)!)

/** Runs a program with a client of a stand-in within the process, both on the test clock, under a fault of its own. */
const reads = <A, E>(program: Effect.Effect<A, E, Client.Client>, fault?: string) =>
  Effect.gen(function* () {
    const { faultUrl, url } = yield* Sandbox.Sandbox
    const root = fault === undefined ? url : faultUrl(fault)
    const client = yield* Client.make({ ...settings, root, plan: "download", deprecated: "ignore" })
    return yield* inVirtualTime(Effect.provideService(program, Client.Client, client))
  })

/** The records of a few pages, or of a reply that has no pages. */
const read = (endpoint: Endpoint.Any, format: Endpoint.Format) => {
  const size = endpoint.parameters.has("page_size") && format === "json" ? { page_size: 40 } : {}
  const limit = endpoint.parameters.has("limit") ? { limit: 50 } : {}
  const form = endpoint.formats.length > 1 ? { format } : {}
  // Type boundary: the parameters are checked when the stream runs.
  const params = { ...limit, ...size, ...Asked.of(endpoint), ...form } as never
  return Stream.runCollect(Stream.take(endpoint(params), 100))
}

/** Records without the addresses of files, which lead to the stand-in under the same fault. */
const plain = (records: ReadonlyArray<unknown>) =>
  JSON.stringify(records, (name, value: unknown) => (name === "url" ? undefined : value))

layer(Sandbox.layerMemory())("a fault costs no record and repeats none", (it) => {
  for (const { endpoint, name, section } of chosen) {
    for (const format of endpoint.formats) {
      it.effect(`of ${section}.${name} as ${format}`, () =>
        Effect.gen(function* () {
          const whole = yield* reads(read(endpoint, format))
          assert.isNotEmpty(whole)
          for (const [index, fault] of faults.entries()) {
            const id = `${endpoint.path.replaceAll(/[^\w]/g, ".")}-${format}-${index}`
            const records = yield* reads(read(endpoint, format), `${fault};id=${id}`)
            assert.isTrue(plain(records) === plain(whole), `${fault}: ${records.length} of ${whole.length}`)
          }
        })
      )
    }
  }
})
