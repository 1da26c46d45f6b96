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
    "--workload",
    type=click.Choice([*WORKLOADS]),
    help="Purpose of the cluster, which determines the proposed machine type.",
)
@click.option("--region", metavar="REGION", help="The region.")
@click.option("--project", metavar="ID", help="Id of the cloud project, for clouds that have projects.")
@click.option(
    "--machine", metavar="TYPE", help="Machine type of the compute nodes. [default: depends on the workload]"
)
@click.option("--max-nodes", metavar="N", help="Maximum number of compute nodes. [default: depends on the workload]")
@click.option(
    "--scratch",
    metavar="SIZE",
    help="Size of a Lustre file system for scratch data, or `none`. [default: depends on the workload]",
)
@click.option("--bucket", metavar="YES|NO", help="Whether to create a bucket for users and jobs. [default: no]")
@click.option(
    "--login-nodes",
    metavar="YES|NO",
    help="Whether to create login nodes in addition to the head node. [default: if needed]",
)
@click.option("--zone", metavar="ZONE", help="Zone id. [default: a zone where the machine type is sold]")
@click.option("--ssh-from", metavar="RANGES", help="Address ranges from which users log in, or `none`.")
@click.option(
    "--key-pair", metavar="NAME", help="Name of the key pair for nodes, on clouds that store named key pairs."
)
@click.option(
    "--ssh-key",
    metavar="KEY",
    help="Your public SSH key or the file that contains it, on clouds that install the key on nodes.",
)
@click.option(
    "--users",
    metavar="NAME=KEY,...",
    help="The first users, each with a public SSH key or its file. The first of them is an administrator. "
    "[default: none]",
)
@click.option("--budget", metavar="USD", help="Monthly budget in USD, or `none`.")
@click.option("--billing-account", metavar="ID", help="Billing account for the budget, on clouds that require one.")
@click.option("--notify", metavar="MAIL", help="E-mail addresses for budget alerts.")
@click.option("--name", metavar="NAME", help="Name of the cluster and its stack. [default: an unused name]")
@click.option(
    "--program",
    "own_program",
    is_flag=True,
    help="Write a Pulumi program that creates the cluster, so that you can add resources.",
)
def init(own_program: bool, **flags: str | None) -> None:
    """Describe your first cluster.

    Writes a stack file, and a Pulumi project for it unless this folder is already in one. On a terminal, the
    command asks for everything that the options don't provide. Otherwise, the options must provide all required
    answers. Existing files are not overwritten. Exit code 0: written; 2: an answer is missing or refused, or a
    file can't be written.

    \b
    Examples:
      hpc init
      hpc init --cloud aws --region us-east-2 --workload mpi --ssh-from 203.0.113.0/24 --budget none
      hpc init --users ada=~/.ssh/id_ed25519.pub,ben=ben.pub
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
        raise Refused(
            f"the project in {project.root} uses the runtime {project.runtime}; run `hpc init` in a new folder "
            "outside the project"
        )
    return project


def _ask(interview: "Interview") -> None:
    """Ask the unanswered questions on the terminal.

    Without a terminal, accept the proposed answers. Raise `Refused` if a required answer has no proposal.
    """
    from hpc_components.first_cluster.reading import AnswerError

    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if not is_terminal:
        missing = [question.flag for question in interview.open() if interview.is_needed(question.field)]
        if missing:
            flags = ", ".join(missing).replace("--workload", "--workload or --machine")
            raise Refused(f"can't ask questions without a terminal; add {flags}")
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
            raise Refused(f"{displayed(file.path)} already exists and won't be overwritten; remove it, or {way_out}")
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
        raise Refused(f"can't write {file.path}: {error.strerror}") from None
    return "wrote"


def _next(stack: str) -> str:
    steps = {
        f"hpc validate {stack}": "check the cluster's description",
        f"hpc preview {stack}": "show the resources, cost and quotas, without access to a cloud",
        f"hpc rehearse {stack}": "run the cluster on this machine, with real Slurm (Linux, root)",
        f"pulumi up -s {stack}": "create the cluster, after pulumi login, pulumi install and pulumi stack init",
    }
    width = max(map(len, steps))
    return "Next:\n" + "\n".join(f"  {command:{width}}   {words}" for command, words in steps.items())
