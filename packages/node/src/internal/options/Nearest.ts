/** The name of an option that was perhaps meant by another. */
import * as Nearest from "@sluice/core/Nearest"

/** `API_KEY` and `api-key` are `apiKey` in another style. */
const plain = (name: string) => name.replaceAll(/[_\s-]/g, "")

/** The name that is most like a text; nothing where none is like it. */
export const nearest = (text: string, names: ReadonlyArray<string>): string | undefined =>
  Nearest.nearest(
    plain(text),
    names.map((name) => ({ value: name, names: [plain(name)] }))
  )[0]
