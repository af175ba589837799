import { assert, describe, it } from "@effect/vitest"
import { Fault, Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import { TestClock } from "effect/testing"
import * as Spec from "../src/internal/faults/Spec.ts"
import { address, envelope, faulty, fetch, get, lines, pages, refused, rows } from "./Harness.ts"

const path = "/timeseries/asset-metrics?assets=btc&metrics=PriceUSD&paging_from=start&page_size=5&end_time=2010-07-31"
const stream = `${path}&format=json_stream`

const statuses = (spec: string) =>
  Effect.map(
    Effect.forEach([1, 2, 3, 4], () => faulty(spec, path)),
    (answers) => answers.map((answer) => answer.status)
  )

/** Where the kinds are listed. */
const listing = "`sluice sandbox --faults` lists the kinds."

describe("Faults", () => {
  it("are read from one line, or refused with what is wrong", () => {
    for (const { example } of Fault.table) assert.isTrue(Result.isSuccess(Spec.parse(example)), example)
    const specs = [
      "status=503;body=html;times=2",
      "reset;after=1",
      "slow=10,crlf,blank-lines",
      "status=429;retry-after=3;id=a",
      "status=429;retry-after=date:-3;headers=epoch",
      "close-after=within:2;framing=length"
    ]
    for (const spec of specs) assert.isTrue(Result.isSuccess(Spec.parse(spec)), spec)
    const wrong: ReadonlyArray<readonly [spec: string, fault: string, why: string]> = [
      ["", "", "there is no kind ''"],
      ["crlf,", "", "there is no kind ''"],
      ["nothing", "nothing", "there is no kind 'nothing'"],
      ["constructor", "constructor", "there is no kind 'constructor'"],
      ["status", "status", "it is written 'status=N'"],
      ["status=1", "status=1", "it is written 'status=N'"],
      ["reset=1", "reset=1", "it is written 'reset'"],
      ["stall-after=x", "stall-after=x", "it is written 'stall-after=POSITION'"],
      ["stall-after=record:", "stall-after=record:", "it is written 'stall-after=POSITION'"],
      ["endless=noise", "endless=noise", "it is written 'endless[=spaces|lines]'"],
      ["gzip-corrupt=end", "gzip-corrupt=end", "it is written 'gzip-corrupt[=BYTE|checksum]'"],
      ["drip=0", "drip=0", "it is written 'drip=BYTES'"],
      ["redirect=/there", "redirect=/there", "it is written 'redirect=URL'"],
      ["rate-headers=odd", "rate-headers=odd", "it is written 'rate-headers=FORM'"],
      ["crlf;times=x", "crlf;times=x", "'times' is written 'times=N'"],
      ["status=429;retry-after=later", "status=429;retry-after=later", "'retry-after' is written 'retry-after=WAIT'"],
      ["crlf;body=html", "crlf;body=html", "'crlf' takes no 'body'"],
      ["crlf;colour=red", "crlf;colour=red", "'crlf' takes no 'colour'"],
      ["crlf;times=1;times=2", "crlf;times=1;times=2", "'times' stands twice"]
    ]
    for (const [spec, fault, why] of wrong) {
      const read = Spec.parse(spec)
      const message = Result.isFailure(read) ? read.failure.message : ""
      assert.strictEqual(
        message,
        `Bad parameter 'x-sandbox-fault'. Fault '${fault}' cannot be read: ${why}. ${listing}`
      )
    }
  })

  it("take a value where their grammar shows one, and only there", () => {
    for (const { kind, value } of Fault.table) {
      const isOptional = value?.otherwise !== undefined
      assert.strictEqual(Result.isSuccess(Spec.parse(kind)), value === undefined || isOptional, kind)
      assert.isTrue(Result.isFailure(Spec.parse(`${kind}=`)), kind)
      if (value === undefined) assert.isTrue(Result.isFailure(Spec.parse(`${kind}=1`)), kind)
    }
  })

  it.effect("that cannot be read are refused", () =>
    Effect.gen(function* () {
      const detail =
        "Bad parameter 'x-sandbox-fault'. Fault 'explode' cannot be read: there is no kind 'explode'. " + listing
      refused(yield* faulty("explode", path), 400, "bad_parameter", detail)
      refused(yield* get(path, { headers: { [Fault.header]: "explode" } }), 400, "bad_parameter", detail)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("come after the key and the window", () =>
    Effect.gen(function* () {
      const { faultUrl } = yield* Sandbox.Sandbox
      const root = faultUrl("status=503")
      refused(yield* get(path, { root, key: "nobody" }), 401, "wrong_credentials")
      for (let n = 0; n < 10; n++) assert.strictEqual((yield* get(path, { root, key: "sandbox-trial" })).status, 503)
      assert.strictEqual((yield* get(path, { root, key: "sandbox-trial" })).status, 429)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("occur as often as they say, counted separately by id", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* statuses("status=500;times=2"), [500, 500, 200, 200])
      assert.deepStrictEqual(yield* statuses("status=500;times=2"), [200, 200, 200, 200])
      assert.deepStrictEqual(yield* statuses("status=500;times=2;id=b"), [500, 500, 200, 200])
      assert.deepStrictEqual(yield* statuses("status=500;after=1;times=1,status=502;after=3"), [200, 500, 200, 502])
      assert.deepStrictEqual(yield* statuses("status=503;page=3"), [200, 200, 503, 200])
      const { stats } = yield* Sandbox.Sandbox
      assert.deepStrictEqual((yield* stats).faults, { status: 7 })
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("status: with the body, the headers and the wait that were asked for", () =>
    Effect.gen(function* () {
      refused(yield* faulty("status=500", path), 500, "internal_error")
      const html = yield* faulty("status=524;body=html", path)
      assert.deepStrictEqual([html.status, html.headers["content-type"]], [524, "text/html"])
      assert.isDefined(html.headers["cf-ray"])
      const empty = yield* faulty("status=503;body=empty;headers=none;retry-after=7", path)
      assert.deepStrictEqual([empty.status, empty.text, empty.headers["retry-after"]], [503, "", "7"])
      assert.isUndefined(empty.headers["x-ratelimit-limit"])
      const limited = yield* faulty("status=429", path)
      assert.strictEqual(limited.headers["x-ratelimit-remaining"], "0")
      const malformed = yield* faulty("status=429;headers=malformed", path)
      assert.strictEqual(malformed.headers["x-ratelimit-reset"], "soon")
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("error-body: an error in a reply that says it is fine", () =>
    Effect.gen(function* () {
      refused(yield* faulty("error-body", path), 200, "internal_error")
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("the path keeps the fault on every page, and the records stay whole", () =>
    Effect.gen(function* () {
      const { faultUrl } = yield* Sandbox.Sandbox
      const plain = (yield* pages(path)).flat()
      const extra = (yield* pages(path, faultUrl("extra-fields"))).flat()
      assert.deepStrictEqual(
        extra.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !name.startsWith("sandbox_")))),
        plain
      )
      assert.isTrue(extra.every((row) => "sandbox_extra" in row))
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("wrong-type and missing: one field of one record, one field of all", () =>
    Effect.gen(function* () {
      const wrong = envelope(yield* faulty("wrong-type=asset", path)).data
      assert.deepStrictEqual(
        wrong.map((row) => typeof row["asset"]),
        ["number", "string", "string", "string", "string"]
      )
      const last = envelope(yield* faulty("wrong-type=PriceUSD", path.replace("start", "end"))).data
      assert.deepStrictEqual(
        last.map((row) => typeof row["PriceUSD"]),
        ["number", "string", "string", "string", "string"]
      )
      const missing = envelope(yield* faulty("missing=time", path)).data
      assert.isTrue(missing.every((row) => !("time" in row) && "asset" in row))
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("empty-page: an empty page before each real one", () =>
    Effect.gen(function* () {
      const { faultUrl } = yield* Sandbox.Sandbox
      const plain = yield* pages(path)
      const found = yield* pages(path, faultUrl("empty-page"))
      assert.deepStrictEqual(
        found.filter((_, n) => n % 2 === 0),
        plain.map(() => [])
      )
      assert.deepStrictEqual(
        found.filter((_, n) => n % 2 === 1),
        plain
      )
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("repeat-token: from the second page on, the token it was asked with", () =>
    Effect.gen(function* () {
      const first = envelope(yield* faulty("repeat-token", path))
      const second = envelope(yield* fetch(first.next_page_url ?? ""))
      assert.strictEqual(second.next_page_token, first.next_page_token)
      assert.deepStrictEqual(envelope(yield* fetch(second.next_page_url ?? "")).data, second.data)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("truncate-line, cut-line and error-line end a stream on a line, within one, and with an error", () =>
    Effect.gen(function* () {
      const { text } = yield* get(stream)
      const whole = text.split("\n")
      assert.strictEqual((yield* faulty("truncate-line=3", stream)).text, `${whole.slice(0, 3).join("\n")}\n`)
      assert.strictEqual((yield* faulty("truncate-line=0", stream)).text, "")
      const cut = (yield* faulty("cut-line=3", stream)).text
      assert.isTrue(text.startsWith(cut))
      assert.strictEqual(cut.split("\n").length, 3)
      assert.isFalse(cut.endsWith("\n") || cut.endsWith("}"))
      const error = (yield* faulty("error-line=3", stream)).text.split("\n")
      assert.deepStrictEqual(error.slice(0, 2), whole.slice(0, 2))
      assert.match(error[2] ?? "", /^\{"error":\{"type":"internal_error"/)
      assert.deepStrictEqual(error.slice(3), [""])
      // A line beyond the end is the line after the last.
      const last = (yield* faulty(`error-line=${whole.length}`, stream)).text.split("\n")
      assert.deepStrictEqual(last.slice(0, -2), whole.slice(0, -1))
      assert.match(last.at(-2) ?? "", /^\{"error"/)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("blank-lines and crlf change nothing but the ends of lines", () =>
    Effect.gen(function* () {
      const { text } = yield* get(stream)
      assert.strictEqual((yield* faulty("crlf", stream)).text, text.replaceAll("\n", "\r\n"))
      assert.strictEqual((yield* faulty("blank-lines", stream)).text, text.replaceAll("\n", "\n\n"))
      const both = (yield* faulty("crlf,blank-lines", stream)).text
      assert.strictEqual(both, text.replaceAll("\n", "\r\n\r\n"))
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("split-utf8: the characters survive for those who wait for their bytes", () =>
    Effect.gen(function* () {
      const found = lines(yield* faulty("split-utf8", stream))
      assert.isTrue(found.every((row) => row["sandbox_note"] === "Ξ→₿ 🌊"))
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("truncate-after: a clean end after so many bytes", () =>
    Effect.gen(function* () {
      const { text } = yield* get(path)
      assert.strictEqual((yield* faulty("truncate-after=100", path)).text, text.slice(0, 100))
      assert.strictEqual((yield* faulty("truncate-after=100000", path)).status, 200)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("of headers strike files of results too", () =>
    Effect.gen(function* () {
      const { headers } = yield* fetch(
        "https://files.sandbox.invalid/fault/sunset,content-type=text%2Fhtml/results/none"
      )
      assert.deepInclude(headers, { sunset: "Fri, 01 Jan 2027 00:00:00 GMT", "content-type": "text/html" })
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("reset and reset-after: a failed request, and a failed body", () =>
    Effect.gen(function* () {
      const { reason: early } = yield* Effect.flip(faulty("reset", path))
      assert.strictEqual(early._tag, "TransportError")
      const { reason: late } = yield* Effect.flip(faulty("reset-after=100", path))
      assert.strictEqual(late._tag, "DecodeError")
      assert.strictEqual((yield* faulty("reset-after=100000", path)).status, 200)
      const { stats } = yield* Sandbox.Sandbox
      assert.strictEqual((yield* stats).running, 0)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("stall and stall-after: no end, however long one waits", () =>
    Effect.gen(function* () {
      for (const spec of ["stall", "stall-after=100"]) {
        const fiber = yield* Effect.forkChild(faulty(spec, path))
        yield* TestClock.adjust("1 day")
        assert.isUndefined(fiber.pollUnsafe())
        yield* Fiber.interrupt(fiber)
      }
      const { stats } = yield* Sandbox.Sandbox
      assert.strictEqual((yield* stats).running, 0)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("slow: a pause before the first byte and before each further piece", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(faulty("slow=1000", path))
      yield* TestClock.adjust("1999 millis")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Fiber.join(fiber)).status, 200)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("work by header as by path", () =>
    Effect.gen(function* () {
      const answer = yield* fetch(yield* address(path), { [Fault.header]: "status=503;times=1" })
      assert.strictEqual(answer.status, 503)
      assert.strictEqual((yield* rows(path)).length, 5)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )
})
