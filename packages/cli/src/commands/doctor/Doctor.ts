/** `sluice doctor`: what a first request needs, checked one by one, with what to do about each. */
import type { Account } from "@sluice/core/Account"
import * as Client from "@sluice/core/Client"
import { harmless } from "@sluice/core/PlainText"
import * as Root from "@sluice/core/Root"
import * as NodeLive from "@sluice/node/NodeLive"
import { Explain, type Explained } from "../../settings/Explain.ts"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as References from "effect/References"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Connection from "../../settings/Connection.ts"
import * as GlobalFlags from "../../settings/GlobalFlags.ts"
import * as ProxyInUse from "../../settings/ProxyInUse.ts"
import { Target } from "../../settings/Target.ts"
import { version } from "../../settings/Version.ts"
import * as Amount from "../../terminal/Amount.ts"
import { jsonOf, Screen, type Side } from "../../terminal/Screen.ts"
import { wipe } from "../../terminal/Style.ts"
import * as Report from "../../service/Report.ts"
import * as Service from "../../service/Service.ts"
import * as Survey from "../../service/Survey.ts"
import * as Answer from "./Answer.ts"
import * as ClockSkew from "./ClockSkew.ts"
import * as FirstRequest from "./FirstRequest.ts"
import * as Help from "../help/Help.ts"

/** Checks failed. The first that failed decides the category. */
export class Unhealthy extends Schema.TaggedError<Unhealthy>()("Unhealthy", {
  failed: Schema.Array(Schema.String),
  category: Schema.String
}) {
  override get message() {
    return `${this.failed.length === 1 ? "a check" : `${this.failed.length} checks`} failed: ${this.failed.join(", ")}`
  }
}

const ok = (name: string, message: string): ClockSkew.Check => ({ name, status: "ok", message })

const warn = (name: string, message: string, next: string): ClockSkew.Check => ({ name, status: "warn", message, next })

/** Asks for one record, and looks at the times and the date of the reply. */
const ask = Effect.gen(function* () {
  const seen = yield* Ref.make<ClockSkew.Reply | undefined>(undefined)
  const observed = (http: HttpClient.HttpClient) =>
    HttpClient.transform(
      http,
      Effect.fnUntraced(function* (reply) {
        const sent = yield* Clock.currentTimeMillis
        const response = yield* reply
        const received = yield* Clock.currentTimeMillis
        yield* Ref.set(seen, { sent, received, date: response.headers["date"] })
        return response
      })
    )
  const known = yield* Ref.make<Pick<Account["Service"], "scrub">>({ scrub: harmless })
  const page = Effect.gen(function* () {
    yield* Ref.set(known, (yield* Client.Client).account)
    yield* FirstRequest.smallest()
    return yield* Client.quota
  })
  const retries = yield* GlobalFlags.Retries
  const result = yield* page.pipe(
    Effect.provide(Connection.layerWith(Layer.empty, observed)),
    // Told once is enough: what the client warns of is among the checks.
    Effect.provideService(References.MinimumLogLevel, "None"),
    Effect.provideService(GlobalFlags.Retries, retries ?? 0),
    Effect.result
  )
  return { result, reply: yield* Ref.get(seen), account: yield* Ref.get(known) }
})

const versions = Effect.gen(function* () {
  const effect = yield* Effect.promise(() => import("effect/package.json", { with: { type: "json" } }))
  return ok("versions", `sluice ${version}, Node.js ${process.version.slice(1)}, Effect ${effect.default.version}`)
})

/** Group and others, in the mode of a file. */
const others = 0o077

const settings = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const { file, keyFrom } = yield* Ref.get(yield* Target)
  if (file === undefined) return ok("settings", "no config file")
  const info = yield* Effect.option(fs.stat(file))
  const isOpen = process.platform !== "win32" && Option.isSome(info) && (info.value.mode & others) !== 0
  return isOpen && keyFrom?.startsWith("api_key") === true
    ? warn("settings", `${file} holds the key, and other users can read it`, `Run \`chmod 600 ${file}\`.`)
    : ok("settings", file)
})

