"""`module load openmpi`: which Open MPI that is."""

from collections.abc import Callable

from .sandbox import Sandbox

Make = Callable[..., Sandbox]


def test_a_module_loads_amazons_mpi(sandbox: Make) -> None:
    box = sandbox("compute")
    box.write("opt/amazon/openmpi/bin/mpirun", "#!/bin/bash\necho 'mpirun (Open MPI) 4.1.7'\n")
    (box.root / "opt/amazon/openmpi/bin/mpirun").chmod(0o755)
    said = box.then("common/modules.sh", "modules", 'bash -lc "module load openmpi; command -v mpirun"')
    assert said.splitlines()[-1] == "/opt/amazon/openmpi/bin/mpirun"


def test_modules_are_there_in_a_script_without_login_shell(sandbox: Make) -> None:
    box = sandbox("compute")
    said = box.then(
        "common/modules.sh", "modules", "BASH_ENV=/etc/hpc/bash_env bash -c 'module load openmpi; module -t list'"
    )
    assert "openmpi/5.0.7" in said
    assert box.step("common/modules.sh", "modules") == ""


HPCX = """#%Module1.0
conflict mpi
prepend-path PATH /opt/hpcx/ompi/bin
setenv OPAL_PREFIX /opt/hpcx/ompi
"""


def test_an_mpi_that_takes_more_than_a_path_is_loaded_by_the_module_that_came_with_it(sandbox: Make) -> None:
    verbs = sandbox("compute").config["common/cloud.sh"] + "fabric_mpi() { echo /modules/hpcx; }\n"
    box = sandbox("compute", **{"common/cloud.sh": verbs})
    box.write("modules/hpcx", HPCX)
    box.write("opt/hpcx/ompi/bin/mpirun", '#!/bin/bash\n[[ $OPAL_PREFIX ]] && echo "mpirun (Open MPI) 4.1.9a1"\n')
    (box.root / "opt/hpcx/ompi/bin/mpirun").chmod(0o755)
    said = box.then(
        "common/modules.sh", "modules", "bash -lc 'module load openmpi; command -v mpirun; echo $OPAL_PREFIX'"
    )
    assert said.splitlines()[-2:] == ["/opt/hpcx/ompi/bin/mpirun", "/opt/hpcx/ompi"]
    assert (box.root / "opt/hpc/modulefiles/openmpi/4.1.9a1").exists()
