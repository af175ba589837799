import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as FakeApi from "../FakeApi.ts"
import * as JobScript from "./JobScript.ts"
import { key, read, text } from "./JobReading.ts"

const { doneWith, gz, url } = JobScript

/** Where the host refuses, the service is asked again; otherwise the host is. */
const alternating = (reply: FakeApi.Script, status: FakeApi.Reply): ReadonlyArray<FakeApi.Script> =>
  Predicate.hasProperty(reply, "status") && reply.status === 403 ? [status] : Array(20).fill(reply)

describe("The address of a result", () => {
  it.effect.each([
    "file:///etc/passwd",
    "ftp://files.example.com/x",
    "javascript:alert(1)",
    "data:text/plain,x",
    "/relative",
    "//files.example.com/x",
    "",
    null,
    "http://files.example.com/x",
    "https://user:pass@files.example.com/x",
    "https://127.0.0.1/x",
    "https://2130706433/x",
    "https://0x7f.1/x",
    "https://0177.0.0.1/x",
    "https://10.0.0.1/x",
    "https://100.64.0.1/x",
    "https://169.254.169.254/latest/meta-data",
    "https://172.16.0.1/x",
    "https://192.168.0.1/x",
    "https://0.0.0.0/x",
    "https://255.255.255.255/x",
    "https://[::1]/x",
    "https://[::]/x",
    "https://[fd00::1]/x",
    "https://[fe80::1]/x",
    "https://[::ffff:127.0.0.1]/x",
    "https://[64:ff9b::7f00:1]/x",
    "https://[2002:7f00:1::]/x",
    "https://localhost/x",
    "https://localhost./x",
    "https://a.localhost/x",
    "https://metadata.google.internal/x",
    "https://printer.local/x",
    "https://intranet/x",
    "https://files.example.com/x?api_key=other",
    `https://files.example.com/x?k=${encodeURIComponent(key)}`,
    `https://files.example.com/${encodeURIComponent(encodeURIComponent(key))}/x`,
    `https://files.example.com/x#${key}`,
    `https://files.example.com/${"x".repeat(9_000)}`
  ])("is refused, and nothing is requested: %j", (address) =>
    Effect.gen(function* () {
      const { api, error, records, said } = yield* read([doneWith([url(0), address])])
      assert.deepInclude(error, { _tag: "JobResultRefused", id: "job-1", file: 2 } as const)
      assert.strictEqual(api.seen.length, 1)
      assert.deepStrictEqual(records, [])
      for (const one of [String(error?.message), ...said]) {
        assert.notInclude(one, key)
        assert.notInclude(one, "passwd")
      }
    })
  )

  it.effect("is refused where the job lists it twice, which would repeat its records", () =>
    Effect.gen(function* () {
      const { api, error } = yield* read([doneWith([url(0), url(1), url(0)])])
      assert.deepInclude(error, {
        _tag: "JobResultRefused",
        file: 3,
        reason: "its address is that of file 1"
      } as const)
      assert.strictEqual(api.seen.length, 1)
    })
  )

  it.effect("may be local where the root is, and http where the root is", () =>
    Effect.gen(function* () {
      const address = "http://127.0.0.1:8081/x"
      const { error } = yield* read([doneWith([address]), gz], { root: "http://localhost:8080/v4" })
      assert.isUndefined(error)
    })
  )

  it.effect("is requested as it is, without the key in any form", () =>
    Effect.gen(function* () {
      const address = `${JobScript.files}/a%20b/x.gz?sig=a%2Bb%2Fc%3D&expires=2026-01-01T00%3A00%3A00Z`
      const { api } = yield* read([doneWith([address]), gz])
      const [, file] = api.seen
      assert.strictEqual(file?.url.href, address)
      assert.notInclude(JSON.stringify(file?.headers), key)
      assert.deepStrictEqual(
        Object.keys(file?.headers ?? {}).filter((name) => /key|auth|cookie|trace|b3/.test(name)),
        []
      )
    })
  )

  it.effect("is in no log and no error, for its signature is a secret", () =>
    Effect.gen(function* () {
      const address = `${JobScript.files}/x.gz?signature=s3cr3t`
      const replies: ReadonlyArray<FakeApi.Script> = [
        Effect.fail(FakeApi.cut),
        { status: 500, body: address },
        { status: 403, body: address },
        { status: 429, body: address, headers: { "retry-after": address } },
        text(`${address}\n`)
      ]
      for (const reply of replies) {
        const { error, said } = yield* read([doneWith([address]), reply, ...alternating(reply, doneWith([address]))])
        assert.isDefined(error)
        assert.notInclude([...said, String(error?.message), JSON.stringify(error)].join("\n"), "s3cr3t")
      }
    })
  )
})
