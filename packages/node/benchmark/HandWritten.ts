/**
 * What people write without a library: undici, one request after another, nothing checked but the status.
 *
 * Promises and loops on purpose, and no Effect in the process: these cases stand for the code Sluice takes the place of.
 * Parameters come in the order Sluice writes them, so that both are served the same prepared bytes.
 */
import { once } from "node:events"
import { createWriteStream } from "node:fs"
import { mkdtemp, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { finished } from "node:stream/promises"
import { Agent, request } from "undici"
import * as Workload from "./Workload.ts"

type Get = (asset: string, query: Readonly<Record<string, string>>) => ReturnType<typeof request>

const reader =
  (read: (get: Get, workload: Workload.Workload) => Promise<Workload.Seen>) =>
  (root: string): Workload.Reader => {
    const dispatcher = new Agent()
    return {
      close: () => dispatcher.close(),
      read: (workload) =>
        read(async (asset, { page_size, format, ...rest }) => {
          const query = new URLSearchParams({
            ...(page_size === undefined ? {} : { page_size }),
            assets: asset,
            metrics: Workload.metricsOf(workload).join(","),
            frequency: Workload.frequency,
            start_time: workload.start,
            end_time: Workload.endOf(workload),
            ...(format === undefined ? {} : { format }),
            ...rest,
            api_key: Workload.apiKey
          })
          const reply = await request(`${root}/timeseries/asset-metrics?${query}`, { dispatcher })
          if (reply.statusCode !== 200) throw new Error(`status ${reply.statusCode}: ${await reply.body.text()}`)
          return reply
        }, workload)
    }
  }

const pageQuery = (token: string | undefined) => ({
  page_size: String(Workload.pageSize),
  paging_from: "start",
  ...(token === undefined ? {} : { next_page_token: token })
})

interface Page {
  readonly data: ReadonlyArray<Workload.Price>
  readonly next_page_token?: string
}

/** The baseline: page after page, `JSON.parse`, no validation. */
export const pages = reader(async (get, workload) => {
  const seen = Workload.nothing()
  for (const asset of workload.assets) {
    let token: string | undefined
    do {
      const { body } = await get(asset, pageQuery(token))
      const page = JSON.parse(await body.text()) as Page
      for (const record of page.data) Workload.count(seen, record)
      token = page.next_page_token
    } while (token !== undefined)
  }
  return seen
})

/** One json_stream after another, cut into lines, each line parsed. */
export const lines = reader(async (get, workload) => {
  const seen = Workload.nothing()
  for (const asset of workload.assets) {
    const { body } = await get(asset, { format: "json_stream" })
    let rest = ""
    for await (const chunk of body.setEncoding("utf8")) {
      const lines = (rest + chunk).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) Workload.count(seen, JSON.parse(line) as Workload.Price)
    }
    if (rest !== "") Workload.count(seen, JSON.parse(rest) as Workload.Price)
  }
  return seen
})

/** The bytes of all pages and nothing else: what the server and the connection can give. */
export const bytes = reader(async (get, workload) => {
  let pages = 0
  for (const asset of workload.assets) {
    let token: string | undefined
    do {
      const { body } = await get(asset, pageQuery(token))
      let end = Buffer.alloc(0)
      for await (const chunk of body) end = Buffer.concat([end, chunk as Buffer]).subarray(-2048)
      token = /"next_page_token":"([^"]+)"/.exec(end.toString())?.[1]
      pages += 1
    } while (token !== undefined)
  }
  // No record was looked at, so the number of pages has to vouch for them.
  const expected = workload.assets.length * Math.ceil(workload.rows / Workload.pageSize)
  if (pages !== expected) throw new Error(`${pages} pages instead of ${expected}`)
  return { records: Workload.total(workload), touched: 0 }
})

/** The baseline of downloads: page after page into one NDJSON file an asset, one asset after another. */
export const files = (root: string): Workload.Reader => {
  const folders: Array<string> = []
  const { close, read } = reader(async (get, workload) => {
    const folder = await mkdtemp(join(tmpdir(), "by-hand-"))
    folders.push(folder)
    const seen = Workload.nothing()
    for (const asset of workload.assets) {
      const path = join(folder, `${asset}.ndjson`)
      const file = createWriteStream(path)
      let token: string | undefined
      do {
        const { body } = await get(asset, pageQuery(token))
        const page = (await body.json()) as Page
        const text = page.data.map((record) => `${JSON.stringify(record)}\n`).join("")
        if (!file.write(text)) await once(file, "drain")
        seen.records += page.data.length
        token = page.next_page_token
      } while (token !== undefined)
      file.end()
      await finished(file)
      seen.touched += (await stat(path)).size
    }
    return seen
  })(root)
  const remove = () => Promise.all(folders.map((folder) => rm(folder, { recursive: true })))
  return { read, close: () => remove().then(close) }
}
