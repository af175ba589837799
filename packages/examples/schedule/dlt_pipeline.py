"""Time series in dlt: what is new from `sluice get`, or the Parquet files of a dataset that `sluice sync` keeps.

sluice is in the PATH, and SLUICE_API_KEY in the environment. A test runs it under Python against the stand-in, with a module in place
of dlt: dlt itself was not run, and so no file of Parquet was read by it.
"""

import json
import subprocess
from decimal import Decimal

import dlt
from dlt.sources.filesystem import filesystem, read_parquet

KEY = ["asset", "time"]


@dlt.resource(name="closes", write_disposition="merge", primary_key=KEY)
def closes(time=dlt.sources.incremental("time", initial_value="2026-01-01")):
    """Daily closes from the newest that dlt has on. Values that are revised later need a dataset, which reads them again."""
    command = ["sluice", "get", "timeseries/asset-metrics", "--assets", "btc,eth", "--metrics", "PriceUSD"]
    command += ["--start_time", time.last_value, "--format", "ndjson", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            record = json.loads(line)
            # Numbers are text, with every digit, or null.
            price = record.get("PriceUSD")
            yield {**record, "PriceUSD": None if price is None else Decimal(price)}
    if process.returncode != 0:
        raise RuntimeError(f"sluice ended with code {process.returncode}")


def held(folder):
    """The records of the files of a dataset that a sync wrote since dlt read them; each takes the place of its old version."""
    changed = dlt.sources.incremental("modification_date")
    files = filesystem(bucket_url=folder, file_glob="**/*.parquet", incremental=changed)
    return (files | read_parquet()).with_name("held").apply_hints(write_disposition="merge", primary_key=KEY)


if __name__ == "__main__":
    pipeline = dlt.pipeline(pipeline_name="sluice", destination="duckdb", dataset_name="market")
    print(pipeline.run(closes()))
    print(pipeline.run(held("/srv/data/closes")))
