/**
 * The faults of the table, by what goes wrong. A kind of the stand-in that has no row here or in `Attacks.ts` gets one with its
 * example.
 */
import { Fault } from "@sluice/sandbox"
import { attacks } from "./Attacks.ts"
import { type Group, kindsOf, type Row } from "./Row.ts"

const refused: Group = {
  title: "Refused",
  prose:
    "The service answers with an error. After one that may pass (429, 5xx, the edge network's 52x) the request is " +
    "sent again, never sooner than the service asked. Any other error ends the call at once, with a tag that " +
    "tells what to do. An error object with status 200, as a page or as a line, means what its type says.",
  rows: [
    { fault: "status=400", service: "answers 400, a parameter is wrong" },
    { fault: "status=401", service: "answers 401, the key is not accepted" },
    { fault: "status=403", service: "answers 403, the licence does not cover it" },
    { fault: "status=404", service: "answers 404" },
    { fault: "status=410", service: "answers 410, the endpoint is gone" },
    { fault: "status=414;body=empty", service: "answers 414 with an empty body" },
    { fault: "status=429;retry-after=1", service: "answers 429 and asks to wait one second" },
    { fault: "status=429;headers=none;body=html", service: "answers 429 with HTML, and does not say how long to wait" },
    { fault: "status=429;retry-after=3600", service: "answers 429 and asks to wait an hour" },
    { fault: "status=500", service: "answers 500" },
    { fault: "status=502;body=empty", service: "answers 502 with an empty body" },
    { fault: "status=503;body=html", service: "answers 503 with HTML" },
    { fault: "status=503;retry-after=1", service: "answers 503 and asks to wait one second" },
    { fault: "status=503;retry-after=3600", service: "answers 503 and asks to wait an hour" },
    { fault: "status=524;body=html;headers=none", service: "does not answer the edge network, which answers 524" },
    { fault: "status=204;body=empty", service: "answers 204, which is no list" },
    { fault: "error-body", service: "answers 200 with an error object instead of records" },
    {
      fault: "error-line=400",
      service: "writes an error object as line 400, and ends",
      formats: ["json_stream"]
    }
  ]
}

const connection: Group = {
  title: "Connection",
  prose:
    "No reply comes: the connection is lost, or stays open and silent, or the bytes are not HTTP. The client's " +
    "limit for the first byte ends the wait, and the request is sent again on another connection. A slow service " +
    "is no fault as long as it keeps within the limits.",
  rows: [
    { fault: "reset", service: "resets the connection instead of answering" },
    { fault: "close", service: "closes the connection instead of answering" },
    { fault: "garbage", service: "answers with something that is not HTTP" },
    { fault: "stall", service: "never answers, and keeps the connection open" },
    { fault: "slow=20", service: "waits 20 ms before every piece of its reply" }
  ]
}

