import { assert, describe, it } from "@effect/vitest"
import { Timestamp } from "@sluice/core"
import * as Schema from "effect/Schema"
import * as DeprecationHeaders from "../../src/internal/http/DeprecationHeaders.ts"

/** The headers of a client without a key. */
const parse = (headers: Readonly<Record<string, string | undefined>>) =>
  DeprecationHeaders.parse(headers, (text) => text)

/** What `Deprecation` or `Sunset` may say, and the moment it names. */
const moments = [
  ["@1767225600", "2026-01-01T00:00:00.000000000Z"],
  [" @1767225600 ", "2026-01-01T00:00:00.000000000Z"],
  ["@0", "1970-01-01T00:00:00.000000000Z"],
  ["@-1", "1969-12-31T23:59:59.000000000Z"],
  ["@253402300799", "9999-12-31T23:59:59.000000000Z"],
  ["Thu, 01 Jan 2026 00:00:00 GMT", "2026-01-01T00:00:00.000000000Z"],
  ["Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37.000000000Z"],
  ["Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37.000000000Z"],
  ["Fri, 31 Dec 9999 23:59:59 GMT", "9999-12-31T23:59:59.000000000Z"]
] as const

/** Text that names no moment, though some of it looks like one. */
const noMoments = [
  "true",
  "?1",
  "yes",
  "soon",
  'version="v1"',
  "@",
  "@now",
  "@1.5",
  "@12x",
  "@ 1767225600",
  "1767225600",
  "@1767225600000",
  "@253402300800",
  "@-253402300799",
  "@99999999999999999999",
  "2026-01-01",
  "Thu, 99 Foo 2026 00:00:00 GMT",
  "Tue, 5",
  "Deprecated, since 1",
  "Tue, 31 Feb 2026 00:00:00 GMT",
  "Thu, 01 Jan 2026 25:00:00 GMT",
  "Sat, 01 Jan 10000 00:00:00 GMT",
  // Without a zone it would be the moment of whatever machine reads it.
  "Thu, 01 Jan 2026 00:00:00"
]

const ended = { deprecation: "true" }

