/**
 * What the official Python client has besides its methods of the service: options, collections, the exporter, exceptions. Each
 * has what takes its place, or why nothing does, in the words that `pnpm reference` prints. Written from the same sources as
 * `Methods.ts`.
 */

/** A thing of the Python client, and what takes its place, both as the page has them. */
export interface Thing {
  readonly name: string
  readonly ours: string
}

/** Things under one heading of the page. */
export interface Group {
  readonly title: string
  readonly things: ReadonlyArray<Thing>
}

const group = (title: string, things: Readonly<Record<string, string>>): Group => ({
  title,
  things: Object.entries(things).map(([name, ours]) => ({ name, ours }))
})

const flatFiles = "none: the flat files are another product on another host, with a licence of its own"

export const groups: ReadonlyArray<Group> = [
  group("The client and its options", {
    "`CoinMetricsClient(…)`": "`NodeClient.layerConfig()`, or `await Sluice.open()` without Effect",
    "`api_key`": "`SLUICE_API_KEY`, or `apiKey`; a key never stands in an error or a log",
    "no `api_key`":
      "`root: Root.community`, or `SLUICE_BASE_URL=community`; a missing key alone is refused with `Misconfigured`",
    "`verify_ssl_certs`": "`caFile` or `SLUICE_CA_FILE` for a file; `False`: none, certificates are always checked",
    "`proxy_url`": "`proxy`, or `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`",
    "`session`": "`Client.layer` over an `HttpClient` of your own; without Effect the option `http`",
    "`debug_mode`": "the log level `Debug`, and spans: [Observability](observability.md); no file is written by itself",
    "`verbose`": "spans and metrics: [Observability](observability.md); `sluice doctor` tries the settings",
    "a host": "no option there; here `root` or `SLUICE_BASE_URL` takes any URL",
    "the wait after 429":
      "built in: the client keeps to the plan, so that the service has no need to refuse, and repeats what it refused"
  }),
  group("Parameters", {
    "`assets`, `markets`, `metrics`, …": "the same names; a list, or text with commas",
    "`market_type`": "`type`, as on the wire",
    "`asset_pairs`": "`pairs`, as on the wire",
    "`start_time`, `end_time`":
      "text; without Effect also `Date`. A date as `end_time` is the whole day, in parts of a request too",
    "`timezone`": "the same",
    "`page_size`": "the same; the largest page of the endpoint by default",
    "`paging_from`":
      'the same; with `"end"` the newest row comes first, where there each page ascends ([order](#order))',
    "`next_page_token`": "the same, for `.pages`: [Resuming](resuming.md)",
    "`format`": "the same; pages by default. There it is `json_stream` for some, and the whole reply is held in memory",
    "`ignore_forbidden_errors`, `ignore_unsupported_errors`": "the same",
    "`limit_per_asset`, `limit_per_market`, …":
      "the newest so many, ascending. There `paging_from` is `start` by default, with which replies held the oldest"
  }),
  group("DataCollection", {
    "`for row in collection`": "`Stream.runForEach`; `for await` without Effect",
    "`first_page()`": "`.pages` and `Stream.take(1)`; `.pages()` and `break`",
    "`to_list()`": "`Stream.runCollect`; `.toArray()`",
    "`to_dataframe()`":
      "none: write Parquet and open it with DuckDB, pandas or Polars ([Data frames](python-client.md#data-frames))",
    "`to_lazyframe()`": "none: the same",
    "`export_to_csv()`": '`Download.run` with `{ as: "csv" }`, `.download(…)`, or `sluice get … --output prices.csv`',
    "`export_to_json()`": 'the same with `{ as: "ndjson" }`: one object a line, there too',
    "`parallel()`": "`Bulk.split` and `Bulk.records`; `.split(…)`",
    "`to_dataframe(secondary_level=…)`": "none: records of catalogs are nested, as on the wire"
  }),
  group("ParallelDataCollection", {
    "`parallelize_on`": "`by`: one list; several of them by several calls",
    "`time_increment`": '`every`, such as `"1 month"` or `"30 days"`',
    "`height_increment`": "none: give ranges of `start_height` and `end_height` yourself",
    "`max_workers`": "`concurrency` of the call, within `parallel` of the client",
    "`executor`": "none: fibers, in one thread",
    "`progress_bar`": "the events of `Download.run`; `sluice download` draws them",
    "`get_parallel_datacollections()`": "the parts of `Bulk.split`, which are plain data",
    "`to_list()`": '`Bulk.records` and `Stream.runCollect`, with `order: "parts"` for the order of the parts',
    "`to_dataframe()`": "none: as above",
    "`export_to_csv()`": "`Download.run` writes a file for each part",
    "`export_to_csv_files()`": '`Download.run` with `{ as: "csv" }`',
    "`export_to_json()`": "`Download.run` writes a file for each part",
    "`export_to_json_files()`": '`Download.run` with `{ as: "ndjson" }`',
    "`parse_date()`": "none: the forms of a time that the service takes are sent as they are"
  }),
  group("CmStream", {
    "`run()`": "`Stream.runForEach` over the stream that the call gives",
    "`on_message`": "messages of the stream, with checked records in `Data`",
    "`on_error`": "the error of the stream; `Disconnected` and `Gap` for what is no error",
    "`on_close`": "`Disconnected`",
    "`reconnect`": "always: [what is healed](live.md#what-is-healed), with the records in between"
  }),
  group("CoinMetricsDataExporter", {
    "`export_market_candles_future_data()`": flatFiles,
    "`export_market_candles_spot_data()`": flatFiles,
    "`export_market_quotes_future_data()`": flatFiles,
    "`export_market_quotes_spot_data()`": flatFiles,
    "`export_market_trades_future_data()`": flatFiles,
    "`export_market_trades_spot_data()`": flatFiles,
    "`get_exchanges()`": flatFiles,
    "`get_asset_pairs()`": flatFiles,
    "`filter_date_files()`": flatFiles,
    "`coinmetrics export`": "none for the flat files; `sluice download` writes files of the series of the API"
  }),
  group("Exceptions", {
    "`requests.HTTPError`":
      "`Unauthorized`, `Forbidden`, `NotFound`, `InvalidRequest`, `RateLimited` or `Unavailable`, by what it means",
    "`CoinMetricsClientQueryParamsException`":
      "`InvalidRequest` of kind `tooLong`, before anything is sent where the client can count it",
    "`CoinMetricsUnauthorizedException`": flatFiles,
    "`CoinMetricsClientNotFoundError`": "none: it comes of `height_increment`",
    "`CsvExportError`": "none: every endpoint with many records can be written as CSV",
    "`DataFetchError`": "`Unavailable`, after the retries of the client",
    "a row that is not what it should be": "`Decode`, with the field; there it is a row as any other"
  })
]
