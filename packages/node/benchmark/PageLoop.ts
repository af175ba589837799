/**
 * The baseline of downloads: one request for all assets, page after page with undici, `body.text()` and `JSON.parse`, as
 * people write it. Nothing is checked but the status, and nothing is written.
 */
import { Agent, request } from "undici"
import * as Workload from "./Workload.ts"

interface Page {
  readonly data: ReadonlyArray<Workload.Price>
  readonly next_page_token?: string
}

/** Reads all pages of one request. */
export const pages = (root: string): Workload.Reader => {
  const dispatcher = new Agent()
  return {
    close: () => dispatcher.close(),
    read: async (workload) => {
      const seen = Workload.nothing()
      const query = new URLSearchParams({
        page_size: String(Workload.pageSize),
        assets: workload.assets.join(","),
        metrics: Workload.metricsOf(workload).join(","),
        frequency: Workload.frequency,
        start_time: workload.start,
        end_time: Workload.endOf(workload),
        paging_from: "start",
        api_key: Workload.apiKey
      })
      let token: string | undefined
      do {
        if (token !== undefined) query.set("next_page_token", token)
        const reply = await request(`${root}/timeseries/asset-metrics?${query}`, { dispatcher })
        const text = await reply.body.text()
        if (reply.statusCode !== 200) throw new Error(`status ${reply.statusCode}: ${text}`)
        const page = JSON.parse(text) as Page
        for (const record of page.data) Workload.count(seen, record)
        token = page.next_page_token
      } while (token !== undefined)
      return seen
    }
  }
}
