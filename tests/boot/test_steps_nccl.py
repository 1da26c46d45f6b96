"""NCCL uses the fast fabric without a line in a job's script."""

from collections.abc import Callable

import pytest

from .fake_azure import FakeAzure
from .fake_gcp import FakeGcp
from .sandbox import Sandbox
from .stage import call

Make = Callable[..., Sandbox]

GPUS = "queue cpus gpus smt fabric local_scratch metadata\ndebug 2 8 no yes - system\n"
NO_GPUS = GPUS.replace(" 8 ", " 0 ")
NO_FABRIC = GPUS.replace(" yes ", " no ")

LOAD = 'source /usr/share/modules/init/bash; module load nccl; echo "$LD_LIBRARY_PATH $NCCL_NET_PLUGIN"'


def amazons(sandbox: Make, queues: str = GPUS, folder: str = "lib64", name: str = "libnccl-net-ofi.so") -> Sandbox:
    """A node with EFA's software, as its installer leaves it."""
    box = sandbox("compute", **{"compute/queues": queues})
    box.write(f"opt/amazon/ofi-nccl/{folder}/{name}", "")
    box.fake("ldconfig", 'echo "ldconfig" >>/called')
    return box


def test_every_program_finds_amazons_plugin(sandbox: Make) -> None:
    box = amazons(sandbox)
    box.step("common/modules.sh", "module_path")
    box.step("common/nccl.sh", "nccl")
    assert box.read("etc/ld.so.conf.d/hpc-nccl.conf") == "/opt/amazon/ofi-nccl/lib64\n"
    assert box.read("etc/nccl.conf") == "# hpc begin\nNCCL_NET_PLUGIN=ofi\n# hpc end\n"
    assert box.read("called") == "ldconfig\n"
    said = box.run("bash", "-c", LOAD).stdout.splitlines()
    assert said[-1] == "/opt/amazon/ofi-nccl/lib64 ofi"


def test_a_plugin_that_nccl_looks_for_needs_no_setting(sandbox: Make) -> None:
    box = amazons(sandbox, folder="lib/x86_64-linux-gnu", name="libnccl-net.so")
    box.fake("uname", "echo x86_64")
    box.step("common/nccl.sh", "nccl")
    assert box.read("etc/ld.so.conf.d/hpc-nccl.conf") == "/opt/amazon/ofi-nccl/lib/x86_64-linux-gnu\n"
    assert not (box.root / "etc/nccl.conf").exists()


def test_settings_of_the_image_stay(sandbox: Make) -> None:
    box = amazons(sandbox)
    box.write("etc/nccl.conf", "NCCL_IB_PCI_RELAXED_ORDERING=1\n")
    for _ in range(2):
        box.step("common/nccl.sh", "nccl")
    ours = "# hpc begin\nNCCL_NET_PLUGIN=ofi\n# hpc end\n"
    assert box.read("etc/nccl.conf") == f"NCCL_IB_PCI_RELAXED_ORDERING=1\n{ours}"


@pytest.mark.parametrize("queues", [NO_GPUS, NO_FABRIC])
def test_nodes_without_gpus_or_fabric_lose_what_their_image_says_of_it(sandbox: Make, queues: str) -> None:
    box = amazons(sandbox, queues)
    box.step("common/nccl.sh", "nccl")
    assert not (box.root / "etc/ld.so.conf.d/hpc-nccl.conf").exists()
    box.write("etc/ld.so.conf.d/hpc-nccl.conf", "/opt/amazon/ofi-nccl/lib64\n")
    box.write("etc/nccl.conf", "A=1\n# hpc begin\nNCCL_NET_PLUGIN=ofi\n# hpc end\n")
    box.step("common/nccl.sh", "nccl")
    assert not (box.root / "etc/ld.so.conf.d/hpc-nccl.conf").exists()
    assert box.read("etc/nccl.conf") == "A=1\n"


def test_azures_image_has_the_settings_and_the_plugin(azure_sandbox: Make, azure: FakeAzure) -> None:
    box = azure_sandbox("compute")
    assert call(box, "nccl_plugin").lines == []
    box.write("usr/local/nccl-rdma-sharp-plugins/lib/libnccl-net.so", "")
    assert call(box, "nccl_plugin").lines == ["libraries /usr/local/nccl-rdma-sharp-plugins/lib"]


def test_googles_script_is_read_once_for_all_programs(gcp_sandbox: Make, gcp: FakeGcp) -> None:
    box = gcp_sandbox("compute")
    assert call(box, "nccl_plugin").lines == []
    script = "/usr/local/gib/scripts/set_nccl_env.sh"
    box.write(
        "opt/hpc/modulefiles/cloud-rdma",
        f"#%Module1.0\nsetenv NCCL_LIB_DIR /usr/local/gib/lib64\nsource-sh bash {script}\n",
    )
    box.write(script[1:], "echo loaded\nexport NCCL_NET=gIB OTHER=1 NCCL_TUNER_CONFIG_PATH=$NCCL_LIB_DIR/a4\n")
    assert call(box, "nccl_plugin").lines == [
        "libraries /usr/local/gib/lib64",
        "NCCL_LIB_DIR=/usr/local/gib/lib64",
        "NCCL_NET=gIB",
        "NCCL_TUNER_CONFIG_PATH=/usr/local/gib/lib64/a4",
    ]
