"""What a plan reads off AWS's resources: see `ModuleReader`, whose answers these are."""

from hpc_components.preview.module_reader import ModuleReader

__all__ = ["READER"]


class AwsPlanReader(ModuleReader):
    """Knows the form of ARNs besides."""

    def standin_text(self, id: str, output: str) -> str | None:
        return f"arn:aws:standin:us-east-1:123456789012:{id}/{output}" if output.lower().endswith("arn") else None


READER = AwsPlanReader(__name__)
