import { assert } from "@effect/vitest"
import type { Fault } from "@sluice/sandbox"
import * as Zlib from "node:zlib"
import { type End, type Exchange, MOST } from "./Exchange.ts"

const page = "/timeseries/asset-metrics?assets=btc&metrics=PriceUSD&paging_from=start&page_size=5&end_time=2010-07-31"
const stream = `${page}&format=json_stream`

/** What a client sees of a fault; `plain` is the same reply without it. */
export type Check = (seen: Exchange, plain: Exchange) => void

export interface Case {
  readonly path: string
  readonly check: Check
}

type Row = Readonly<Record<string, unknown>>

const rows = ({ text }: Exchange) => (JSON.parse(text) as { readonly data: ReadonlyArray<Row> }).data

const next = ({ text }: Exchange) =>
  JSON.parse(text) as { readonly next_page_token: string; readonly next_page_url: string }

const ended = (seen: Exchange, overSocket: End, inMemory: End) =>
  assert.strictEqual(seen.end, seen.over === "socket" ? overSocket : inMemory)

const lines = (text: string) => text.split("\n").slice(0, -1)

const without = (row: Row, prefix: string) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !name.startsWith(prefix)))

const noHead =
  (overSocket: End): Check =>
  (seen) => {
    assert.strictEqual(seen.status, 0)
    ended(seen, overSocket, "broken")
  }

// The body is the first forty bytes, and then comes an end.
const brokenOff =
  (overSocket: End, inMemory: End): Check =>
  (seen, plain) => {
    assert.strictEqual(seen.status, 200)
    assert.strictEqual(seen.text, plain.text.slice(0, 40))
    ended(seen, overSocket, inMemory)
  }

const sameRecords: Check = (seen, plain) => assert.deepStrictEqual(rows(seen), rows(plain))

const header =
  (name: string, value: string | undefined): Check =>
  (seen, plain) => {
    assert.strictEqual(seen.headers[name], value)
    assert.strictEqual(seen.text, plain.text)
  }

