/**
 * The hostile half of the table: what a service might do to harm its reader, by what it is after.
 */
import type { Hostile, Row } from "./Row.ts"

/** The page after the one that is refused was requested ahead, or not yet. */
const ahead: Row["requests"] = { pages: { once: [3, 4], always: [3, 4] } }

const records: Hostile = {
  title: "Attacks on the records",
  prose:
    "The reply is written so that a reader who guesses reads something else than was sent. Where `data` begins and " +
    "ends follows from the structure of the page and are never guessed. A page that can be read in two ways " +
    "is refused.",
  rows: [
    {
      fault: "tail",
      service: "ends its envelope with a list that looks like records",
      bound: "the structure of the page",
      formats: ["pages"]
    },
    {
      fault: "tail=warnings",
      service: "ends its envelope with `warnings` that look like records",
      bound: "the structure of the page",
      formats: ["pages"]
    },
    {
      fault: "second-data",
      service: "sends a second `data`",
      bound: "one `data` a page",
      formats: ["pages"]
    },
    { fault: "number=9007199254740993", service: "adds a number beyond 2^53", bound: "its text is kept" },
    { fault: "number=1e999", service: "adds a number beyond any double", bound: "its text is kept" },
    {
      fault: "deep=100000",
      service: "adds a field of 100,000 nested arrays to one record",
      bound: "the size of the reply"
    },
    {
      fault: "overlap=1",
      service: "begins each page with the last record of the one before",
      bound: 'noticed where pages and batches meet; `onDisorder: "warn"`, the default',
      formats: ["pages"],
      onDisorder: "warn"
    },
    {
      fault: "overlap=1",
      service: "begins each page with the last record of the one before",
      bound: 'the same, with `onDisorder: "fail"`',
      formats: ["pages"],
      requests: ahead,
      onDisorder: "fail"
    },
    {
      fault: "overlap=300",
      service: "sends each page twice, as if it were two",
      bound: 'the same, with `onDisorder: "fail"`',
      formats: ["pages"],
      requests: ahead,
      onDisorder: "fail"
    },
    {
      fault: "reversed",
      service: "sends the records of a page in reverse order",
      bound: 'the same, with `onDisorder: "fail"`',
      formats: ["pages"],
      requests: ahead,
      onDisorder: "fail"
    }
  ]
}

const size: Hostile = {
  title: "Attacks on memory and time",
  prose:
    "The reply is larger, longer or more frequent than any reader needs. Every read has a limit, which is checked " +
    "while reading. The limits in these runs are those named above; the bounds name the client's own.",
  rows: [
    {
      fault: "gzip-bomb=250000000",
      service: "sends 250 MB of empty records in 255 kB of gzip",
      bound: "300 times the compressed length, `limits.maxPageBytes`, `limits.maxLineBytes`"
    },
    {
      fault: "empty-page=1000000",
      service: "sends empty pages without end, each with a new token",
      bound: "`limits.maxEmptyPages` in a row, 1,000 by default",
      formats: ["pages"]
    },
    {
      fault: "warnings=5000",
      service: "adds 5,000 warnings to a page",
      bound: "100 warnings of a page are kept, 10 kinds of a stream are logged",
      formats: ["pages"]
    },
    {
      fault: "long-token=12000",
      service: "names a token that makes the next request longer than it reads",
      bound: "10,000 characters of path and query; not sent",
      formats: ["pages"]
    },
    {
      fault: "long-header=Link;size=8000",
      service: "sends a `Link` of 8,000 opening brackets",
      bound: "linear in the header, whose length the HTTP client bounds"
    },
    {
      fault: "long-header=Deprecation;size=8000",
      service: "sends a `Deprecation` of 8,000 characters",
      bound: "linear in the header"
    },
    {
      fault: "long-header=X-RateLimit-Limit;size=8000",
      service: "sends an `X-RateLimit-Limit` of 1,000 policies",
      bound: "linear in the header"
    },
    {
      fault: "long-header=Content-Type;size=8000",
      service: "sends a `Content-Type` of 8,000 characters",
      bound: "linear in the header"
    }
  ]
}

const waits: Hostile = {
  title: "Attacks on patience",
  prose:
    "The service asks for extreme waits. A wait beyond the longest one (`longestWait`, five minutes by default) " +
    "ends the call at once with an error that tells the wait; a wait above ten seconds is logged. A slow body " +
    "that never stops fails when it brings less than `minBytesPerSecond` over a minute; this is not run here, " +
    "because it takes that minute.",
  rows: [
    {
      fault: "status=429;retry-after=2678400",
      service: "answers 429 and asks to wait 31 days",
      bound: "`longestWait`"
    },
    {
      fault: "status=503;retry-after=2678400",
      service: "answers 503 and asks to wait 31 days",
      bound: "`longestWait`"
    },
    {
      fault: "rate-headers=month",
      service: "says that its window of 31 days is full",
      bound: "`longestWait`"
    }
  ]
}

const http: Hostile = {
  title: "Attacks on the wire",
  prose: "The reply contradicts itself: its length, its coding, its bytes.",
  rows: [
    {
      fault: "content-length=5",
      service: "announces fewer bytes than it sends",
      bound: "the attempts of the policy"
    },
    {
      fault: "content-length=many",
      service: "announces a length that is no number",
      bound: "the attempts of the policy"
    },
    {
      fault: "content-encoding=br",
      service: "names a coding that was not asked for",
      bound: "gzip is asked for, and nothing else is unpacked"
    },
    {
      fault: "damage=25000",
      service: "sends a control character 25,000 bytes into the body, which is then no JSON",
      bound: "asked for once more"
    }
  ]
}

const words: Hostile = {
  title: "Attacks on whoever reads the words",
  prose:
    "Texts of the service appear in errors, warnings and retries. Everything that controls a terminal (escape " +
    "sequences, controls, line ends, the direction of writing) is escaped, and the key is removed in whatever " +
    "form it is repeated.",
  rows: [
    {
      fault: "status=403,control-text",
      service: "answers 403 with what acts on a terminal in its message",
      bound: "`PlainText.harmless`"
    },
    {
      fault: "error-body,control-text",
      service: "answers 200 with an error object that acts on a terminal",
      bound: "`PlainText.harmless`"
    },
    {
      fault: "warnings=3,control-text",
      service: "sends warnings that act on a terminal",
      bound: "`PlainText.harmless`",
      formats: ["pages"]
    },
    ...(["encoded", "lower", "double", "slashed", "unicode", "html"] as const).map((form) => ({
      fault: `status=403,echo-key=${form}`,
      service: `answers 403 and repeats the key, ${
        {
          encoded: "percent-encoded",
          lower: "percent-encoded in lower case",
          double: "percent-encoded twice",
          slashed: "with `\\/`",
          unicode: "as `\\u` escapes",
          html: "as HTML"
        }[form]
      }`,
      bound: "every escape of URLs, JSON and HTML, several times over"
    }))
  ]
}

/** All of them. */
export const attacks: ReadonlyArray<Hostile> = [records, size, waits, http, words]
