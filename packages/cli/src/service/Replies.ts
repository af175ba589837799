/** Questions about replies: their headers, their forms and their errors. */
import * as Effect from "effect/Effect"
import * as Headers from "./Headers.ts"
import { itemOf } from "./Item.ts"
import { assumed, open, type Question } from "./Question.ts"
import * as Reading from "./Reading.ts"
import { type Reply, Service, type Way } from "./Service.ts"
import { notAsked } from "./Undecided.ts"

const assets = "/reference-data/assets"

/** The reply that shows what every reply has. */
const usual = Effect.flatMap(Reading.reply(assets, { page_size: 100 }), Reading.granted)

/** The word for a header, and the one where there is none. */
const header = (name: string, word: (value: string) => string, none = "none") =>
  Effect.map(usual, ({ headers }) => (headers[name] === undefined ? none : word(headers[name].trim())))

const lines = Reading.lines("/reference-data/exchanges", {})

/** The word for a refusal: published status and type, or what else came. */
const refusal = (status: number, types: ReadonlyArray<string>) => (reply: Reply) => {
  if (reply.status !== status) return reply.status === 200 ? "accepted" : "other-status"
  return types.includes(Reading.errorType(reply)) ? "published" : "other-body"
}

const refused = (path: string, word: (reply: Reply) => string, way?: Way) =>
  Effect.map(Reading.reply(path, way === undefined ? { assets: "sluice-no-such-asset" } : {}, way), word)

const isRecord = (line: string) => itemOf(line)?.["exchange"] !== undefined

export const questions: ReadonlyArray<Question> = [
  open("rateLimitHeaders", { ask: Effect.map(usual, ({ headers }) => Headers.form(headers)) }),
  assumed({
    name: "plan",
    asks: "Does X-RateLimit-Plan name one of the four published plans?",
    section: "8.1",
    words: ["known", "other", "none"],
    ask: header("x-ratelimit-plan", (plan) =>
      ["community", "trial", "default", "download"].includes(plan.toLowerCase()) ? "known" : "other"
    )
  }),
  assumed({
    name: "reset",
    asks: "Is X-RateLimit-Reset a number of seconds?",
    section: "8.2",
    words: ["seconds", "other", "none"],
    ask: header("x-ratelimit-reset", (reset) => (/^\d{1,7}$/.test(reset) ? "seconds" : "other"))
  }),
  assumed({
    name: "trace",
    asks: "Has a reply a CF-RAY, which names the request to support?",
    section: "1.4",
    words: ["yes", "no"],
    ask: header("cf-ray", () => "yes", "no")
  }),
  assumed({
    name: "gzip",
    asks: "Is a large reply compressed where the request accepts gzip?",
    section: "2.7",
    words: ["yes", "no"],
    ask: header("content-encoding", (encoding) => (encoding === "gzip" ? "yes" : "no"), "no")
  }),
  assumed({
    name: "linesType",
    asks: "Is the content type of a json_stream application/x-ndjson, application/json, or another?",
    section: "2.5",
    words: ["ndjson", "json", "other"],
    ask: Effect.map(lines, ({ headers }) => {
      const [, type = "other"] = /^application\/(?:x-)?(ndjson|json)\b/.exec(headers["content-type"] ?? "") ?? []
      return type
    })
  }),
  assumed({
    name: "linesEnd",
    asks: "Does the last line of a json_stream end with a line feed?",
    section: "2.5",
    words: ["ended", "open"],
    ask: Effect.map(lines, ({ body }) => (body.endsWith("\n") ? "ended" : "open"))
  }),
  assumed({
    name: "linesForm",
    asks: "Is each line of a json_stream one JSON object without an envelope?",
    section: "2.5",
    words: ["objects"],
    contradictions: { other: "Reading a json_stream fails with Decode." },
    ask: Effect.map(lines, ({ body, isCut }) => {
      const all = body.split("\n").filter((line) => line !== "")
      const whole = isCut ? all.slice(0, -1) : all
      return whole.length > 0 && whole.every(isRecord) ? "objects" : "other"
    })
  }),
  open("unknownParameters", {
    ask: Reading.refusedOr(["reject", "ignore"], assets, { page_size: 1, sluice_unknown: 1 })
  }),
  assumed({
    name: "badParameter",
    asks: "Is an unknown name refused with 400 and the type bad_parameter?",
    section: "7.2",
    words: ["published", "other-body"],
    contradictions: {
      accepted: "A misspelt name gives no records in place of an error.",
      "other-status": "The error for a misspelt name has another tag than InvalidRequest."
    },
    ask: refused(assets, refusal(400, ["bad_parameter"]))
  }),
  assumed({
    name: "wrongKey",
    asks: "Is an unknown key refused with 401 and the type wrong_credentials?",
    section: "5",
    words: ["published", "other-body"],
    contradictions: {
      accepted: "A wrong key is not noticed.",
      "other-status": "The error for a wrong key has another tag than Unauthorized."
    },
    ask: Effect.gen(function* () {
      const { hasKey, isCommunity } = yield* Service
      if (!hasKey || (yield* isCommunity)) return yield* notAsked("no key is sent to this root")
      return yield* refused(assets, refusal(401, ["wrong_credentials", "unauthorized"]), { wrongKey: true })
    })
  }),
  assumed({
    name: "unknownPath",
    asks: "Is a path that does not exist refused with 404?",
    section: "7.2",
    words: ["published", "other-body"],
    contradictions: {
      accepted: "A root that is not the service's is not noticed.",
      "other-status": "The error for a wrong root has another tag than NotFound."
    },
    ask: refused("/sluice-no-such-path", refusal(404, ["not_found"]), {})
  })
]