// One case for each kind: a kind without one does not compile.
export const cases: { readonly [kind in Fault.Kind]: Case } = {
  reset: { path: page, check: noHead("reset") },
  close: { path: page, check: noHead("closed") },
  garbage: {
    path: page,
    check: (seen, plain) => {
      noHead("closed")(seen, plain)
      assert.strictEqual(seen.text, seen.over === "socket" ? "SANDBOX 0.1 ready\r\n" : "")
    }
  },
  "content-length": {
    path: page,
    check: (seen) => {
      assert.strictEqual(seen.headers["content-length"], seen.over === "socket" ? "5" : undefined)
      assert.strictEqual(seen.text, seen.over === "socket" ? '{"data":[]}' : "")
    }
  },
  stall: {
    path: page,
    check: (seen) => {
      assert.strictEqual(seen.status, 0)
      ended(seen, "open", "open")
    }
  },
  slow: { path: page, check: sameRecords },
  status: {
    path: page,
    check: (seen) => {
      assert.strictEqual(seen.status, 503)
      assert.strictEqual(seen.headers["content-type"], "application/json")
      assert.strictEqual(seen.headers["content-length"], String(seen.body.length))
      assert.deepStrictEqual(JSON.parse(seen.text), {
        error: { type: "service_unavailable", message: "Service Temporarily Unavailable" }
      })
    }
  },
  "error-body": {
    path: page,
    check: (seen) => {
      assert.strictEqual(seen.status, 200)
      assert.match(seen.text, /^\{"error":\{"type":"internal_error",/)
    }
  },
  redirect: {
    path: page,
    check: (seen) => {
      assert.strictEqual(seen.status, 302)
      assert.strictEqual(seen.headers["location"], `http://elsewhere.invalid/v4${page}&api_key=demo-key`)
    }
  },
  envelope: {
    path: page,
    check: (seen) => {
      assert.strictEqual(seen.status, 200)
      assert.strictEqual(seen.text, '{"data":null}')
    }
  },
  "gzip-bomb": {
    path: page,
    check: (seen) => {
      assert.strictEqual(seen.headers["content-encoding"], "gzip")
      assert.isBelow(seen.body.length, 2_000)
      const text = Zlib.gunzipSync(seen.body).toString()
      assert.isAtLeast(text.length, 999_990)
      assert.isAtMost(text.length, 1_000_000)
      assert.isAbove((JSON.parse(text) as { readonly data: ReadonlyArray<unknown> }).data.length, 300_000)
    }
  },
  "extra-fields": {
    path: page,
    check: (seen, plain) => {
      assert.deepStrictEqual(
        rows(seen).map((row) => without(row, "sandbox_")),
        rows(plain)
      )
      assert.deepStrictEqual(rows(seen)[1]?.["sandbox_nested"], { list: [1, null, true] })
    }
  },
  "wrong-type": {
    path: page,
    check: (seen, plain) => {
      assert.strictEqual(rows(seen)[0]?.["asset"], 12345)
      assert.deepStrictEqual(rows(seen).slice(1), rows(plain).slice(1))
    }
  },
  missing: {
    path: page,
    check: (seen, plain) =>
      assert.deepStrictEqual(
        rows(seen),
        rows(plain).map((row) => without(row, "asset"))
      )
  },
  "duplicate-keys": {
    path: page,
    check: (seen, plain) => {
      sameRecords(seen, plain)
      assert.strictEqual(seen.text.split('{"asset":"sandbox-duplicate","asset":"btc",').length, 6)
    }
  },
  "proto-keys": {
    path: page,
    check: (seen, plain) => {
      for (const row of rows(seen)) {
        assert.deepStrictEqual(Object.keys(row).slice(-2), ["__proto__", "constructor"])
        assert.isFalse("sandbox_polluted" in {})
      }
      const members =
        /,"__proto__":\{"sandbox_polluted":true\},"constructor":\{"prototype":\{"sandbox_polluted":true\}\}/g
      assert.strictEqual(seen.text.replaceAll(members, ""), plain.text)
    }
  },
  number: {
    path: page,
    check: (seen, plain) => {
      const members = seen.text.match(/,"sandbox_number":9007199254740993\}/g)
      assert.strictEqual(members?.length, rows(plain).length)
      assert.strictEqual(seen.text.replaceAll(/,"sandbox_number":9007199254740993/g, ""), plain.text)
    }
  },
  deep: {
    path: page,
    check: (seen, plain) => {
      const deep = `,"sandbox_deep":${"[".repeat(5000)}${"]".repeat(5000)}`
      assert.strictEqual(seen.text.replace(deep, ""), plain.text)
      assert.isTrue(seen.text.indexOf(deep) < seen.text.indexOf("},{"))
    }
  },
  "long-line": {
    path: stream,
    check: (seen, plain) => {
      assert.strictEqual(lines(seen.text)[0]?.length, 100_000)
      assert.deepStrictEqual(lines(seen.text).slice(1), lines(plain.text).slice(1))
    }
  },
  "large-page": {
    path: page,
    check: (seen, plain) => {
      assert.isAtLeast(seen.body.length, 100_000)
      assert.isBelow(seen.body.length, 102_000)
      assert.deepStrictEqual(
        rows(seen).map((row) => String(row["sandbox_padding"]).length),
        [20_000, 20_000, 20_000, 20_000, 20_000]
      )
      assert.deepStrictEqual(
        rows(seen).map((row) => without(row, "sandbox_")),
        rows(plain)
      )
    }
  },
  "empty-page": {
    path: page,
    check: (seen, plain) => {
      assert.deepStrictEqual(rows(seen), [])
      assert.notStrictEqual(next(seen).next_page_token, next(plain).next_page_token)
    }
  },
  removed: { path: page, check: (seen, plain) => assert.deepStrictEqual(rows(seen).slice(0, 4), rows(plain).slice(1)) },
  // The first page has none before it.
  overlap: { path: page, check: (seen, plain) => assert.strictEqual(seen.text, plain.text) },
  reversed: { path: page, check: (seen, plain) => assert.deepStrictEqual(rows(seen), rows(plain).toReversed()) },
  tail: {
    path: page,
    check: (seen, plain) =>
      assert.strictEqual(
        seen.text,
        `${plain.text.slice(0, -1)},"unsupported":[{"asset":"sandbox-first"},{"asset":"sandbox-second"}]}`
      )
  },
  "second-data": {
    path: page,
    check: (seen, plain) =>
      assert.strictEqual(seen.text, `${plain.text.slice(0, -1)},"data":[${JSON.stringify(rows(plain)[0])}]}`)
  },
  warnings: {
    path: page,
    check: (seen, plain) => {
      const warnings = [1, 2, 3].map((n) => ({ type: "sandbox", message: `Warning ${n} of 3.` }))
      assert.strictEqual(seen.text, `${plain.text.slice(0, -1)},"warnings":${JSON.stringify(warnings)}}`)
    }
  },
  "long-token": {
    path: page,
    check: (seen, plain) =>
      assert.strictEqual(next(seen).next_page_token, `${next(plain).next_page_token}${".".repeat(100)}`)
  },
  "repeat-token": { path: page, check: (seen, plain) => assert.strictEqual(seen.text, plain.text) },
  "cycle-token": { path: page, check: (seen, plain) => assert.strictEqual(seen.text, plain.text) },
  "foreign-token": {
    path: page,
    check: (seen, plain) => {
      sameRecords(seen, plain)
      assert.notStrictEqual(next(seen).next_page_token, next(plain).next_page_token)
    }
  },
  "foreign-next-url": {
    path: page,
    check: (seen, plain) => {
      sameRecords(seen, plain)
      assert.strictEqual(next(seen).next_page_token, next(plain).next_page_token)
      const elsewhere = "http://elsewhere.invalid/v4/"
      assert.strictEqual(next(seen).next_page_url, next(plain).next_page_url.replace(/^.*\/v4\//, elsewhere))
      assert.include(next(seen).next_page_url, "api_key=demo-key")
    }
  },
  "truncate-line": {
    path: stream,
    check: (seen, plain) => assert.strictEqual(seen.text, `${lines(plain.text)[0]}\n`)
  },
  "cut-line": {
    path: stream,
    check: (seen, plain) => {
      assert.isTrue(plain.text.startsWith(seen.text) && !seen.text.includes("}"))
      ended(seen, "complete", "complete")
    }
  },
  "error-line": {
    path: stream,
    check: (seen) => assert.match(seen.text, /^\{"error":\{"type":"internal_error",.*\}\n$/)
  },
  "blank-lines": {
    path: stream,
    check: (seen, plain) => assert.strictEqual(seen.text, plain.text.replaceAll("\n", "\n\n"))
  },
  crlf: { path: stream, check: (seen, plain) => assert.strictEqual(seen.text, plain.text.replaceAll("\n", "\r\n")) },
  "bom-line": {
    path: stream,
    check: (seen, plain) => assert.strictEqual(seen.text, plain.text.replace("\n", "\n\uFEFF"))
  },
  "reset-after": { path: page, check: brokenOff("reset", "broken") },
  "close-after": { path: page, check: brokenOff("closed", "broken") },
  "stall-after": { path: page, check: brokenOff("open", "open") },
  "truncate-after": { path: page, check: brokenOff("complete", "complete") },
  damage: {
    path: page,
    check: (seen, plain) => {
      assert.strictEqual(seen.text, `${plain.text.slice(0, 40)}\u0001${plain.text.slice(41)}`)
      assert.throws(() => JSON.parse(seen.text))
    }
  },
  drip: { path: page, check: sameRecords },
  endless: {
    path: page,
    check: (seen, plain) => {
      assert.strictEqual(seen.text.slice(0, plain.text.length), plain.text)
      assert.isAtLeast(seen.body.length, MOST - 100_000)
      assert.strictEqual(seen.text.slice(plain.text.length).trim(), "")
      ended(seen, "more", "more")
    }
  },
  bom: {
    path: page,
    check: (seen, plain) => assert.deepStrictEqual(seen.body, Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), plain.body]))
  },
  "split-utf8": {
    path: page,
    check: (seen) => assert.isTrue(rows(seen).every((row) => row["sandbox_note"] === "Ξ→₿ 🌊"))
  },
  latin1: {
    path: page,
    check: (seen, plain) => {
      assert.strictEqual(seen.body.toString("latin1").split('"sandbox_note":"café"').length, 6)
      assert.throws(() => new TextDecoder("utf-8", { fatal: true }).decode(seen.body))
      assert.strictEqual(seen.body.toString("latin1").replaceAll(',"sandbox_note":"café"', ""), plain.text)
    }
  },
  "gzip-cut": {
    path: page,
    check: (seen) => {
      assert.strictEqual(seen.headers["content-encoding"], "gzip")
      assert.strictEqual(seen.headers["content-length"], "30")
      assert.strictEqual(seen.body.length, 30)
      assert.throws(() => Zlib.gunzipSync(seen.body), /unexpected end/)
    }
  },
  "gzip-corrupt": {
    path: page,
    check: (seen) => {
      assert.strictEqual(seen.headers["content-encoding"], "gzip")
      assert.strictEqual(seen.headers["content-length"], String(seen.body.length))
      assert.throws(() => Zlib.gunzipSync(seen.body), /invalid/)
    }
  },
  "content-encoding": { path: page, check: header("content-encoding", "gzip") },
  deprecation: { path: page, check: header("deprecation", "@1767225600") },
  sunset: { path: page, check: header("sunset", "Fri, 01 Jan 2027 00:00:00 GMT") },
  "content-type": { path: page, check: header("content-type", "text/html") },
  "large-header": { path: page, check: header("x-sandbox-padding", "x".repeat(100_000)) },
  "long-header": {
    path: page,
    check: (seen, plain) => {
      assert.strictEqual(seen.headers["link"], "<".repeat(10_000))
      assert.strictEqual(seen.text, plain.text)
    }
  },
  "control-text": {
    path: page,
    check: (seen) => {
      assert.strictEqual(seen.headers["cf-ray"], "\u009b31m")
      const { error } = JSON.parse(seen.text) as { readonly error: { readonly message: string } }
      for (const text of ["\u001b]0;", "\u0007", "\u001b[2J", "\u009b31m", "\u202e", "\r\n"]) {
        assert.include(error.message, text)
      }
    }
  },
  "rate-headers": {
    path: page,
    check: (seen, plain) => {
      const beyond = "999999999999999999999"
      header("x-ratelimit-limit", `${beyond}, ${beyond};w=${beyond}`)(seen, plain)
      header("x-ratelimit-remaining", beyond)(seen, plain)
      header("x-ratelimit-reset", beyond)(seen, plain)
    }
  },
  "echo-key": {
    path: page,
    check: (seen) => {
      assert.strictEqual(seen.status, 403)
      assert.strictEqual(seen.headers["cf-ray"], "demo-key")
      assert.strictEqual(seen.headers["x-ratelimit-plan"], "demo-key")
      const asked = `The request was '/v4${page}&api_key=demo-key', its key 'demo-key'.`
      assert.deepStrictEqual(JSON.parse(seen.text), {
        error: {
          type: "forbidden",
          message: `Requested resource is not available with supplied credentials. ${asked}`
        }
      })
    }
  }
}