const rootCheck = Effect.fnUntraced(function* (url: string) {
  const { rootFrom } = yield* Ref.get(yield* Target)
  const from = rootFrom === undefined ? "" : `, from ${rootFrom}`
  return url.startsWith("http:") && !Root.isLocal({ url, key: "optional" })
    ? warn("root", `${url}${from}: everybody on the way can read the key`, "Use an https: root.")
    : ok("root", url + from)
})

const rootOf = (name: string) => Root.make(name === "paid" ? Root.paid : name === "community" ? Root.community : name)

const keyCheck = Effect.fnUntraced(function* (isAccepted: boolean) {
  const { keyFrom, root, withheldFrom } = yield* Ref.get(yield* Target)
  if (root === "community") return ok("key", "none is needed")
  if (keyFrom === "--api-key") {
    const next = "Set SLUICE_API_KEY, or put api_key into the config file."
    return warn("key", "from --api-key, which other users of this machine can see", next)
  }
  if (keyFrom !== undefined) return ok("key", `${isAccepted ? "accepted, " : ""}from ${keyFrom}`)
  return withheldFrom === undefined
    ? warn("key", "none is given", "Set SLUICE_API_KEY, or put api_key into the config file, if the root asks for one.")
    : warn("key", `that of the config file belongs to ${withheldFrom} and is not sent`, "Set SLUICE_API_KEY.")
})

const quotaCheck = ({ limit, remaining, reset, shared }: Effect.Success<typeof Client.quota>): ClockSkew.Check => {
  const through = shared === undefined ? "" : `, shared through ${harmless(shared.store)}`
  if (!Number.isFinite(limit)) return ok("quota", `the service names no limit${through}`)
  const left = `${Amount.count(remaining)} of ${Amount.count(limit)} requests left${through}`
  return remaining > 0 ? ok("quota", left) : warn("quota", left, `Wait ${Amount.duration(Duration.toMillis(reset))}.`)
}

/** The check that a failure belongs to. */
const nameOf = ({ _tag, setting }: { readonly _tag: string; readonly setting?: unknown }) => {
  if (_tag === "BadConfigFile" || _tag === "ConfigError") return "settings"
  if (_tag === "Misconfigured") return setting === "apiKey" ? "key" : setting === "root" ? "root" : "settings"
  return _tag === "Unauthorized" ? "key" : _tag === "RateLimited" ? "quota" : "service"
}

const local = Effect.fnUntraced(function* (isAccepted: boolean) {
  const { root = "paid" } = yield* Ref.get(yield* Target)
  const url = Option.map(yield* Effect.option(rootOf(root)), ({ url }) => url)
  if (Option.isNone(url)) return []
  const proxy = ok("proxy", yield* ProxyInUse.of(url.value))
  return [yield* settings, yield* rootCheck(url.value), yield* keyCheck(isAccepted), proxy]
})

const order = ["versions", "settings", "root", "key", "proxy", "service", "plan", "quota", "clock"]

/** Whether there is neither a key nor a root, so that only the community root can be asked. */
const isWithoutKey = Effect.gen(function* () {
  yield* Effect.ignore(Effect.scoped(Layer.build(Connection.layer)))
  const { hasKey, root } = yield* Ref.get(yield* Target)
  return !hasKey && root === undefined
}).pipe(Effect.provideService(References.MinimumLogLevel, "None"))

/** Checks, prints a line for each, and fails where one failed. With `service`, also asks how the service answers. */
export const run = Effect.fnUntraced(function* ({ service }: { readonly service: boolean }) {
  return service && (yield* isWithoutKey)
    ? yield* Effect.provideService(checked(true, true), GlobalFlags.Root, "community")
    : yield* checked(service, false)
})

