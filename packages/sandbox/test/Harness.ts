import { assert } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"

/** A record as it is sent. */
export type Row = Readonly<Record<string, unknown>>

/** An envelope as it is sent. */
export interface Envelope {
  readonly data: ReadonlyArray<Row>
  readonly next_page_token?: string
  readonly next_page_url?: string
  readonly warning?: unknown
  readonly warnings?: unknown
}

/** A reply whose body has been read. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
}

/** Reads an address as it stands. */
export const fetch = Effect.fnUntraced(function* (url: string, headers: Readonly<Record<string, string>> = {}) {
  const response = yield* HttpClient.execute(HttpClientRequest.get(url, { headers }))
  const answer: Answer = { status: response.status, headers: response.headers, text: yield* response.text }
  return answer
})

/** Adds a key to a path of the paid root. */
export const address = Effect.fnUntraced(function* (path: string, key = "demo-key", root?: string) {
  const sandbox = yield* Sandbox.Sandbox
  return `${root ?? sandbox.url}${path}${path.includes("?") ? "&" : "?"}api_key=${key}`
})

/** Reads a path of the paid root. */
export const get = Effect.fnUntraced(function* (
  path: string,
  options: { readonly key?: string; readonly root?: string; readonly headers?: Readonly<Record<string, string>> } = {}
) {
  return yield* fetch(yield* address(path, options.key, options.root), options.headers)
})

/** Reads a path of the paid root under a fault. */
export const faulty = Effect.fnUntraced(function* (fault: string, path: string) {
  const sandbox = yield* Sandbox.Sandbox
  return yield* get(path, { root: sandbox.faultUrl(fault) })
})

/** Takes an answer as an envelope. */
export const envelope = (answer: Answer): Envelope => {
  assert.strictEqual(answer.status, 200, answer.text)
  // Type boundary: the tests look at what was sent, whatever it is.
  return JSON.parse(answer.text) as Envelope
}

/** Takes an answer as lines of records. */
export const lines = (answer: Answer): ReadonlyArray<Row> => {
  assert.strictEqual(answer.status, 200, answer.text)
  assert.isTrue(answer.text === "" || answer.text.endsWith("\n"))
  return answer.text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Row)
}

/** Reads the records of a path. */
export const rows = (path: string, options?: Parameters<typeof get>[1]) =>
  Effect.map(get(path, options), (answer) => envelope(answer).data)

/** Follows `next_page_url` to the end, and tells the pages in the order they came. */
export const pages = Effect.fnUntraced(function* (path: string, root?: string) {
  const all: Array<ReadonlyArray<Row>> = []
  let url: string | undefined = yield* address(path, "demo-key", root)
  while (url !== undefined) {
    const page: Envelope = envelope(yield* fetch(url))
    assert.strictEqual(page.next_page_token === undefined, page.next_page_url === undefined)
    all.push(page.data)
    url = page.next_page_url
  }
  return all
})

/** Asserts a documented refusal. */
export const refused = (answer: Answer, status: number, type: string, message?: string) => {
  const { error } = JSON.parse(answer.text) as { readonly error: { readonly type: string; readonly message: string } }
  assert.deepStrictEqual(
    { status: answer.status, type: error.type, message: message === undefined ? undefined : error.message },
    { status, type, message }
  )
}
