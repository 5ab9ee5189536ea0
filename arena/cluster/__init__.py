"""More than one machine: games are played by the workers of a Dask cluster, under the same referee.

Only `arena run --executor dask` and `arena cluster` import this package, and only when they are asked to.
"""