const checked = Effect.fnUntraced(function* (service: boolean, isRootChosen: boolean) {
  const explain = yield* Explain
  const { account, reply, result } = yield* ask
  if (isRootChosen) yield* Ref.update(yield* Target, (known) => ({ ...known, rootFrom: undefined }))
  // A config file that cannot be read leaves the others unknown.
  const isKnown = Result.isSuccess(result) || result.failure._tag !== "BadConfigFile"
  const found = [yield* versions, ...(isKnown ? yield* local(Result.isSuccess(result)) : [])]
  if (reply !== undefined) {
    found.push(ok("service", `answered in ${reply.received - reply.sent} ms`), ClockSkew.check(reply))
  }
  if (Result.isSuccess(result)) {
    const { plan } = result.success
    found.push(ok("plan", plan === undefined ? "not named by the service" : harmless(plan)), quotaCheck(result.success))
  }
  const told = Result.isFailure(result) ? yield* explain(result.failure) : undefined
  const failed = Result.isFailure(result) && told !== undefined ? failedOf(nameOf(result.failure), told) : undefined
  const checks = (failed === undefined ? found : [...found.filter(({ name }) => name !== failed.name), failed])
    .toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
    // The path of the root may have the key.
    .map((check) => withoutKey(account, check))
  const all = checks.flatMap(({ name, status }) => (status === "fail" ? [name] : []))
  const report = service && all.length === 0 ? yield* survey : undefined
  yield* print(checks, report)
  if (all.length > 0) return yield* new Unhealthy({ failed: all, category: told?.kind ?? "system" })
  const contradicting = report === undefined ? [] : Report.contradicting(report)
  if (contradicting.length > 0) return yield* new Unhealthy({ failed: contradicting, category: "reply" })
})

const failedOf = (name: string, { message, next }: Explained): ClockSkew.Check => ({
  name,
  status: "fail",
  message,
  next
})

const withoutKey = (
  account: Pick<Account["Service"], "scrub">,
  { message, next, ...check }: ClockSkew.Check
): ClockSkew.Check => {
  const clean = (text: string) => String(Answer.withoutKey(account, text))
  return { ...check, message: clean(message), ...(next === undefined ? {} : { next: clean(next) }) }
}

const survey = Effect.gen(function* () {
  const { err, say } = yield* Screen
  const tell = (text: string) => (err.isTerminal ? say(`${wipe}${text}`) : Effect.void)
  const count = Survey.questions.length
  const before = (name: string, index: number) => tell(`Asking ${index + 1}/${count}: ${name}`)
  const layer = Layer.provide(Service.layer, NodeLive.layerWebSocketConfig())
  const asked = Effect.provide(Survey.run(Survey.questions, before), Connection.layerWith(layer))
  return yield* Effect.ensuring(asked, tell(""))
}).pipe(Effect.provideService(References.MinimumLogLevel, "None"))

const print = Effect.fnUntraced(function* (checks: ReadonlyArray<ClockSkew.Check>, service: Survey.Report | undefined) {
  const screen = yield* Screen
  const worst = (["fail", "warn", "ok"] as const).find((status) => checks.some((check) => check.status === status))
  yield* screen.print(
    (yield* GlobalFlags.Json)
      ? jsonOf({ status: worst, checks, service })
      : [
          ...checks.flatMap((check) => lines(check, screen.out)),
          ...(service === undefined ? [] : ["", ...Report.lines(service, screen.out)])
        ].join("\n")
  )
})

const marks = { ok: "ok  ", warn: "warn", fail: "fail" } as const

const lines = ({ message, name, next, status }: ClockSkew.Check, side: Side): ReadonlyArray<string> => {
  const colour = { ok: side.style.green, warn: side.style.yellow, fail: side.style.red }[status]
  const start = `${colour(marks[status])}  ${name.padEnd(8)}  `
  const margin = " ".repeat(16)
  const text = Help.paragraph(harmless(message), { ...side, columns: side.columns - margin.length })
  const more =
    next === undefined ? [] : Help.paragraph(harmless(next), { ...side, columns: side.columns - margin.length })
  return [...text, ...more].map((line, index) => (index === 0 ? start : margin) + line)
}
