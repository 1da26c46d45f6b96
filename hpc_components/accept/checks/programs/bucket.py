"""Uses a bucket as users do, with the credentials that the node lends them.

Prints `ok`, `lacks` and the tool that the node lacks, or what is wrong.

    bucket.py read|write URL OBJECT

`bucket_api` comes from the cloud's package.
"""

import sys


def main(access: str, url: str, name: str) -> None:
    import bucket_api  # ty: ignore

    bucket = bucket_api.Bucket(url)
    if access == "read":
        bucket.list_one()
        return
    content = f"written by hpc accept as {name}\n".encode()
    bucket.put(name, content)
    try:
        found = bucket.get(name)
    finally:
        bucket.delete(name)
    if found != content:
        sys.exit(f"{name} was read as {found!r}, other than it was written")


try:
    main(*sys.argv[1:])
except ImportError as error:
    sys.exit(f"lacks {error}")
except Exception as error:
    sys.exit(f"{type(error).__name__}: {error}".splitlines()[0])
print("ok")
