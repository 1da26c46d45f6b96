"""The job that gets two nodes to boot, and looks for the one from the other."""

JOB = """#!/bin/bash
#SBATCH --job-name=hello --nodes=2 --output=/shared/hello.out
module load openmpi
module list
srun hostname
mpirun --map-by node -n 2 bash -c 'echo "mpirun reaches $SLURMD_NODENAME"'
export MASTER_ADDR=$(scontrol show hostnames | head -n 1) MASTER_PORT=29500 # as docs/boot.md says
srun --kill-on-bad-exit python3 /shared/rendezvous.py  # or the first rank waits for one that failed
"""

RENDEZVOUS = """import os, socket, subprocess, time
first, here = os.environ["MASTER_ADDR"], socket.gethostname()
for node in subprocess.check_output(["scontrol", "show", "hostnames"], text=True).split():
    print(f"{here} finds {node} at {socket.gethostbyname(node)}")
if os.environ["SLURM_PROCID"] == "0":
    listener = socket.create_server((first, int(os.environ["MASTER_PORT"])))
    peer, _ = listener.accept()
    peer.sendall(b"well met at " + here.encode())
else:
    while True:
        try:
            peer = socket.create_connection((first, int(os.environ["MASTER_PORT"])))
            break
        except ConnectionRefusedError:
            time.sleep(0.1)
    print(f"{here}: {peer.recv(100).decode()}")
"""
