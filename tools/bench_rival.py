"""ParallelCluster, installed in a separate folder and run against moto's fake EC2, to compare with our commands.

`bench.py` imports this module; with that folder's Python and the arguments `seed` or `plan CONFIG` it runs a step.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PACKAGES = ("aws-parallelcluster==3.16.1", "moto[server,all]==5.2.5", "setuptools<81")
REGION = "us-east-1"
BUCKET = "parallelcluster-demo"


@dataclass
class Rival:
    """An installed ParallelCluster."""

    folder: Path
    port: int = 0

    @classmethod
    def install(cls, folder: Path) -> "Rival | None":
        """Install it once (about a minute). Return None, with a message on standard error, if that fails."""
        python = folder / "venv/bin/python"
        if shutil.which("node") is None:
            print(
                "ParallelCluster needs Node.js, which is not on PATH: only our commands are measured", file=sys.stderr
            )
            return None
        if not (folder / "installed").exists():
            folder.mkdir(parents=True, exist_ok=True)
            print("installing ParallelCluster for comparison ...", file=sys.stderr)
            subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
            done = subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=False)
            if done.returncode != 0:
                print("ParallelCluster can't be installed: only our commands are measured", file=sys.stderr)
                return None
            (folder / "installed").touch()
        return cls(folder)

    @contextmanager
    def running(self) -> Generator[None]:
        """Run its fake cloud within the block."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [self.folder / "venv/bin/moto_server", "-H", "127.0.0.1", "-p", str(self.port)]
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self._wait()
            self._python("seed")
            yield
        finally:
            server.terminate()
            server.wait()

    def case(self, name: str) -> Callable[[], object]:
        """Return the function of a case: `dry run, 50` validates 50 compute resources; `plan, 50` loads, validates
        and synthesises them.
        """
        config = str(self.folder / "cluster.yaml")
        if name.startswith("plan"):
            return lambda: self._python("plan", config)
        return lambda: self._dry_run(config)

    def _dry_run(self, config: str) -> None:
        command = [
            self.folder / "venv/bin/pcluster",
            "create-cluster",
            "-n",
            "demo",
            "-c",
            config,
            "--dryrun",
            "true",
        ]
        # moto rejects the ephemeral volumes in the launch templates of these two checks
        unfit = ("HeadNodeLaunchTemplateValidator", "ComputeResourceLaunchTemplateValidator")
        command += ["--suppress-validators", *(f"type:{each}" for each in unfit)]
        done = subprocess.run(command, env=self._environment(), capture_output=True, text=True, check=False)
        # a successful dry run exits with 1, and is recognised by its message
        if "Request would have succeeded" not in done.stdout + done.stderr:
            raise RuntimeError(f"ParallelCluster's dry run failed: {done.stdout}{done.stderr}")

    def _python(self, *arguments: str) -> None:
        python = self.folder / "venv/bin/python"
        command = [python, __file__, *arguments]
        done = subprocess.run(
            command, env=self._environment(), cwd=self.folder, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise RuntimeError(f"ParallelCluster failed: {done.stderr}")

    def _environment(self) -> dict[str, str]:
        return os.environ | {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}",
            "AWS_ACCESS_KEY_ID": "x",
            "AWS_SECRET_ACCESS_KEY": "x",
            "AWS_DEFAULT_REGION": REGION,
            "PATH": f"{self.folder / 'venv/bin'}:{os.environ['PATH']}",
        }

    def _wait(self) -> None:
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.1)
        raise RuntimeError("moto's server does not answer")


def seed() -> None:
    """Create what ParallelCluster requires (network, key, image), and its configuration file."""
    import boto3

    boto3.client("s3").create_bucket(Bucket=BUCKET)
    ec2 = boto3.client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    for attribute in ("EnableDnsSupport", "EnableDnsHostnames"):
        ec2.modify_vpc_attribute(VpcId=vpc, **{attribute: {"Value": True}})
    subnets = [
        ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.0.{16 * n}.0/20", AvailabilityZone=f"{REGION}a")["Subnet"][
            "SubnetId"
        ]
        for n in range(2)
    ]
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    table = ec2.describe_route_tables(Filters=[{"Name": "vpc-id", "Values": [vpc]}])["RouteTables"][0]["RouteTableId"]
    ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)
    ec2.create_key_pair(KeyName="admin", KeyType="ed25519")
    base = ec2.describe_images(Filters=[{"Name": "architecture", "Values": ["x86_64"]}])["Images"][0]["ImageId"]
    instance = ec2.run_instances(ImageId=base, MinCount=1, MaxCount=1, InstanceType="m5.xlarge")["Instances"][0]
    image = ec2.create_image(InstanceId=instance["InstanceId"], Name="parallelcluster")["ImageId"]
    tags = {"parallelcluster:version": "3.16.1", "parallelcluster:build_status": "available"}
    tags["parallelcluster:os"] = "ubuntu2204"
    ec2.create_tags(Resources=[image], Tags=[{"Key": key, "Value": value} for key, value in tags.items()])
    Path("cluster.yaml").write_text(_config(image, subnets), encoding="utf-8")


def _config(image: str, subnets: list[str]) -> str:
    machines = ("c5.large", "c5.xlarge", "c5.2xlarge", "m5.large", "m5.xlarge")
    queues = "\n".join(
        f"    - Name: q{n}\n      Networking: {{SubnetIds: [{subnets[1]}]}}\n      ComputeResources:\n"
        f"        - {{Name: cr{n}, InstanceType: {machines[n % len(machines)]}, MaxCount: 8}}"
        for n in range(50)
    )
    return f"""Region: {REGION}
Image: {{Os: ubuntu2204, CustomAmi: {image}}}
HeadNode:
  InstanceType: m5.2xlarge
  Networking: {{SubnetId: {subnets[0]}}}
  Ssh: {{KeyName: admin}}
  LocalStorage: {{RootVolume: {{Size: 50}}}}
Scheduling:
  Scheduler: slurm
  SlurmQueues:
{queues}
"""


def plan(config: str) -> None:
    """Load, validate and synthesise a cluster, as `pcluster create-cluster` does before it calls CloudFormation."""
    import yaml
    from pcluster.models.s3_bucket import S3Bucket  # ty: ignore
    from pcluster.schemas.cluster_schema import ClusterSchema  # ty: ignore
    from pcluster.templates.cdk_builder import CDKTemplateBuilder  # ty: ignore

    cluster = ClusterSchema(cluster_name="demo").load(yaml.safe_load(Path(config).read_text(encoding="utf-8")))
    cluster.validate()
    artifacts = "parallelcluster/3.16.1/clusters/demo-x"
    bucket = S3Bucket(name=BUCKET, service_name="demo", stack_name="demo", artifact_directory=artifacts)
    CDKTemplateBuilder().build_cluster_template(cluster_config=cluster, stack_name="demo", bucket=bucket)


if __name__ == "__main__":
    {"seed": seed, "plan": plan}[sys.argv[1]](*sys.argv[2:])
