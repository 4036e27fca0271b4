"""The responses of the server, with descriptions of their fields for the OpenAPI document."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

Score = int | None
Tree = dict[str, Any]


class Problem(BaseModel):
    """An error."""

    error: str = Field(description="One sentence.")
    kind: str | None = Field(None, description="Of a bot: crash, illegal, time, stall, memory.")
    traceback: str = Field("", description="Of a bot that failed.")


class GameOutcome(BaseModel):
    """The end of a finished game."""

    winner: int | None = Field(description="1 (Yellow) or 2 (Red); null for a draw.")
    cells: list[list[int]] = Field(description="[column, row] of the winning lines, from 1.")
    text: str


class PositionAnswer(BaseModel):
    """A position and the rules that apply to it."""

    board: str
    connect: int
    moves: str = Field(description="The moves after `start`.")
    start: str | None = Field(description="Rows from the top; null for the empty board.")
    ply: int = Field(description="Discs on the board.")
    turn: int = Field(description="The player to move: 1 or 2.")
    legal: list[int] = Field(description="Playable columns, from 1.")
    heights: list[int] = Field(description="Discs in each column.")
    over: bool
    outcome: GameOutcome | None
    rows: list[str] = Field(description="From the top: X Yellow, O Red, . empty.")
    drawing: str = Field(description="The board as text.")
    move_columns: list[int] = Field(description="The moves as columns from 1.")


class ColumnScores(BaseModel):
    """Exact scores of the columns from left to right; null if illegal or unknown."""

    moves: str
    score: Score = Field(description="Of the position.")
    scores: list[Score]
    words: list[str | None] = Field(description='Such as "wins in 5 moves".')
    best: list[int] = Field(description="Columns that keep the score, center-most first.")


class ScoresAnswer(ColumnScores):
    """Exact scores from a search; the score of the position is null unless it is complete."""

    outcome: str | None = Field(description="win, draw or loss of the side to move.")
    plies_to_end: int | None
    complete: bool = Field(description="Whether all columns were solved in time.")
    from_book: bool = Field(description="Whether the scores are from the opening book.")
    nodes: int
    seconds: float


class SolveAnswer(BaseModel):
    """Scores in the format of other solver pages; 100 is a full column."""

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
    """An agent of the server."""

    name: str
    summary: str
    preset: bool
    plays: bool = Field(description="Whether it plays on the board.")
    unsupported_reason: str | None = Field(description="The reason if it does not.")
    options: list[OptionAnswer]


class LevelAnswer(BaseModel):
    """A named level of the perfect agent."""

    name: str
    level: int
    agent: str = Field(description="Its spec.")
    wins: int = Field(description="Percent of wins in one move that it sees.")
    blocks: int = Field(description="Percent of threats that it blocks.")
    double_threats: int = Field(description="Percent of double threats that it sees.")
    perfect: int = Field(description="Percent of perfect columns.")


class Caps(BaseModel):
    """The limits of this server for a request."""

    seconds: float
    iterations: int
    nodes: int


class AgentsAnswer(BaseModel):
    """All agents, the levels of `perfect`, and the limits of the server."""

    agents: list[AgentAnswer]
    levels: list[LevelAnswer]
    caps: Caps


class MoveAnswer(BaseModel):
    """A decision as in `claimeven think --json`, with the agent and the seed."""

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
    """A sentence that the search has checked, with the cells it is about."""

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
    """The explanation of a column."""

    column: int
    score: int
    best: bool
    claims: list[ClaimAnswer]


class ExplanationAnswer(BaseModel):
    """An explanation of a position, as in `claimeven explain --json`."""

    score: int
    scores: list[Score]
    best: list[int]
    claims: list[ClaimAnswer]
    columns: list[ExplainedColumn]


class JudgedMoveAnswer(BaseModel):
    """One move of a reviewed game."""

    ply: int
    player: int
    column: int
    before: int
    after: int
    judgement: str
    mark: str = Field(description="?!, ? or ??; empty for other moves.")
    reason: str = Field(description="The reason of a marked move, in sentences.")
    claims: list[ClaimAnswer]
    credit: float | None
    best: list[int]
    scores: list[Score]


class ReviewAnswer(BaseModel):
    """The review of a game, as in `claimeven analyze --json`."""

    moves: str
    columns: int
    rows: int
    connect: int
    outcome: str | None
    score: int
    score_history: list[int] = Field(description="Score for Yellow after 0, 1, ... discs.")
    accuracy: list[float | None]
    judgement_counts: list[dict[str, int]]
    judged_moves: list[JudgedMoveAnswer]


class RecordAnswer(BaseModel):
    """A game of a file."""

    board: str
    connect: int
    moves: str
    first: str = Field(description="Name of the first player, Yellow; empty if unknown.")
    second: str
    result: str = Field(description="first, second, draw or unfinished.")
    fault: str | None = Field(description="The fault that decided an unfinished game.")
    has_move_order: bool = Field(description="false if the file has only a position.")


class RecordsAnswer(BaseModel):
    """The games of a file."""

    format: str
    games: list[RecordAnswer]
    unreadable: int = Field(description="Number of invalid games.")
    first_error: str | None = Field(description="The line and the reason of the first one.")
    truncated: bool = Field(description="Whether the file has more games.")


class SearchCounters(BaseModel):
    """The counters of a minimax search."""

    nodes: int
    evaluations: int
    cutoffs: int
    table_hits: int


class MinimaxStep(SearchCounters):
    """One step of a minimax search; the counters include it."""

    step: int
    kind: str = Field(description="enter, return or cut.")
    moves: str
    depth: int
    alpha: float | None = Field(description="null: no bound.")
    beta: float | None
    window: list[str] | None = Field(description="alpha and beta in words; null for a bot.")
    value: float | None
    words: str | None = Field(description="The value in words.")
    plies_to_end: int | None
    reason: str
    skipped: int


class MinimaxAnswer(BaseModel):
    """Steps of a minimax search, for the side to move at the root, and its tree."""

    agent: str
    algorithm: str
    evaluation: str
    evaluation_description: str | None = Field(description="The meaning of its numbers.")
    depth: int
    first_step: int
    total_steps: int = Field(description="Steps of the whole search.")
    steps: list[MinimaxStep]
    counters: SearchCounters
    tree: Tree


class MonteCarloStep(BaseModel):
    """One iteration of a Monte Carlo search, phase by phase."""

    iteration: int
    selected: str
    expanded: list[int]
    simulated: str
    result: int | float = Field(description="1, 0, -1 or a model's value, as seen from the root.")
    from_model: bool = Field(description="Whether the result is a model's, without a playout.")
    proven: list[int]
    text: str
    tree: Tree | None = None


class MonteCarloAnswer(BaseModel):
    """Iterations of a Monte Carlo search, and its final tree."""

    agent: str
    seed: int
    method: str
    c: float = Field(description="The exploration constant.")
    scale: str
    first_step: int
    total_steps: int = Field(description="Number of iterations; 0 for an immediate decision.")
    steps: list[MonteCarloStep]
    tree: Tree


class BookAnswer(ColumnScores):
    """The scores of a position in the opening book."""

    book_plies: int | None = Field(description="Depth of the book in plies; null without a book.")
    in_book: bool


class PuzzleAnswer(BaseModel):
    """A puzzle: only one column is right."""

    number: int = Field(description="Its number in the set, from 1.")
    moves: str
    kind: str = Field(description="win: one column wins; hold: one draws, every other loses.")
    difficulty: str = Field(description="beginner, easy, medium, hard or expert.")
    rating: int = Field(description="Rating of a player with an even chance.")
    motif: str = Field(description="The group of the idea, such as double-threat.")
    idea: str
    task: str
    turn: int
    ply: int
    length: int | None = Field(description="Number of moves to foresee; null if unknown.")
    columns_to_find: int
    solution: str = Field(description="The columns to find and the replies, alternating.")


class PuzzlesAnswer(BaseModel):
    """A puzzle, and the number of puzzles that it was chosen from."""

    set: str
    digest: str
    count: int
    puzzle: PuzzleAnswer


class PuzzleAttemptAnswer(BaseModel):
    """The result of a column of a puzzle, and why."""

    column: int = Field(description="From 1.")
    correct: bool
    solved: bool = Field(description="Whether it was the last one to find.")
    reply: int | None = Field(description="The other side's reply, or null.")
    text: str
    claims: list[ClaimAnswer]


class HintAnswer(BaseModel):
    """A hint."""

    step: str = Field(description="idea, cells or column.")
    text: str
    cells: list[list[int]] = Field(description="[column, row], from 1.")
    columns: list[int]


class PuzzleHintsAnswer(BaseModel):
    """Hints, each one more specific than the one before."""

    hints: list[HintAnswer]


class StatusAnswer(BaseModel):
    """The state of the server."""

    version: str
    workers: int
    ready_workers: int = Field(description="Workers with a complete warm-up.")
    ready: bool = Field(description="Whether no request needs to wait for a compiler.")
    compiling: bool = Field(description="Whether code is compiled, once after an installation.")
    preparing: str | None = Field(description="The warm-up step in progress; null if ready.")
    steps_done: int = Field(description="Warm-up steps done, of `steps`.")
    steps: int
    busy: int
    waiting: int
    jobs_done: int
    workers_lost: int
    uptime_seconds: float
    store: str | None = Field(description="Name of the file of the tournament.")
    bots: list[str] = Field(description="The bots that the server was started with.")


class RunningGame(BaseModel):
    """A game in progress."""

    model_config = ConfigDict(strict=True)

    game: int = Field(description="Its number.")
    first: str = Field(description="Label of the first player.")
    second: str
    to_move: str
    opening: str
    moves: str = Field(description="So far, with the opening.", pattern="^[1-9a-z]*$")
    seconds: float


class TournamentAnswer(BaseModel):
    """The standings of a tournament, by the games read so far."""

    store: str = Field(description="Name of the file.")
    games_read: int = Field(description="Of `games_stored`.")
    games_stored: int | None
    standings: dict[str, Any] | None = Field(
        description="As in `claimeven tournament --json`; null before the first game is read."
        " Intervals and ranks are null while games are read, and approximate while games are"
        " added."
    )
    games_planned: int | None = Field(None, description="Null if it is unknown.")
    games_per_second: float | None = Field(None, description="Of the last minutes, if known.")
    last_game_at: float | None = Field(None, description="Seconds since 1970.")
    round: int = Field(1, description="The round of the latest games.")
    moved: dict[str, int] = Field({}, description="Places moved up, since the round began.")
    board: str = Field("7x6", description="Columns x rows.")
    connect: int = 4
    start: str = Field("", description="The board before the moves, as in `position`.")
    newest: list[dict[str, Any]] = Field([], description="As in `claimeven games --json`.")
    newest_forfeits: list[dict[str, Any]] = []
    running: RunningGame | None = Field(None, description="If it is known.")
    version: str = Field(description="Changes with the standings, and with `running`.")


class LundAnswer(BaseModel):
    """The response of the course's protocol."""

    msg: str
    status: bool
    result: int | float = Field(description="0 playing, 1 won, 0.5 drawn, -1 lost, -10 illegal.")
    botmove: int = Field(description="Column from 0; -1 if it has not moved.")
    state: list[list[int]] = Field(description="Rows from the top: 1 yours, -1 the bot's.")


class LundStats(BaseModel):
    """Statistics of a player."""

    msg: str
    status: bool
    games: int
    won: int
    drawn: int
    lost: int
    streak: int = Field(description="Current number of consecutive wins.")
    best_streak: int
