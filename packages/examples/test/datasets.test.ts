import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Metrics } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import { Cron, Effect, FileSystem, Layer, Result } from "effect"
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { Deployment } from "kubernetes-models/apps/v1/Deployment"
import { parse } from "yaml"
import { query } from "../src/guides/duckdb.ts"
import { closes } from "../src/guides/dataset.ts"
import { inMemory, shownAfter } from "./Guides.ts"

const page = readFileSync(new URL("../../../docs/datasets.md", import.meta.url), "utf8")

/** The blocks of a language. */
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, "g"))].map(([, text = ""]) => text)

/** A file of a schedule, which the page links. */
const scheduled = (name: string) => {
  assert.include(page, `(../packages/examples/schedule/${name})`)
  return readFileSync(new URL(`../schedule/${name}`, import.meta.url), "utf8")
}

/** Names of metrics that a text has. */
const metricsIn = (text: string) => [...text.matchAll(/\bsluice_[a-z_]+/g)].map(([name]) => name)

/** Names of metrics that `--listen` of a command publishes beside those of clients. */
const publishedBy = (module: "Monitor" | "BackfillMonitor") =>
  metricsIn(readFileSync(new URL(`../../cli/src/commands/data/${module}.ts`, import.meta.url), "utf8"))

/** The sections of a unit. */
const sections = (text: string) => [...text.matchAll(/^\[(\w+)\]$/gm)].map(([, name]) => name)

/** A setting of a unit. */
const value = (text: string, name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(text)?.[1] ?? ""

/** What stands in every schedule. */
const command = /sync --(?:output|all) (?:\/srv\/data\/)?(?:closes|datasets\.toml)$/

describe("the page of datasets", () => {
  it.live("shows what its program prints, and DuckDB reads its folder by entity and year", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = `${yield* fs.makeTempDirectoryScoped()}/closes`
      const held = yield* closes(folder)
      assert.deepStrictEqual(
        held.map(({ entity, last, rows }) => `${entity}: ${rows} days, to ${last}`),
        shownAfter("docs/datasets.md", "guides/dataset.ts")
      )
      const rows = yield* query(
        `SELECT asset, year, count(*) AS days, typeof(any_value(PriceUSD)) AS type FROM read_parquet('${folder}/**/*.parquet')
         GROUP BY ALL ORDER BY ALL`
      )
      assert.deepStrictEqual(rows[0], { asset: "btc", year: "2024", days: "366", type: "DOUBLE" })
      assert.strictEqual(rows.length, 9)
      const status = yield* Dataset.status(folder)
      assert.strictEqual(status?.definition.lookBack, 7 * 86_400_000)
    }).pipe(Effect.provide(Layer.merge(inMemory, NodeServices.layer)))
  )

  it("has a line for cron: a time and the command", () => {
    const line = blocks("text").find((text) => text.includes(" * * * ")) ?? ""
    const [, time = "", rest = ""] = /^((?:\S+ ){4}\S+) (.*)\n$/.exec(line) ?? []
    assert.isTrue(Result.isSuccess(Cron.parse(time)))
    assert.match(rest, command)
  })

  it("has units for systemd", () => {
    const [service, timer] = [scheduled("sluice-datasets.service"), scheduled("sluice-datasets.timer")]
    assert.deepStrictEqual(sections(service), ["Unit", "Service"])
    assert.deepStrictEqual(sections(timer), ["Unit", "Timer", "Install"])
    assert.match(value(service, "ExecStart"), command)
    const analyze = "/usr/bin/systemd-analyze"
    const calendar = value(timer, "OnCalendar")
    assert.match(calendar, /^\*-\*-\* 02:30:00 UTC$/)
    if (!existsSync(analyze)) return
    assert.match(
      execFileSync(analyze, ["calendar", calendar], { encoding: "utf8" }),
      /Normalized form: \*-\*-\* 02:30:00 UTC/
    )
  })

  it("has a Deployment of the image, which runs as its user with a place for its datasets", () => {
    const manifest = parse(scheduled("kubernetes.yaml"))
    new Deployment(manifest).validate()
    const { containers, securityContext } = manifest.spec.template.spec
    assert.include(securityContext, { runAsNonRoot: true, runAsUser: 1000 })
    assert.match(containers[0].args.join(" "), /^sync --all \S+ --watch --listen 0\.0\.0\.0:9464$/)
    const image = readFileSync(new URL("../container/Dockerfile", import.meta.url), "utf8")
    assert.include(page, "(../packages/examples/container/Dockerfile)")
    assert.match(image, /^USER node$/m)
    assert.match(image, /^HEALTHCHECK [^]*9464\/health/m)
  })

  it("has a workflow for GitHub Actions", () => {
    const workflow = parse(scheduled("github.yaml"))
    assert.isTrue(Result.isSuccess(Cron.parse(workflow.on.schedule[0].cron)))
    const { "runs-on": system, steps } = workflow.jobs.sync
    assert.strictEqual(system, "ubuntu-latest")
    const runs = steps.flatMap((step: { readonly run?: string }) => (step.run === undefined ? [] : [step.run]))
    assert.match(runs[0], command)
    for (const step of steps) assert.isTrue("uses" in step !== "run" in step)
    assert.deepStrictEqual(Object.keys(steps[2].env), ["SLUICE_API_KEY"])
  })

  it("has alerts on metrics that there are", () => {
    const alerts: { readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<{ readonly expr: string }> }> } =
      parse(scheduled("alerts.yaml"))
    const expressions = alerts.groups.flatMap(({ rules }) => rules.map(({ expr }) => expr))
    assert.isAbove(expressions.length, 4)
    const known = new Set([
      ...publishedBy("Monitor"),
      ...publishedBy("BackfillMonitor"),
      ...Metrics.all.map(({ name }) => Metrics.prometheusName(name))
    ])
    for (const name of expressions.flatMap(metricsIn)) assert.isTrue(known.has(name), name)
  })

  it("has a dashboard of all metrics of datasets and backfills, and of no others", () => {
    assert.include(page, "(grafana/datasets.json)")
    const file = readFileSync(new URL("../../../docs/grafana/datasets.json", import.meta.url), "utf8")
    const { panels, templating } = JSON.parse(file)
    const exprs: ReadonlyArray<string> = panels.flatMap(({ targets = [] }) =>
      targets.map(({ expr }: { readonly expr: string }) => expr)
    )
    const published = [...publishedBy("Monitor"), ...publishedBy("BackfillMonitor")]
    assert.sameMembers([...new Set(exprs.flatMap(metricsIn))], published)
    // Of each metric the attribute that it has.
    for (const expr of exprs) {
      const [, attribute] = /sluice_(dataset|backfill)_/.exec(expr) ?? []
      const labels = [...expr.matchAll(/\{(\w+)=~"\$\1"/g), ...expr.matchAll(/by \((\w+)\)/g)].map(([, label]) => label)
      assert.deepStrictEqual([...new Set(labels)], attribute === undefined ? [] : [attribute], expr)
    }
    const names = templating.list.map(({ name }: { readonly name: string }) => name)
    assert.deepStrictEqual(names, ["datasource", "dataset", "backfill"])
    const places = panels.map(({ gridPos }: { readonly gridPos: object }) => JSON.stringify(gridPos))
    assert.strictEqual(new Set(places).size, panels.length)
  })
})
