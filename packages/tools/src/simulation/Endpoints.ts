/**
 * Every endpoint there is, with drawn parameters, in every dialect, under every kind of fault that leaves its records as they are.
 */
import { Client, Retry } from "@sluice/core"
import { Dialect, Simulation } from "@sluice/sandbox"
import { Effect, Struct } from "effect"
import * as Draw from "../../../core/test/Draw.ts"
import * as KeyForm from "../../../sandbox/src/internal/faults/KeyForm.ts"
import * as Auditor from "./Auditor.ts"
import * as EndpointTargets from "./EndpointTargets.ts"
import * as Reading from "./Reading.ts"

/** Faults that no call fails with. */
const survived = [
  ...Simulation.transient,
  ..."error-body content-length=5 truncate-after=within:# empty-page=2 tail warnings=3 foreign-next-url".split(" "),
  ..."content-type=none content-encoding=identity large-header=10000 long-header=Link;size=8000".split(" "),
  ..."echo-key rate-headers=zero deprecation sunset".split(" ")
]

/** Those of the lines of a json_stream: as many again as all others, since most lists have few lines. */
const ofLines = [1, 2, 3, 4].flatMap(() =>
  "cut-line=2 error-line=1 error-line=2 error-line=3 error-line=20 blank-lines crlf".split(" ")
)

/** Faults that a call may fail with; what it has given before is right. */
const refused = [
  ..."damage=# status=401 status=403 status=404 status=414 status=204 redirect=http://elsewhere.invalid".split(" "),
  ..."endless=lines envelope=null second-data foreign-token latin1 error-body,echo-key".split(" "),
  ...KeyForm.names.map((form) => `status=403,echo-key=${form}`)
]

const recordsOf = (target: EndpointTargets.Target, params: Readonly<Record<string, unknown>>): Reading.Records =>
  // Type boundary: an endpoint known only at run time takes its parameters as data and checks them.
  EndpointTargets.endpointOf(target)(params as never)

/** One drawn endpoint, read with others' faults; its truth is read from a service of its own. */
export const make = Effect.succeed(
  Effect.gen(function* () {
    const seed = yield* Simulation.below(2 ** 31)
    const draw = Draw.from(seed)
    const target = EndpointTargets.draw(draw)
    const dialect = Struct.pick(Dialect.draw(seed), EndpointTargets.questions)
    const isTurned = EndpointTargets.isTurned(target)
    const isReversed = target.paging.paging_from === "end" && EndpointTargets.isPaged(target)
    const options = { ...Auditor.options, dialect }
    const read = Reading.truthOf(recordsOf(target, EndpointTargets.contentOf(target)), options)
    // Some catalogs take lists of names that none of them has.
    const truth = yield* Effect.catchTag(read, "InvalidRequest", () => Effect.undefined)
    if (truth === undefined) return
    const hasRefusals = (yield* Simulation.below(3)) === 2
    const some = target.paging.format === "json_stream" ? [...survived, ...ofLines] : survived
    const client = Simulation.layerClient(
      (given) => Client.layer({ ...given, parallel: 2, retry: Retry.make({ times: 60, within: "5 days" }) }),
      { ...options, percent: 30, faults: hasRefusals ? [...some, ...refused] : some }
    )
    yield* Effect.gen(function* () {
      const records = recordsOf(target, { ...target.content, ...target.paging })
      yield* Reading.audit(records, isReversed ? truth.toReversed() : truth, { hasRefusals, isOrdered: !isTurned })
      yield* Reading.released
    }).pipe(Effect.provide(client, { local: true }))
  })
)
