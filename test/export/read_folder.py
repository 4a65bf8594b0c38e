"""Reads an exported dataset with each reader of Parquet folders, and prints what it found as JSON.

Usage: python3 read_folder.py <folder of a dataset>. Needs pandas, pyarrow and polars.
"""

import json
import sys

import pandas
import polars
import pyarrow.dataset

folder = sys.argv[1]


def describe(columns, rows, games):
    return {"columns": list(columns), "rows": rows, "games": sorted({str(game) for game in games})}


frame = pandas.read_parquet(folder)
table = pyarrow.dataset.dataset(folder, partitioning="hive").to_table()
lazy = polars.scan_parquet(folder).collect()
print(
    json.dumps(
        {
            "pandas": describe(frame.columns, len(frame), frame["game"]),
            "pyarrow": describe(table.column_names, table.num_rows, table["game"].to_pylist()),
            "polars": describe(lazy.columns, lazy.height, lazy["game"].to_list()),
        }
    )
)
