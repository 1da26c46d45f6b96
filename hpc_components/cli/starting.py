"""Implements `hpc init`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hpc_components.cli.command import Command, Refused
from hpc_components.cli.terminal import wrapped
from hpc_components.first_cluster import WORKLOADS

if TYPE_CHECKING:
    from hpc_components.first_cluster.folder import NewFile
    from hpc_components.first_cluster.interview import Interview
    from hpc_components.spec.project import Project


@click.command(cls=Command)
@click.option("--cloud", metavar="CLOUD", help="The cloud.")
@click.option(
    "--workload", type=click.Choice([*WORKLOADS]), help="Purpose of the cluster; proposes the machine type."
)
@click.option("--region", metavar="REGION", help="The region.")
@click.option("--project", metavar="ID", help="Id of the cloud project, on clouds that have projects.")
@click.option("--machine", metavar="TYPE", help="Machine type of the compute nodes. [default: by the workload]")
@click.option("--max-nodes", metavar="N", help="Maximum number of compute nodes. [default: by the workload]")
@click.option(
    "--scratch", metavar="SIZE", help="A Lustre file system for scratch data, or none. [default: by the workload]"
)
@click.option("--bucket", metavar="YES|NO", help="A bucket for users and jobs. [default: no]")
@click.option(
    "--login-nodes", metavar="YES|NO", help="Login nodes besides the head node. [default: where they are needed]"
)
@click.option("--zone", metavar="ZONE", help="The zone, by id. [default: one that sells the machine type]")
@click.option("--ssh-from", metavar="RANGES", help="Address ranges that users log in from, or none.")
@click.option("--key-pair", metavar="NAME", help="Key pair for nodes, on clouds that keep keys by name.")
@click.option("--ssh-key", metavar="KEY", help="Your public SSH key or its file, on clouds that put it on nodes.")
@click.option("--budget", metavar="USD", help="Budget a month, or none.")
@click.option("--billing-account", metavar="ID", help="Billing account of the budget, on clouds that ask for it.")
@click.option("--notify", metavar="MAIL", help="E-mail addresses for budget alerts.")
@click.option("--name", metavar="NAME", help="Name of the cluster and its stack. [default: an unused one]")
@click.option(
    "--program",
    "own_program",
    is_flag=True,
    help="Write a program with a Cluster, to which you can add resources.",
)
def init(own_program: bool, **flags: str | None) -> None:
    """Describe your first cluster.

    Writes a stack file, and a Pulumi project for it unless this folder is already in one. On a terminal, it asks for
    all answers that the options do not provide. Otherwise, the options must provide all required answers. No file is
    overwritten. Exit code 0: written; 2: an answer is missing or refused, or a file can't be written.

    \b
    Examples:
      hpc init
      hpc init --cloud aws --region us-east-2 --workload mpi --ssh-from 203.0.113.0/24 --budget none
      hpc init --cloud aws --region us-west-2 --machine g6.12xlarge --ssh-from none --budget none --program
    """
    from hpc_components.first_cluster.interview import Interview
    from hpc_components.first_cluster.reading import AnswerError

    project = _project()
    interview = Interview(project)
    try:
        interview.take_all({field: text for field, text in flags.items() if text is not None})
    except AnswerError as error:
        raise Refused(str(error)) from None
    _ask(interview)
    _write(interview, project, own_program)


def _project() -> "Project | None":
    from hpc_components.spec.project import NoProjectError, find_project

    try:
        project = find_project()
    except NoProjectError:
        return None
    if project.runtime != "python":
        raise Refused(f"the project in {project.root} uses {project.runtime}; run this in a new folder outside of it")
    return project


def _ask(interview: "Interview") -> None:
    """Ask the open questions on the terminal.

    If there is no terminal, accept the proposed answers, or raise `Refused` if a question has none.
    """
    from hpc_components.first_cluster.reading import AnswerError

    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if not is_terminal:
        missing = [question.flag for question in interview.open() if interview.is_needed(question.field)]
        if missing:
            flags = ", ".join(missing).replace("--workload", "--workload or --machine")
            raise Refused(f"there is no terminal to ask on; add {flags}")
    for question in interview.open():
        field = question.field

        def taken(text: str, field: str = field) -> str:
            try:
                interview.take(field, text)
            except AnswerError as error:
                raise click.UsageError(str(error)) from None
            return text

        try:
            proposed = interview.default(field)
        except ValueError:
            proposed = None
        if is_terminal:
            _show_choices(interview.choices(field))
            click.prompt(question.text, default=proposed, value_proc=taken)
        else:
            taken(proposed or "")


def _show_choices(choices: list[tuple[str, str]]) -> None:
    """Show each choice on a line with its description. If no choice has a description, list all choices in a
    paragraph."""
    if choices and not any(words for _, words in choices):
        click.echo(wrapped("  " + ", ".join(name for name, _ in choices), sys.stdout, indent=2))
        return
    width = max((len(name) for name, _ in choices), default=0)
    for name, words in choices:
        click.echo(f"  {name:{width}}  {words}")


def _write(interview: "Interview", project: "Project | None", own_program: bool) -> None:
    from hpc_components.first_cluster.folder import new_files
    from hpc_components.spec.project import displayed
    from hpc_components.spec.report import Judged, report, summary

    answers = interview.answers
    stack_file = f"Pulumi.{answers.name}.yaml"
    judged = Judged(stack_file, interview.judgement(stack_file))
    if judged.judgement.errors:
        raise Refused(f"these answers contradict one another:\n{report([judged], 'text')}")
    files = list(
        new_files(
            project, Path.cwd(), answers.name, interview.description(), cloud=interview.cloud, own_program=own_program
        )
    )
    for file in files:
        if file.must_be_new and file.path.exists():
            way_out = "choose another --name" if file.path.name == stack_file else "leave out --program"
            raise Refused(f"{displayed(file.path)} exists, and no file is overwritten; remove it, or {way_out}")
    for file in files:
        click.echo(f"{_put(file)} {displayed(file.path)}")
    if note := interview.zone.note:
        click.echo(f"zone {interview.zone.id} is a guess: {note}")
    click.echo(f"\n{summary([judged])}\n\n{_next(answers.name)}")


def _put(file: "NewFile") -> str:
    if file.path.exists():
        return "kept "
    try:
        file.path.parent.mkdir(parents=True, exist_ok=True)
        file.path.write_text(file.text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise Refused(f"{file.path} can't be written: {error.strerror}") from None
    return "wrote"


def _next(stack: str) -> str:
    steps = {
        f"hpc validate {stack}": "findings about the cluster, with remedies",
        f"hpc preview {stack}": "its resources, cost and quotas, without a cloud",
        f"hpc rehearse {stack}": "run it on this machine, with real Slurm (Linux, root)",
        f"pulumi up -s {stack}": "create it, after pulumi login, pulumi install and pulumi stack init",
    }
    width = max(map(len, steps))
    return "Next:\n" + "\n".join(f"  {command:{width}}   {words}" for command, words in steps.items())
