/**
 * Reads records from their bytes, for programs that read many: in half the processor time of parsing and checking them, for ten
 * kilobytes of code.
 */
import * as Layer from "effect/Layer"
import * as Nesting from "./internal/wire/Nesting.ts"
import { Reader } from "./internal/wire/Reader.ts"
import * as RecordReader from "./internal/wire/RecordReader.ts"

/**
 * Lets the clients above it read records by their layout, with WebAssembly.
 *
 * **When to use**
 *
 * With `Client.layer` over an HTTP client of your own, as in Deno, Bun or a browser:
 * `Client.layer().pipe(Layer.provide([FetchHttpClient.layer, FastReader.layer]))`. The layers of `@sluice/node`, live streams and
 * lazy batches have it.
 *
 * **Details**
 *
 * Records and errors are the same. Where WebAssembly is missing or forbidden, records are parsed.
 */
export const layer: Layer.Layer<never> = /* @__PURE__ */ Layer.succeed(Reader, {
  records: RecordReader.make,
  nesting: Nesting.make
})
