"""What the server answers, for the OpenAPI document: every field with its meaning."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

Score = int | None
Tree = dict[str, Any]


class Problem(BaseModel):
    """What is wrong."""

    error: str = Field(description="One sentence for people.")


class Outcome(BaseModel):
    """How a finished game ended."""

    winner: int | None = Field(description="1 or 2; null for a draw.")
    cells: list[list[int]] = Field(description="[column, row] of winning lines, from 1.")
    text: str


class PositionAnswer(BaseModel):
    """A position by the rules alone."""

    board: str
    connect: int
    moves: str = Field(description="The moves after `start`.")
    start: str | None = Field(description="Rows from the top; null for the empty board.")
    ply: int = Field(description="Discs on the board.")
    turn: int = Field(description="1 or 2: who is to move.")
    legal: list[int] = Field(description="Columns that can be played, from 1.")
    heights: list[int] = Field(description="Discs in each column.")
    over: bool
    outcome: Outcome | None
    rows: list[str] = Field(description="From the top: X first player, O second, . empty.")
    drawing: str = Field(description="The board as text.")
    line: list[int] = Field(description="The moves as columns from 1.")


class ColumnScores(BaseModel):
    """Exact scores, one a column from left to right; null if illegal or not known."""

    moves: str
    score: Score = Field(description="Of the position.")
    scores: list[Score]
    words: list[str | None] = Field(description='Such as "wins in 5 moves".')
    best: list[int] = Field(description="Columns that keep the score, center-most first.")


class ScoresAnswer(ColumnScores):
    """Exact scores as a search finds them; that of the position is null unless it is complete."""

    outcome: str | None = Field(description="win, draw or loss of the side to move.")
    plies_to_end: int | None
    complete: bool = Field(description="Whether every column was solved in time.")
    book: bool = Field(description="Whether the opening book knew.")
    nodes: int
    seconds: float


class SolveAnswer(BaseModel):
    """Scores as other solver pages give them; 100 stands for a full column."""

    pos: str
    score: list[int]


class OptionAnswer(BaseModel):
    """An option of an agent."""

    name: str
    type: str
    takes: str
    default: Any
    low: float | None
    high: float | None
    choices: list[str]
    help: str


class AgentAnswer(BaseModel):
    """An agent that can be asked for moves."""

    name: str
    summary: str
    preset: bool
    plays: bool = Field(description="Whether it plays on the board asked about.")
    reason: str | None = Field(description="Why it does not.")
    options: list[OptionAnswer]


class LevelAnswer(BaseModel):
    """A level of the perfect agent by its plain name."""

    name: str
    level: int
    agent: str = Field(description="Its spec.")


class Caps(BaseModel):
    """The most this server does for a request."""

    seconds: float
    iterations: int
    nodes: int


class AgentsAnswer(BaseModel):
    """All agents, the levels of `perfect`, and the caps of limits."""

    agents: list[AgentAnswer]
    levels: list[LevelAnswer]
    caps: Caps


class MoveAnswer(BaseModel):
    """A decision, as `claimeven think --json` tells it, and what it was asked of."""

    agent: str
    seed: int
    column: int = Field(description="From 1.")
    value: float | None
    policy: list[float] | None
    score: Score
    depth: int | None
    nodes: int | None
    visits: list[int] | None
    iterations: int | None
    seconds: float
    line: str | None
    tree: Tree | None
    details: dict[str, Any]


class PlayAnswer(BaseModel):
    """A move."""

    column: int = Field(description="From 1.")


class ClaimAnswer(BaseModel):
    """A sentence that search has checked, with the cells it is about."""

    kind: str
    text: str
    player: int
    column: int | None
    columns: list[int]
    cells: list[list[int]] = Field(description="[column, row], from 1.")
    line: str
    start: int
    before: Score
    after: Score


class ExplainedColumn(BaseModel):
    """What is to say about a column."""

    column: int
    score: int
    best: bool
    claims: list[ClaimAnswer]


class ExplanationAnswer(BaseModel):
    """Why columns are good or bad, as `claimeven explain --json` tells it."""

    score: int
    scores: list[Score]
    best: list[int]
    claims: list[ClaimAnswer]
    columns: list[ExplainedColumn]


class JudgedAnswer(BaseModel):
    """One move of a game, judged."""

    ply: int
    player: int
    column: int
    before: int
    after: int
    judgement: str
    mark: str = Field(description="?!, ? or ??, empty for moves that are not marked.")
    reason: str = Field(description="Why a marked move is bad, in sentences.")
    claims: list[ClaimAnswer]
    credit: float | None
    best: list[int]
    scores: list[Score]


class ReviewAnswer(BaseModel):
    """A whole game judged, as `claimeven analyze --json` tells it."""

    moves: str
    columns: int
    rows: int
    connect: int
    outcome: str | None
    score: int
    course: list[int] = Field(description="Score after each ply, for the first player.")
    accuracy: list[float | None]
    counts: list[dict[str, int]]
    judged: list[JudgedAnswer]


class RecordAnswer(BaseModel):
    """A game of a file."""

    board: str
    connect: int
    moves: str
    first: str = Field(description="The first player's name; empty where nobody told it.")
    second: str
    result: str = Field(description="first, second, draw or unfinished.")
    fault: str | None = Field(description="What lost a game that its moves leave open.")
    ordered: bool = Field(description="false: the file told a position, not the order of its discs")


class RecordsAnswer(BaseModel):
    """The games of a file."""

    format: str
    games: list[RecordAnswer]
    wrong: int = Field(description="Games that could not be read.")
    problem: str | None = Field(description="The line and the reason of the first of them.")
    more: bool = Field(description="Whether the file holds more games than are told.")


class Counters(BaseModel):
    """What a minimax search counted."""

    nodes: int
    evaluations: int
    cutoffs: int
    table_hits: int


class MinimaxStep(Counters):
    """One step of a minimax search; counters are those after it."""

    step: int
    kind: str = Field(description="enter, return or cut.")
    moves: str
    depth: int
    alpha: float | None = Field(description="null: no bound.")
    beta: float | None
    window: list[str] = Field(description="alpha and beta in words.")
    value: float | None
    words: str | None = Field(description="The value in words.")
    plies_to_end: int | None
    reason: str
    skipped: int


class MinimaxAnswer(BaseModel):
    """A minimax search step by step, as the side to move at the root sees it, and its tree."""

    agent: str
    algorithm: str
    evaluation: str
    evaluation_about: str = Field(description="What the numbers of the evaluation count.")
    depth: int
    first: int
    total: int = Field(description="Steps of the whole search.")
    steps: list[MinimaxStep]
    counters: Counters
    tree: Tree


class MonteCarloStep(BaseModel):
    """One iteration of a Monte Carlo search, phase by phase."""

    iteration: int
    selected: str
    expanded: list[int]
    simulated: str
    result: int | float = Field(
        description="+1, 0, -1 (or a model's value) for the side to move at the root."
    )
    judged: bool = Field(description="Whether a model said so, and nothing was simulated.")
    proven: list[int]
    text: str
    tree: Tree | None = None


class MonteCarloAnswer(BaseModel):
    """A Monte Carlo search iteration by iteration, and the tree at its end."""

    agent: str
    seed: int
    method: str
    c: float = Field(description="The constant of the bonus for few visits.")
    scale: str
    first: int
    total: int = Field(description="Iterations made; 0 where none was needed.")
    steps: list[MonteCarloStep]
    tree: Tree


class BookAnswer(ColumnScores):
    """What the opening book knows of a position."""

    plies: int | None = Field(description="Plies the book holds; null: no book for this board.")
    known: bool


class PuzzleAnswer(BaseModel):
    """A puzzle: one column alone keeps what the side to move has."""

    number: int = Field(description="In its set, from 1.")
    moves: str
    kind: str = Field(description="win: one column wins; hold: one draws, every other loses.")
    difficulty: str = Field(description="beginner, easy, medium, hard or expert.")
    rating: int = Field(description="Of an agent who solves it half the time.")
    idea: str
    task: str
    turn: int
    ply: int
    length: int = Field(description="Columns to find.")
    solution: str = Field(description="The columns to find and the best answers in turn.")


class PuzzlesAnswer(BaseModel):
    """A puzzle, and how many there are to draw from."""

    set: str
    digest: str
    count: int
    puzzle: PuzzleAnswer


class PuzzleAttemptAnswer(BaseModel):
    """The result of a column of a puzzle, and why."""

    column: int = Field(description="From 1.")
    correct: bool
    solved: bool = Field(description="Whether it was the last one to find.")
    reply: int | None = Field(description="The other side's reply; null if it has none.")
    text: str
    claims: list[ClaimAnswer]


class HintAnswer(BaseModel):
    """A step of help."""

    step: str = Field(description="idea, cells or column.")
    text: str
    cells: list[list[int]] = Field(description="[column, row], from 1.")
    columns: list[int]


class PuzzleHintsAnswer(BaseModel):
    """Hints, each telling more than the one before."""

    hints: list[HintAnswer]


class StatusAnswer(BaseModel):
    """How the server is."""

    version: str
    workers: int
    warm: int = Field(description="Workers that have everything loaded.")
    ready: bool = Field(description="Whether every agent can be asked without compiling.")
    compiling: bool = Field(description="Whether code is compiled, once after an installation.")
    waits_for: str | None = Field(description="What is made ready now; null once it is ready.")
    steps_made: int = Field(description="Of `steps`; the first serves the page as it opens.")
    steps: int
    busy: int
    waiting: int
    jobs_done: int
    workers_lost: int
    seconds: float = Field(description="Since the server was started.")
    store: str | None = Field(description="File of games whose ladder is shown, by its name.")


class LiveAnswer(BaseModel):
    """The standings of a tournament, those of the games read by now."""

    store: str = Field(description="The name of its file.")
    read: int = Field(description="Games read, of those `stored`.")
    stored: int | None
    standings: dict[str, Any] | None = Field(
        description="As `claimeven tournament --json` tells them; null where none is read yet."
        " Intervals are null while games are read, and rough while games come."
    )
    version: str = Field(description="Changes with the standings.")


class LundAnswer(BaseModel):
    """The answer of the course's contract."""

    msg: str
    status: bool
    result: int | float = Field(
        description="0 goes on, 1 won, 0.5 drawn, -1 lost, -10 illegal move."
    )
    botmove: int = Field(description="Column from 0; -1 for none.")
    state: list[list[int]] = Field(description="Rows from the top: 1 yours, -1 the bot's.")


class LundStats(BaseModel):
    """Games of one player so far."""

    msg: str
    status: bool
    games: int
    won: int
    drawn: int
    lost: int
    streak: int = Field(description="Games won in a row by now.")
    best_streak: int
