"""Messages for an unknown word: what it may mean, and the choices."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path

#: Other words for a choice, without case, spaces, hyphens and underscores. A word may have several
#: meanings: the one that is among the choices counts.
_SYNONYMS: dict[str, tuple[str, ...]] = {
    other: meanings
    for meanings, others in {
        ("uct",): "mcts montecarlo montecarlotreesearch mc ucb ucb1 treesearch",
        ("puct",): "alphazero azero alpha0 muzero leela",
        ("alphabeta",): "ab abpruning alphabetapruning pruning search",
        ("minimax",): "mm minmaximizer maximin",
        ("negamax",): "nm negascout pvs tt",
        ("greedy",): "gekko heuristic simple",
        ("random",): "rand rnd dummy monkey",
        ("human",): "me person player keyboard user you",
        ("net",): "nn neural neuralnet network dnn mlp",
        ("ntuple",): "td tdlearning ntuples",
        ("perfect", "solve"): "best perfect solver exact optimal oracle pons god strongest ideal",
        ("analyze", "accuracy"): "analyse analysis annotate blunders judge mistakes review",
        ("think", "accuracy"): "evaluate eval evaluation score move bestmove suggest hint ask",
        ("explain",): "why reasons describe",
        ("tournament",): "tourney roundrobin league cup arena compete",
        ("seconds",): "limit movetime timelimit",
        ("ladder",): "rank ranking rate rating ratings elo leaderboard",
        ("match",): "versus vs fight duel battle compare",
        ("play",): "game start",
        ("puzzles",): "puzzle quiz practice",
        ("serve",): "web gui ui browser server api http page",
        ("check",): "test validate verify lint doctor",
        ("convert",): "import translate transform",
        ("games",): "list show replay replays history",
        ("report",): "html plot chart summary",
        ("sprt",): "sequential significance",
        ("train",): "learn selfplay fit teach",
        ("export",): "kaggle submit submission",
        ("agents",): "bots players engines",
        ("bench",): "speed perf time timing",
        ("dataset",): "data datasets generate positions label",
        ("book",): "opening openings database",
        ("centre", "center"): "centre center middle",
    }.items()
    for other in others.split()
}
#: Files that are looked at for one of a like name.
_MAX_FILES = 2_000


def no_such(what: str, word: str, choices: Iterable[str]) -> str:
    """Say that there is no `what` called `word`, the one it looks like, and all there are.

    >>> no_such("agent", "alphabet", ["random", "alphabeta"])
    "there is no agent 'alphabet' (did you mean alphabeta?): choose from random, alphabeta"
    """
    known = list(choices)
    return f"there is no {what} {word!r}{did_you_mean(word, known)}: choose from {', '.join(known)}"


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """Return the choice that a word looks like or is another word for, as an addition in brackets.

    The addition is empty if there is none.

    >>> did_you_mean("deph", ["depth", "eval"]), did_you_mean("mcts", ["uct", "puct"])
    (' (did you mean depth?)', ' (did you mean uct?)')
    >>> did_you_mean("deph", ["eval"])
    ''
    """
    from difflib import get_close_matches  # noqa: PLC0415 - needed for mistakes alone

    known = {_plain(choice): choice for choice in choices}
    plain = _plain(word)
    meanings = _SYNONYMS.get(plain) or _SYNONYMS.get(plain.removesuffix("s"), ())
    found = [meaning for meaning in (plain, *meanings) if meaning and meaning in known]
    found = found or get_close_matches(plain, known, n=1)
    return f" (did you mean {known[found[0]]}?)" if found else ""


def did_you_mean_file(word: str) -> str:
    """Return the Python file whose name is most like a word, as an addition in brackets.

    It is in the folder of the word, or in a folder in that. The word may end in `:agent` or
    `.agent`.
    """
    from difflib import get_close_matches  # noqa: PLC0415 - needed for mistakes alone

    path = Path(word.partition(":")[0])
    name = path.name.removesuffix(".py").partition(".")[0]
    files: dict[str, Path] = {}
    try:
        near = chain(sorted(path.parent.glob("*.py")), path.parent.glob("[!.]*/*.py"))
        for file in filter(Path.is_file, islice(near, _MAX_FILES)):
            files.setdefault(_plain(file.stem), file)
    except OSError:
        return ""
    found = get_close_matches(_plain(name), files, n=1, cutoff=0.75)
    return f" (did you mean {files[found[0]]}?)" if found else ""


def _plain(word: str) -> str:
    return word.lower().replace("-", "").replace("_", "").replace(" ", "")