describe("DeprecationHeaders", () => {
  it.each(moments)("reads the moment since when: %j", (deprecation, since) => {
    assert.deepStrictEqual(parse({ deprecation }), { since, sunset: undefined, successor: undefined } as never)
  })

  it.each(moments.filter(([text]) => !text.includes("@")))("reads the moment it ends: %j", (sunset, moment) => {
    assert.deepStrictEqual(parse({ sunset }), { since: undefined, sunset: moment, successor: undefined } as never)
  })

  it.each(noMoments)("knows only that it is deprecated where no date can be read: %j", (deprecation) => {
    assert.deepStrictEqual(parse({ deprecation }), { since: undefined, sunset: undefined, successor: undefined })
  })

  it.each(noMoments)("takes no announcement from an end that cannot be read: %j", (sunset) => {
    assert.isUndefined(parse({ sunset }))
  })

  it.each(["?0", "false", "False", "", "  "])("takes %j for no deprecation", (deprecation) => {
    assert.isUndefined(parse({ deprecation }))
    assert.isUndefined(parse({ deprecation, link: '</v5>; rel="successor-version"' }))
  })

  it("says nothing without the headers", () => {
    assert.isUndefined(parse({}))
    assert.isUndefined(parse({ link: '</v5>; rel="successor-version"', date: "Thu, 01 Jan 2026 00:00:00 GMT" }))
  })

  it("reads all three together, and an end beside a deprecation that is denied", () => {
    const sunset = "Fri, 01 Jan 2027 00:00:00 GMT"
    const end = "2027-01-01T00:00:00.000000000Z"
    const link = '</v5/assets>; rel="successor-version"'
    assert.deepStrictEqual(parse({ deprecation: "@1767225600", sunset, link }), {
      since: Timestamp.make("2026-01-01T00:00:00.000000000Z"),
      sunset: Timestamp.make(end),
      successor: "/v5/assets"
    })
    assert.deepInclude(parse({ deprecation: "?0", sunset }), { since: undefined, sunset: Timestamp.make(end) })
  })

  it.each([
    ['</v5/assets>; rel="successor-version"', "/v5/assets"],
    ["</v5/assets>; rel=successor-version", "/v5/assets"],
    ["</v5/assets>;rel=successor-version;type=text/html", "/v5/assets"],
    ["</v5/assets>; REL = Successor-Version", "/v5/assets"],
    ['</v5/assets>; rel="latest-version successor-version"', "/v5/assets"],
    ['</v5/a,b>; rel="successor-version"', "/v5/a,b"],
    ['<https://docs.test/x>; rel="deprecation"; type="text/html", </v5/assets>; rel="successor-version"', "/v5/assets"],
    ['</v5/assets>; title="New, and better"; rel="successor-version"', "/v5/assets"],
    ['<https://api.test/v5/assets?api_key=s3cret&x=1>; rel="successor-version"', "https://api.test/v5/assets"],
    ['<https://api.test/v5/assets#api_key=s3cret>; rel="successor-version"', "https://api.test/v5/assets"]
  ])("reads the successor, and never its query: %s", (link, successor) => {
    assert.strictEqual(parse({ ...ended, link })?.successor, successor)
  })

  it.each([
    '<https://docs.test/x>; rel="deprecation"',
    '</v3/assets>; rel="predecessor-version"',
    '</successor-version>; rel="alternate"',
    '</v5/assets>; title="successor-version"; rel="alternate"',
    '<>; rel="successor-version"',
    '<?api_key=s3cret>; rel="successor-version"',
    "/v5/assets; rel=successor-version",
    "<",
    ""
  ])("reads no successor from: %s", (link) => {
    assert.isUndefined(parse({ ...ended, link })?.successor)
  })

  // Each of these took minutes when the time grew with the square of the length.
  it.each([
    ["<", "<".repeat(200_000)],
    ["<>", "<>".repeat(500_000)],
    ["<>;", "<>;".repeat(300_000)],
    ['<"', '<"'.repeat(500_000)],
    ["blanks", `</v5>; rel=${" ".repeat(1_000_000)}x`],
    ["rel", "</v5>" + "; rel=".repeat(200_000)],
    ["a megabyte before the successor", `<${"a".repeat(1_000_000)}>, </v5>; rel="successor-version"`]
  ])("reads no successor from a Link of hostile length, and does not linger over it: %s", (_, link) => {
    assert.deepStrictEqual(parse({ ...ended, link }), { since: undefined, sunset: undefined, successor: undefined })
  })

  it.each([
    ["<", "<".repeat(7_000)],
    ['<"', '<"'.repeat(3_500)],
    ["<>;", "<>;".repeat(2_500)],
    ["blanks", `</v5>; rel=${" ".repeat(7_000)}`]
  ])("reads the longest Link there may be a thousand times over: %s", (_, start) => {
    const link = `${start}>, </v5/assets>; rel="successor-version"`
    for (let nth = 0; nth < 1_000; nth++) parse({ ...ended, link })
    assert.isDefined(parse({ ...ended, link }))
  })

  it("reads no moment from a date of hostile length", () => {
    const date = `A${"a".repeat(1_000_000)}, 01 Jan 2026`
    assert.deepInclude(parse({ deprecation: date }), { since: undefined })
    assert.isUndefined(parse({ sunset: date }))
  })

  it.prop(
    "reads whatever a header may hold, and names only moments that exist",
    { deprecation: Schema.String, sunset: Schema.String, link: Schema.String, seconds: Schema.Int },
    ({ deprecation, link, seconds, sunset }) => {
      for (const headers of [
        { deprecation, link, sunset },
        { deprecation: `@${seconds}`, sunset: `Mon, ${sunset}` }
      ]) {
        const notice = parse(headers)
        for (const moment of [notice?.since, notice?.sunset]) {
          if (moment !== undefined) assert.isTrue(Timestamp.isTimestamp(moment), moment)
        }
      }
    }
  )
})
