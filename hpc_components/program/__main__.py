"""Creates the cluster described in a stack file. This program runs if the project doesn't have its own, as in `hpc
preview FILE`.
"""

from hpc_components.program import run

run()
