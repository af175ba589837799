import { NodeClient } from "@sluice/node"

/** A client behind a proxy, but for the hosts of the company. Reads the key, and no variable of proxies. */
export const behind = (proxy: string, caFile?: string) =>
  NodeClient.layerConfig({
    proxy: { http: proxy, https: proxy, except: "intranet.example" },
    ...(caFile === undefined ? {} : { caFile })
  })
