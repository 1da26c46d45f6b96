"""Walks through the tree of accounts, whatever a description makes of it."""

from hypothesis import given
from hypothesis import strategies as st

from hpc_components.spec import Account
from hpc_components.spec.slurm.account_tree import NORMAL, ROOT, above, parents_first, qos_of, usable_qos

NAMES = st.sampled_from("abcdefgh")
ANY = st.dictionaries(
    NAMES,
    st.builds(
        Account, parent=NAMES | st.just(ROOT), qos=st.lists(st.sampled_from(["long", "short"]), max_size=2).map(tuple)
    ),
)
"""Trees, forests, rings, and accounts below what is not described."""


@st.composite
def trees(draw: st.DrawFn) -> dict[str, Account]:
    """Accounts without a ring, in any order."""
    accounts: dict[str, Account] = {}
    for name in draw(st.lists(NAMES, unique=True)):
        qos = draw(st.lists(st.sampled_from(["long", "short"]), unique=True).map(tuple))
        accounts[name] = Account(parent=draw(st.sampled_from([ROOT, *accounts])), qos=qos)
    return {name: accounts[name] for name in draw(st.permutations(list(accounts)))}


@given(ANY)
def test_every_walk_ends_and_meets_nobody_twice(accounts: dict[str, Account]) -> None:
    for name in accounts:
        found = above(name, accounts)
        assert len(found) == len(set(found))
        assert found[0] == accounts[name].parent
        assert qos_of(name, accounts)
    assert sorted(parents_first(accounts)) == sorted(accounts)


@given(ANY)
def test_an_account_is_above_itself_only_in_a_ring(accounts: dict[str, Account]) -> None:
    for name in accounts:
        inside = name in above(name, accounts)
        assert inside == any(name in (one, *above(one, accounts)) for one in above(name, accounts) if one in accounts)


@given(trees())
def test_above_is_the_parent_and_what_is_above_it(accounts: dict[str, Account]) -> None:
    for name, account in accounts.items():
        assert above(name, accounts) == (account.parent, *above(account.parent, accounts))
        assert above(name, accounts)[-1] == ROOT


@given(trees())
def test_parents_come_first_and_else_nothing_moves(accounts: dict[str, Account]) -> None:
    order = parents_first(accounts)
    for name in accounts:
        assert all(order.index(one) < order.index(name) for one in above(name, accounts) if one != ROOT)
    assert parents_first({name: accounts[name] for name in order}) == order


@given(trees())
def test_qos_are_an_accounts_own_or_its_parents(accounts: dict[str, Account]) -> None:
    for name, account in accounts.items():
        assert qos_of(name, accounts) == (account.qos or qos_of(account.parent, accounts))
    assert qos_of(ROOT, accounts) == (NORMAL,)


@given(trees())
def test_usable_qos_are_those_of_the_accounts(accounts: dict[str, Account]) -> None:
    own = {qos for account in accounts.values() for qos in account.qos}
    assert usable_qos(accounts) - {NORMAL} == own
    without = any(account.parent == ROOT and not account.qos for account in accounts.values())
    assert (NORMAL in usable_qos(accounts)) == without


def test_a_long_line_of_accounts_is_sorted() -> None:
    """Longer than Python's stack."""
    accounts = {f"a{number}": Account(parent=f"a{number + 1}") for number in range(1500)}
    assert parents_first(accounts)[0] == "a1499"
    assert len(above("a0", accounts)) == 1500