const body: Group = {
  title: "Body",
  prose:
    "The reply begins well and breaks off or is damaged. A page counts only when it has arrived completely, so it " +
    "is read again. The records of a json_stream that arrived have been emitted, and the rest is requested from " +
    "the last of them on. As long as each attempt brings records, even a service that cuts every reply is read to " +
    "the end. A json_stream has no end mark, so one fault is not detected unless its end is checked. Its gzip " +
    "checksum comes last, so a byte changed inside a compressed reply may show as a wrong value, or as records lost or repeated, before it shows " +
    "as an error; https excludes such a change in transit.",
  rows: [
    { fault: "reset-after=0", service: "resets the connection after the headers" },
    { fault: "reset-after=25000", service: "resets the connection 25,000 bytes into the body", formats: ["pages"] },
    // How much of the last piece arrives before the connection breaks is up to chance, so there is one before it.
    {
      fault: "slow=200,reset-after=100000",
      service: "resets the connection 100,000 bytes into the body, which comes slowly",
      formats: ["json_stream"]
    },
    { fault: "close-after=0", service: "closes the connection after the headers" },
    { fault: "close-after=25000", service: "closes the connection before the last chunk", formats: ["pages"] },
    {
      fault: "close-after=25000;framing=length",
      service: "closes the connection before the announced length",
      formats: ["pages"]
    },
    {
      fault: "close-after=25000;framing=none",
      service: "closes the connection 25,000 bytes into a body that only this would end"
    },
    { fault: "stall-after=25000", service: "stops 25,000 bytes into the body, and keeps the connection open" },
    { fault: "truncate-after=0", service: "ends properly, with an empty body", formats: ["pages"] },
    { fault: "truncate-after=25000", service: "ends properly, 25,000 bytes into the body" },
    { fault: "truncate-after=within:200", service: "ends properly, inside record 200" },
    { fault: "cut-line=1", service: "ends properly, inside the first line", formats: ["json_stream"] },
    { fault: "cut-line=400", service: "ends properly, inside line 400", formats: ["json_stream"] },
    {
      fault: "truncate-line=0",
      service: "ends properly before the first line",
      formats: ["json_stream"],
      unseen: true
    },
    {
      fault: "truncate-line=400",
      service: "ends properly after 400 whole lines",
      formats: ["json_stream"],
      unseen: true
    },
    {
      fault: "truncate-line=0",
      service: "ends properly before the first line, and the call has `checkEnd`",
      formats: ["json_stream"],
      checkEnd: true
    },
    {
      fault: "truncate-line=400",
      service: "ends properly after 400 whole lines, and the call has `checkEnd`",
      formats: ["json_stream"],
      checkEnd: true
    },
    { fault: "drip=500;every=1", service: "sends its body 500 bytes at a time" },
    { fault: "gzip-cut=2000", service: "ends properly, 2,000 bytes into the compressed body" },
    { fault: "gzip-corrupt=2000", service: "sends a compressed body with eight wrong bytes" },
    // Of a json_stream all records may have been passed on by then, or all but the last few.
    { fault: "gzip-corrupt=checksum", service: "sends a compressed body with a wrong checksum", formats: ["pages"] },
    { fault: "content-encoding=gzip", service: "says that its plain body is compressed" },
    { fault: "endless", service: "goes on with blanks after the end, and never stops" },
    {
      fault: "endless=lines",
      service: "goes on with blank lines after the end, and never stops",
      formats: ["json_stream"]
    },
    { fault: "large-page=2000000", service: "sends records of 2 MB in all" },
    { fault: "long-line=500000", service: "sends a first record of 500 kB" }
  ]
}

const paging: Group = {
  title: "Paging",
  prose:
    "The tokens between pages are wrong. A page may be empty and still have a next one, so Sluice continues. A " +
    "token that was seen before would never end, so the call fails. `next_page_url` is never followed: it may " +
    "point to any host, and it carries the key.",
  rows: [
    { fault: "empty-page", service: "sends an empty page whose token leads to the real one", formats: ["pages"] },
    {
      fault: "removed=300",
      service: "loses the 300 records of the first page between two pages",
      formats: ["pages"]
    },
    { fault: "repeat-token", service: "names the token it was asked with as the next", formats: ["pages"] },
    { fault: "cycle-token=3", service: "names the token of the first page on the third", formats: ["pages"] },
    { fault: "foreign-token", service: "names the token of another query as the next", formats: ["pages"] },
    { fault: "foreign-next-url", service: "names a `next_page_url` on another host", formats: ["pages"] }
  ]
}

const headers: Group = {
  title: "Headers",
  prose:
    "The records are correct, but not the headers around them. Rate-limit headers that are missing or make no " +
    "sense do not change what is read. Wrong ones delay a request by at most one window of the plan, here six " +
    "seconds. Headers that announce the deprecation of an endpoint are logged once, or fail the call where the " +
    "client's policy says so.",
  rows: [
    { fault: "rate-headers=none", service: "sends no rate-limit headers" },
    { fault: "rate-headers=empty", service: "sends rate-limit headers without a value" },
    { fault: "rate-headers=malformed", service: "sends rate-limit headers that cannot be read" },
    { fault: "rate-headers=doubled", service: "sends every rate-limit value twice" },
    { fault: "rate-headers=negative", service: "sends rate limits below zero" },
    { fault: "rate-headers=absurd", service: "sends rate limits beyond reason" },
    { fault: "rate-headers=zero", service: "says that nothing remains, though there is room", plan: "trial" },
    { fault: "rate-headers=far", service: "says that nothing remains for a year", plan: "trial" },
    { fault: "rate-headers=epoch", service: "says when there is room in seconds since 1970", plan: "trial" },
    { fault: "rate-headers=zero-limit", service: "says that the limit is zero" },
    { fault: "content-type=text/html", service: "says that its records are HTML" },
    { fault: "content-type=none", service: "does not say what its records are" },
    { fault: "large-header=10000", service: "sends a header of 10,000 bytes" },
    { fault: "large-header=100000", service: "sends a header of 100,000 bytes" },
    { fault: "deprecation", service: "announces with `Deprecation` that the endpoint is out of date" },
    { fault: "sunset", service: "announces with `Sunset` that the endpoint will end" }
  ]
}

