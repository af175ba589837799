import { assert, describe, it } from "@effect/vitest"
import * as MeantRoot from "../src/settings/MeantRoot.ts"

describe("a root without a scheme", () => {
  it.each([
    ["localhost:8080/v4", "http://localhost:8080/v4"],
    ["127.0.0.1:8080/v4", "http://127.0.0.1:8080/v4"],
    ["localhost/v4", "http://localhost/v4"],
    ["api.example.test/v4", "https://api.example.test/v4"],
    ["api.example.test:8443/v4", "https://api.example.test:8443/v4"],
    ["api.example.test:99999/v4", undefined],
    ["nowhere", undefined],
    ["/v4", undefined],
    ["user:s3cr3t@api.example.test/v4", undefined]
  ] as const)("%s may mean %s", (text, url) => {
    assert.strictEqual(MeantRoot.of(text), url)
  })
})
