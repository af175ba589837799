/**
 * What people write without a library: undici, `body.text()` and `JSON.parse`, nothing checked but the status.
 *
 * Promises and loops on purpose, and no Effect in the process: these cases stand for the code Sluice takes the place of.
 */
import { once } from "node:events"
import { createWriteStream } from "node:fs"
import { mkdtemp, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { finished } from "node:stream/promises"
import { Agent, type Dispatcher, interceptors, request } from "undici"
import * as ColumnsByHand from "./ColumnsByHand.ts"
import * as Workload from "./Workload.ts"

type Query = Readonly<Record<string, string>>
type Get = (entities: ReadonlyArray<string>, query: Query) => ReturnType<typeof request>

const queryOf = (workload: Workload.Workload, entities: ReadonlyArray<string>): Query => {
  const kind = Workload.kindOf(workload)
  return {
    ...(kind.entities === undefined
      ? {}
      : {
          [kind.entities]: entities.join(","),
          start_time: workload.start,
          end_time: Workload.endOf(workload)
        }),
    ...(kind.entities === "assets" ? { metrics: Workload.metricsOf(workload).join(",") } : {}),
    ...(kind.frequency === undefined ? {} : { frequency: kind.frequency }),
    ...(kind.include === undefined ? {} : { include: kind.include }),
    ...Workload.queryOf(workload),
    api_key: Workload.apiKey
  }
}

/** Makes a case of a function that reads with a way to send requests. */
export const reader =
  (read: (get: Get, workload: Workload.Workload) => Promise<Workload.Seen>) =>
  (root: string): Workload.Reader => {
    const agent = new Agent()
    let decompressing: Dispatcher | undefined
    return {
      close: () => agent.close(),
      read: (workload) =>
        read(async (entities, query) => {
          const search = new URLSearchParams({ ...queryOf(workload, entities), ...query })
          const reply = await request(`${root}${Workload.kindOf(workload).path}?${search}`, {
            dispatcher: workload.gzip === true ? (decompressing ??= agent.compose(interceptors.decompress())) : agent,
            ...(workload.gzip === true ? { headers: { "accept-encoding": "gzip" } } : {})
          })
          if (reply.statusCode !== 200) throw new Error(`status ${reply.statusCode}: ${await reply.body.text()}`)
          return reply
        }, workload)
    }
  }

const pageQuery = (workload: Workload.Workload, token: string | undefined): Query => ({
  page_size: String(Workload.pageSizeOf(workload)),
  ...(Workload.kindOf(workload).entities === undefined ? {} : { paging_from: "start" }),
  ...(token === undefined ? {} : { next_page_token: token })
})

interface Page {
  readonly data: Workload.Rows
  readonly next_page_token?: string
}

/** Takes records. The next page is asked for when a promise that it gives has ended. */
type Add = (records: Workload.Rows) => unknown

export const eachPage = async (
  get: Get,
  workload: Workload.Workload,
  entities: ReadonlyArray<string>,
  add: Add
): Promise<void> => {
  let token: string | undefined
  do {
    const { body } = await get(entities, pageQuery(workload, token))
    const page = JSON.parse(await body.text()) as Page
    await add(page.data)
    token = page.next_page_token
  } while (token !== undefined)
}

type Consume = (workload: Workload.Workload, seen: Workload.Seen) => Add

const pagesInto = (consume: Consume) =>
  reader(async (get, workload) => {
    const seen = Workload.nothing()
    await eachPage(get, workload, workload.assets, consume(workload, seen))
    return seen
  })

/** The baseline: one request for all assets, page after page. */
export const pages = pagesInto(Workload.counter)

/** The same as typed arrays. */
export const columnPages = pagesInto(ColumnsByHand.begin)

/** A chain of pages for each asset, all at once. */
export const chains = reader(async (get, workload) => {
  const seen = Workload.nothing()
  const count = Workload.counter(workload, seen)
  await Promise.all(workload.assets.map((asset) => eachPage(get, workload, [asset], count)))
  return seen
})

const linesInto = (consume: Consume) =>
  reader(async (get, workload) => {
    const seen = Workload.nothing()
    const add = consume(workload, seen)
    const { body } = await get(workload.assets, { format: "json_stream" })
    let rest = ""
    for await (const chunk of body.setEncoding("utf8")) {
      const lines = (rest + chunk).split("\n")
      rest = lines.pop() ?? ""
      add(lines.map((line) => JSON.parse(line) as Workload.Rows[number]))
    }
    if (rest !== "") add([JSON.parse(rest) as Workload.Rows[number]])
    return seen
  })

/** One json_stream for all assets, cut into lines, each line parsed. */
export const lines = linesInto(Workload.counter)

/** The same as typed arrays. */
export const columnLines = linesInto(ColumnsByHand.begin)

/** The bytes of all pages and nothing else: what the server and the connection can give. */
export const bytes = reader(async (get, workload) => {
  let pages = 0
  let token: string | undefined
  do {
    const { body } = await get(workload.assets, pageQuery(workload, token))
    let end = Buffer.alloc(0)
    for await (const chunk of body) end = Buffer.concat([end, chunk as Buffer]).subarray(-2048)
    token = /"next_page_token":"([^"]+)"/.exec(end.toString())?.[1]
    pages += 1
  } while (token !== undefined)
  // No record was looked at, so the number of pages has to vouch for them.
  const expected = Math.ceil(Workload.total(workload) / Workload.pageSizeOf(workload))
  if (pages !== expected) throw new Error(`${pages} pages instead of ${expected}`)
  return { records: Workload.total(workload), touched: 0 }
})

/** Page after page into one NDJSON file an asset, one asset after another. */
export const files = (root: string): Workload.Reader => {
  const folders: Array<string> = []
  const { close, read } = reader(async (get, workload) => {
    const folder = await mkdtemp(join(tmpdir(), "by-hand-"))
    folders.push(folder)
    const seen = Workload.nothing()
    for (const asset of workload.assets) {
      const path = join(folder, `${asset}.ndjson`)
      const file = createWriteStream(path)
      await eachPage(get, workload, [asset], (records) => {
        seen.records += records.length
        const isTaken = file.write(records.map((record) => `${JSON.stringify(record)}\n`).join(""))
        return isTaken ? undefined : once(file, "drain")
      })
      file.end()
      await finished(file)
      seen.touched += (await stat(path)).size
    }
    return seen
  })(root)
  const remove = () => Promise.all(folders.map((folder) => rm(folder, { recursive: true })))
  return { read, close: () => remove().then(close) }
}
