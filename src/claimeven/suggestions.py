"""Messages for an unknown word: a suggestion and the choices."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path

#: Synonyms of a choice, without case, spaces, hyphens and underscores. A word may be the synonym of
#: several choices: the first that is available counts.
_SYNONYMS: dict[str, list[str]] = {}
for _choices, _words in {
    # agents
    "uct": "mcts montecarlo montecarlotreesearch mc ucb ucb1 treesearch",
    "puct": "alphazero azero alpha0 muzero leela",
    "alphabeta": "ab abpruning alphabetapruning pruning search",
    "minimax": "mm minmaximizer maximin",
    "negamax": "nm negascout pvs tt",
    "greedy": "gekko heuristic simple",
    "random": "rand rnd dummy monkey",
    "human": "me person player keyboard user you",
    "net": "nn neural neuralnet network dnn mlp",
    "ntuple": "td tdlearning ntuples",
    "perfect solve": "best perfect solver exact optimal oracle pons god strongest ideal",
    # commands
    "analyze accuracy": "analysis annotate blunders judge mistakes review",
    "think accuracy": "evaluate eval evaluation score move bestmove suggest hint ask",
    "explain": "why reasons describe",
    "tournament": "tourney roundrobin league cup arena compete",
    "ladder": "rank ranking rate rating ratings elo leaderboard",
    "match": "versus vs fight duel battle compare",
    "play": "game start",
    "puzzles": "puzzle quiz practice",
    "serve": "web gui ui browser server api http page",
    "check": "test validate verify lint doctor",
    "convert": "import translate transform",
    "games rounds": "list show replay replays history games rounds count n",
    "report": "html plot chart summary",
    "sprt": "sequential significance",
    "train": "learn selfplay fit teach",
    "export": "kaggle submit submission",
    "agents": "bots players engines",
    "bench": "speed perf time timing",
    "dataset": "data datasets generate positions label",
    "book": "opening openings database",
    # options
    "seconds": "time movetime timelimit limit st",
    "time-bank": "bank clock timecontrol tc overage",
    "memory-limit": "memory mem ram",
    "load-timeout": "loadseconds loadtime",
    "worker-timeout": "patience",
    "iterations": "playouts simulations sims rollouts visits",
    "columns": "width cols",
    "rows": "height",
    "connect": "inarow length",
    "jobs threads": "concurrency workers processes cores cpus parallel jobs threads",
    "table-mb": "hash table ttsize",
    "out": "output file save",
    "stats": "effort",
    "solver": "by engine",
    "show-worst": "worst",
    "accuracy-games": "judge",
    "difficulty": "band",
    # option values
    "center": "middle",
}.items():
    for _word in _words.split():
        _SYNONYMS.setdefault(_word, []).extend(_choices.split())
_BRITISH = {"analyse": "analyze", "centre": "center", "colour": "color", "grey": "gray"}
#: Maximum number of files that are searched for a similar name.
_MAX_FILES = 2_000


def no_such(what: str, word: str, choices: Iterable[str]) -> str:
    """Return the message for an unknown word: a suggestion and all choices.

    >>> no_such("agent", "alphabet", ["random", "alphabeta"])
    "there is no agent 'alphabet' (did you mean alphabeta?): choose from random, alphabeta"
    """
    known = list(choices)
    return f"there is no {what} {word!r}{did_you_mean(word, known)}: choose from {', '.join(known)}"


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """Return the choice that a word resembles or is a synonym of, as an addition in brackets.

    The addition is "" without a similar choice.

    >>> did_you_mean("deph", ["depth", "eval"]), did_you_mean("mcts", ["uct", "puct"])
    (' (did you mean depth?)', ' (did you mean uct?)')
    >>> did_you_mean("deph", ["eval"])
    ''
    """
    choice = closest(word, choices)
    return "" if choice is None else f" (did you mean {choice}?)"


def closest(word: str, choices: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the choice that a word resembles or is a synonym of, or None."""
    from difflib import get_close_matches  # noqa: PLC0415 - needed only for mistakes

    known = {_plain(choice): choice for choice in choices}
    plain = _plain(word)
    plain = _BRITISH.get(plain, plain)
    meanings = _SYNONYMS.get(plain) or _SYNONYMS.get(plain.removesuffix("s"), [])
    names = map(_plain, (plain, plain.removesuffix("s"), *meanings))
    found = [name for name in names if name and name in known]
    found = found or get_close_matches(plain, known, n=1, cutoff=cutoff)
    return known[found[0]] if found else None


def american(word: str) -> str:
    """Return a word in American spelling.

    >>> american("analyse"), american("solve")
    ('analyze', 'solve')
    """
    return _BRITISH.get(word, word)


def did_you_mean_file(word: str) -> str:
    """Return the Python file with the most similar name, as an addition in brackets.

    The search covers the word's folder and its folders. A word may end in `:agent` or `.agent`.
    """
    from difflib import get_close_matches  # noqa: PLC0415 - needed only for mistakes

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
