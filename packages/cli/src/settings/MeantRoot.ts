/** The URL that a root lacks only the scheme of. */
import * as Root from "@sluice/core/Root"
import { withoutKey } from "@sluice/core/PlainText"

/** A host that has a port or a dot, or is this machine, and a path. */
const withoutScheme = /^(?:localhost|[\w-]+(?=[.:])[\w.-]*)(?::\d{1,5})?(?:\/[\w./-]*)?$/

/** The URL that text such as `localhost:8080/v4` may mean; absent for text that means none, or that may hold a key. */
export const of = (text: string): string | undefined => {
  const url = `http://${text}`
  if (!withoutScheme.test(text) || withoutKey(text) !== text || !URL.canParse(url)) return undefined
  return Root.isLocal({ url, key: "optional" }) ? url : `https://${text}`
}
