import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import { Effect, FileSystem, Layer, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { dirname } from "node:path"
import { execPath } from "node:process"
import * as Programs from "../../core/test/Programs.ts"

const hasPython = spawnSync("python3", ["--version"]).status === 0

const schedule = new URL("../schedule/", import.meta.url)

/** Modules in the place of Airflow's, by their names: operators whose tasks are run in the order in which they were made. */
const airflow = {
  "airflow/__init__.py": "",
  "airflow/exceptions.py":
    "class AirflowException(Exception): pass\nclass AirflowFailException(AirflowException): pass\n",
  "airflow/sdk.py": `
tasks = []
class DAG:
    def __init__(self, **given): self.given = given
    def __enter__(self): return self
    def __exit__(self, *_): pass
class Task:
    def __init__(self, task_id, **given):
        self.task_id, self.given = task_id, given
        tasks.append(self)
    def __rshift__(self, other): return other
`,
  "airflow/providers/__init__.py": "",
  "airflow/providers/standard/__init__.py": "",
  "airflow/providers/standard/operators/__init__.py": "",
  "airflow/providers/standard/operators/bash.py": `
import subprocess
from airflow.exceptions import AirflowException
from airflow.sdk import Task
class BashOperator(Task):
    def execute(self):
        ran = subprocess.run(["bash", "-c", self.given["bash_command"]], capture_output=True, text=True)
        if ran.returncode != 0: raise AirflowException(f"code {ran.returncode}")
        return ran.stdout.splitlines()[-1]
`,
  "airflow/providers/standard/operators/python.py": `
from airflow.sdk import Task
class PythonOperator(Task):
    def execute(self): return self.given["python_callable"](*self.given["op_args"])
`,
  "run.py": `
import json, pathlib, sys
source = pathlib.Path(sys.argv[1]).read_text().replace("/srv/data", sys.argv[2])
exec(compile(source, sys.argv[1], "exec"), {"__name__": "dag"})
from airflow.sdk import tasks
try:
    print(json.dumps({task.task_id: task.execute() for task in tasks}))
except Exception as error:
    print(json.dumps({"raised": type(error).__name__, "error": json.loads(str(error))}))
`
}

/** A module in the place of dlt, which calls a resource once, and lists the files that a source would read. */
const dlt = {
  "dlt/__init__.py": `
import json
from . import sources
def resource(**hints):
    def wrap(function): return lambda *given: {"name": hints["name"], "rows": list(function(*given))}
    return wrap
class Pipeline:
    def __init__(self, **given): pass
    def run(self, resource): return json.dumps(resource, default=str)
pipeline = Pipeline
`,
  "dlt/sources/__init__.py": `
class incremental:
    def __init__(self, path, initial_value=None): self.last_value = initial_value
`,
  "dlt/sources/filesystem.py": `
import pathlib
class Files(dict):
    def __or__(self, other): return self
    def with_name(self, name): return Files(self, name=name)
    def apply_hints(self, **hints): return self
def filesystem(bucket_url, file_glob, incremental): return Files(rows=sorted(str(one) for one in pathlib.Path(bucket_url).glob(file_glob)))
def read_parquet(): return None
`,
  "run.py":
    airflow["run.py"].split("exec(")[0] + 'exec(compile(source, sys.argv[1], "exec"), {"__name__": "__main__"})\n'
}

/** Runs a recipe under Python, with these modules and \`sluice\` in the PATH. */
const run = Effect.fnUntraced(function* (
  recipe: string,
  modules: Readonly<Record<string, string>>,
  data: string,
  env: Readonly<Record<string, string>> = {}
) {
  const fs = yield* FileSystem.FileSystem
  const place = yield* fs.makeTempDirectoryScoped()
  for (const [name, text] of Object.entries(modules)) {
    yield* fs.makeDirectory(dirname(`${place}/${name}`), { recursive: true })
    yield* fs.writeFileString(`${place}/${name}`, text)
  }
  yield* fs.writeFileString(
    `${place}/sluice`,
    `#!/bin/sh\nexec "${execPath}" "${yield* Programs.file("sluice")}" "$@" --retries 0\n`
  )
  yield* fs.chmod(`${place}/sluice`, 0o755)
  const { url } = yield* Sandbox.Sandbox
  const handle = yield* ChildProcess.make("python3", [`${place}/run.py`, new URL(recipe, schedule).pathname, data], {
    env: {
      PATH: `${place}:${process.env["PATH"]}`,
      PYTHONDONTWRITEBYTECODE: "1",
      SLUICE_BASE_URL: url,
      SLUICE_API_KEY: "demo-key",
      HOME: place,
      ...env
    },
    stdin: "ignore"
  })
  const [stdout, stderr] = yield* Effect.all(
    [Stream.mkString(Stream.decodeText(handle.stdout)), Stream.mkString(Stream.decodeText(handle.stderr))],
    { concurrency: 2 }
  )
  assert.strictEqual(yield* handle.exitCode, 0, stderr)
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
}, Effect.scoped)

const file = `[closes]
endpoint = "timeseries/asset-metrics"
assets = ["btc", "eth"]
metrics = "PriceUSD"
start_time = 2026-10-01
output = "closes"
`

layer(Layer.mergeAll(Sandbox.layer(), NodeServices.layer), { excludeTestServices: true })("recipes", (it) => {
  it.effect.skipIf(!hasPython)("the DAG syncs datasets, tells what is held, and retries only what may pass", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const data = yield* fs.makeTempDirectoryScoped()
      yield* fs.writeFileString(`${data}/datasets.toml`, file)
      const [first] = yield* run("airflow.py", airflow, data)
      assert.isAbove(first.sync.closes[0], 0)
      assert.strictEqual(first.sync.closes[1], "2026-11-01T00:00:00.000000000Z")
      assert.include(JSON.parse(first.status), { name: "closes", state: "whole" })
      const [refused] = yield* run("airflow.py", airflow, data, { SLUICE_API_KEY: "no-such-key" })
      assert.deepInclude(refused, { raised: "AirflowFailException" })
      assert.deepInclude(refused.error, { kind: "key", tag: "DatasetsFailed" })
      const { faultUrl } = yield* Sandbox.Sandbox
      yield* fs.writeFileString(`${data}/datasets.toml`, file.replace('output = "closes"', 'output = "other"'))
      const busy = { SLUICE_BASE_URL: faultUrl("status=503") }
      assert.deepInclude((yield* run("airflow.py", airflow, data, busy))[0], { raised: "AirflowException" })
    })
  )

  it.effect.skipIf(!hasPython)("the pipeline reads records with every digit, and the files of a dataset", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const data = yield* fs.makeTempDirectoryScoped()
      yield* fs.writeFileString(`${data}/datasets.toml`, file)
      yield* run("airflow.py", airflow, data)
      const [closes, held] = yield* run("dlt_pipeline.py", dlt, data)
      assert.strictEqual(closes.name, "closes")
      assert.strictEqual(closes.rows.length, 2 * 305)
      assert.match(closes.rows[0].PriceUSD, /^\d+\.\d{5,}$/)
      assert.deepStrictEqual(
        held.rows.map((name: string) => name.replace(data, "")),
        ["/closes/asset=btc/year=2026/btc-2026-10-01.parquet", "/closes/asset=eth/year=2026/eth-2026-10-01.parquet"]
      )
    })
  )

  it("say what a page links", () => {
    const page = readFileSync(new URL("../../../docs/datasets.md", import.meta.url), "utf8")
    for (const name of ["airflow.py", "dlt_pipeline.py"])
      assert.include(page, `(../packages/examples/schedule/${name})`)
  })
})
