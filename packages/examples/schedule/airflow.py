"""Datasets of a file in Airflow 3, as a DAG: sluice is in the PATH of the workers, and SLUICE_API_KEY in their environment.

A test runs it under Python against the stand-in, with modules in place of Airflow's own: Airflow itself was not run.
"""

import json
import subprocess
from datetime import datetime, timedelta

from airflow.exceptions import AirflowException, AirflowFailException
from airflow.providers.standard.operators.bash import BashOperator
from airflow.providers.standard.operators.python import PythonOperator
from airflow.sdk import DAG

FILE = "/srv/data/datasets.toml"

# The rate limit, the network, a reply, a disk or a lock, some of many requests. All other codes stay until somebody mends them.
MAY_PASS = {6, 7, 8, 9, 10}


def sync(file):
    """Brings the datasets up to date. Gives, by their names, how many changes there were and the newest time that is held."""
    ran = subprocess.run(["sluice", "sync", "--all", file, "--json"], capture_output=True, text=True)
    if ran.returncode != 0:
        lines = [json.loads(line) for line in ran.stderr.splitlines() if line.startswith("{")]
        error = (lines or [{}])[-1].get("error", {"message": f"sluice ended with code {ran.returncode}"})
        # A negative code is the signal that ended it.
        isPassing = ran.returncode in MAY_PASS or ran.returncode < 0
        raise (AirflowException if isPassing else AirflowFailException)(json.dumps(error))
    events = [json.loads(line) for line in ran.stdout.splitlines()]
    return {one["name"]: [one["changes"], one["newest"]] for one in events if one["_tag"] == "Finished"}


with DAG(
    dag_id="sluice_datasets",
    schedule="30 2 * * *",
    start_date=datetime(2026, 1, 1),
    catchup=False,
    # One process at a time has a dataset.
    max_active_runs=1,
    default_args={"retries": 5, "retry_delay": timedelta(minutes=5), "retry_exponential_backoff": True},
):
    synced = PythonOperator(task_id="sync", python_callable=sync, op_args=[FILE])
    # Any code but 0 fails a task.
    status = BashOperator(task_id="status", bash_command=f"sluice status --all {FILE} --json")
    synced >> status
