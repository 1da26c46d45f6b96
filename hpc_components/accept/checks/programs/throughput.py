"""Writes a file, or reads that of the next node, and prints: step, bytes, begin and end in seconds, kind of I/O.

    throughput.py write|read FOLDER MIB TIME

All nodes begin at TIME, in seconds since 1970, so that they use the file system at the same time. I/O is direct where
the file system offers it, so that the node's own memory is not measured.
"""

import mmap
import os
import sys
import time

_BLOCK = 4 * 2**20


def opened(path: str, flags: int) -> tuple[int, str]:
    try:
        return os.open(path, flags | os.O_DIRECT, 0o600), "direct"
    except OSError:
        return os.open(path, flags, 0o600), "buffered"


def main(step: str, folder: str, mib: str, at: str) -> None:
    number, nodes = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
    size = int(mib) * 2**20
    block = mmap.mmap(-1, _BLOCK)  # aligned, which direct I/O demands
    block.write(os.urandom(_BLOCK))
    number = number if step == "write" else (number + 1) % nodes
    path = os.path.join(folder, f"{os.environ['SLURM_JOB_ID']}-{number}.data")
    file, how = opened(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC if step == "write" else os.O_RDONLY)
    time.sleep(max(0, float(at) - time.time()))
    begin, done = time.time(), 0
    while done < size:
        moved = os.write(file, block) if step == "write" else os.readv(file, [block])
        if not moved:
            sys.exit(f"{path} ends after {done} bytes")
        done += moved
    if step == "write":
        os.fsync(file)
    os.close(file)
    print(step, done, f"{begin:.6f} {time.time():.6f}", how)


main(*sys.argv[1:])