const data: Group = {
  title: "Data",
  prose:
    "The reply arrives completely, with unexpected content. What the interface leaves open is accepted: new " +
    "fields, absent fields, any kind of line end. The fields that identify a record must be present, and no field " +
    "may have another type than documented: `Decode` names the place, and the records before it have been " +
    "emitted.",
  rows: [
    { fault: "extra-fields", service: "adds fields that no document lists" },
    { fault: "missing=TxTknCnt", service: "leaves a metric out", without: "TxTknCnt" },
    { fault: "missing=asset", service: "leaves out the asset, which identifies the record" },
    { fault: "missing=time", service: "leaves out the time, which identifies the record" },
    { fault: "wrong-type=TxTknCnt", service: "sends a metric as a number instead of text, in one record" },
    { fault: "wrong-type=time", service: "sends the time as a number, in one record" },
    { fault: "duplicate-keys", service: "names a field twice in every record, the second time rightly" },
    { fault: "proto-keys", service: "names fields `__proto__` and `constructor`" },
    { fault: "deep=5000", service: "adds a field of 5,000 nested arrays to one record" },
    { fault: "envelope=array", service: "sends a list without its envelope" },
    { fault: "envelope=null", service: "sends `null`" },
    { fault: "envelope=no-data", service: "sends an envelope without records" },
    { fault: "envelope=data-null", service: "sends an envelope with `null` for records" },
    { fault: "envelope=nothing", service: "sends nothing", formats: ["pages"] },
    { fault: "split-utf8", service: "adds text beyond ASCII, and cuts its chunks inside the characters" },
    { fault: "latin1", service: "adds a byte that is not UTF-8" },
    { fault: "bom", service: "puts a byte order mark at the beginning" },
    { fault: "bom-line=400", service: "puts a byte order mark before line 400", formats: ["json_stream"] },
    { fault: "blank-lines", service: "writes an empty line after every line", formats: ["json_stream"] },
    { fault: "crlf", service: "ends its lines with CR LF", formats: ["json_stream"] }
  ]
}

const secrets: Group = {
  title: "Secrets",
  prose:
    "The service reveals the key: in an error, in a header, in a link to another host. Sluice removes the key " +
    "from everything it passes on, and sends it only to its own root. A redirect is an error and is not followed.",
  rows: [
    { fault: "echo-key", service: "repeats the key in its headers" },
    { fault: "status=403,echo-key", service: "answers 403, and repeats the key in the message" },
    { fault: "status=503,echo-key", service: "answers 503, and repeats the key in the message" },
    { fault: "error-body,echo-key", service: "answers 200 with an error object that repeats the key" },
    { fault: "redirect=http://elsewhere.invalid", service: "redirects with 302 to another host, the key in the link" },
    { fault: "redirect=http://elsewhere.invalid;status=308", service: "redirects with 308 to another host" }
  ]
}

const written: ReadonlyArray<Group> = [refused, connection, body, paging, headers, data, secrets]

/** Where the row of a kind stands, by the part of the reply that it changes. */
const groupOf: { readonly [part in Fault.Group]: Group } = {
  head: connection,
  instead: refused,
  record: data,
  page: paging,
  line: body,
  body,
  coding: data,
  header: headers
}

const known = new Set([...written, ...attacks].flatMap(({ rows }) => rows.flatMap((row: Row) => kindsOf(row))))

const others = Fault.table.filter(({ kind }) => !known.has(kind))

const rowOf = ({ doc, example, group }: (typeof Fault.table)[number]): Row => ({
  fault: example,
  service: `sends a reply that ${doc}`,
  ...(group === "page" && { formats: ["pages"] }),
  ...(group === "line" && { formats: ["json_stream"] })
})

/** All of them. */
export const groups: ReadonlyArray<Group> = written.map((group) => ({
  ...group,
  rows: [...group.rows, ...others.filter((entry) => groupOf[entry.group] === group).map(rowOf)]
}))
