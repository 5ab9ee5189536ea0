"""Swiss system: everybody plays every round, against somebody with about as many points.

A round's pairing is the best of all, by minimum-weight perfect matching (Edmonds' blossom algorithm, in
networkx). An edge costs, the first thing before all others:

1. meetings the two have had already (with an odd number of entries the bye is an opponent, too: a second bye
   is a rematch);
2. a colour nobody should get: one entry three times more often Black than White, or the reverse;
3. the square of the difference in points (for the bye: to the lowest);
4. the sum of the squares of both colour balances after the games;
5. how many stand below the entry that has the bye;
6. the square of how far the two are from half the group apart, within equal points: the upper half of a group
   meets its lower half, in order;
7. lots from the seed, so that there is one best pairing whatever the library's order of search.

Costs are whole numbers in mixed radix and exact at any size. Ranks are by points, then by the file's order.
"""

from __future__ import annotations

from math import ceil, log2
from typing import TYPE_CHECKING

from arena.core.rounds import Meeting, Step, black_surplus, ordered
from arena.core.seeds import Label, derive

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.core.event import Event
    from arena.core.rounds import History

_BYE = -1
_COLOUR_LIMIT = 2
"""Largest difference between games with Black and with White that is not avoided at the cost of points."""

_WHOLE_GRAPH_ENTRIES = 100
_NEIGHBOURS = 40
"""With more entries than the former only so many next in rank are looked at, and all of them if that fails:
matching takes time with the cube of the number."""

_LOT_BITS = 48


def rounds(event: Event) -> int:
    """Return the number of rounds: the event's, or as many as a knockout would have."""
    return event.rounds or max(1, ceil(log2(len(event.engines))))


def next_step(event: Event, history: History) -> Step | None:
    """Return the next round, None when all are played or nobody is left to meet."""
    round_ = history.last_round + 1
    active = sorted(history.active(), key=lambda entry: (-history.half_points(entry), entry))
    if round_ > rounds(event) or len(active) < 2:
        return None
    pairing = _Pairing(event, history, active, round_).best()
    meetings, byes = [], []
    for one, other in pairing:
        if other == _BYE:
            byes.append(one)
        else:
            meetings.append(history.seated(one, other))
    place = {entry: rank for rank, entry in enumerate(active)}
    meetings.sort(key=lambda each: ordered(place[each[0]], place[each[1]]))
    tables = [(first, second) for first, second in meetings] + [(entry, None) for entry in byes]
    return Step(round_, 0, tuple(Meeting(board, *each) for board, each in enumerate(tables, start=1)))


class _Pairing:
    """The pairing of one round, over entries in the order of their ranks."""

    def __init__(self, event: Event, history: History, ranked: Sequence[int], round_: int) -> None:
        self._event = event
        self._history = history
        self._round = round_
        self._surplus = black_surplus(event, 0)
        self._vertices = [*ranked, *([_BYE] if len(ranked) % 2 else [])]
        self._ranks = {entry: rank for rank, entry in enumerate(self._vertices)}
        self._points = {entry: history.half_points(entry) for entry in ranked}
        self._points[_BYE] = min(self._points.values())
        groups: dict[int, int] = {}
        for entry in ranked:
            groups[self._points[entry]] = groups.get(self._points[entry], 0) + 1
        self._half_group = {points: max(1, size // 2) for points, size in groups.items()}
        size = len(self._vertices)
        widest = max(self._points.values()) - self._points[_BYE]
        # Bounds of the sums over a whole pairing, in the order of the module's list; the first needs none.
        balance = max((abs(surplus) for surplus in history.surplus.values()), default=0) + 1
        most = (1, widest**2, 2 * (balance + 1) ** 2, size, size**2, 2**_LOT_BITS)
        self._radices = [size * bound + 1 for bound in most]

    def best(self) -> list[tuple[int, int]]:
        """Return the best pairing, each pair's better ranked entry first; the bye is `_BYE`."""
        whole = len(self._vertices)
        if whole > _WHOLE_GRAPH_ENTRIES:
            pairing = self._matched(_NEIGHBOURS)
            if len(pairing) == whole // 2 and not any(self._is_to_avoid(*pair) for pair in pairing):
                return pairing
        return self._matched(whole)

    def _is_to_avoid(self, one: int, other: int) -> bool:
        costs = self._costs(one, other)
        return costs[0] > 0 or costs[1] > 0

    def _matched(self, neighbours: int) -> list[tuple[int, int]]:
        # Takes a tenth of a second to load, and only this format needs it.
        import networkx

        edges = [
            (one, other, self._cost(one, other))
            for rank, one in enumerate(self._vertices)
            for other in self._vertices[rank + 1 : rank + 1 + neighbours]
        ]
        if self._vertices[-1] == _BYE and neighbours < len(self._vertices):
            edges += [(one, _BYE, self._cost(one, _BYE)) for one in self._vertices[: -1 - neighbours]]
        highest = max(cost for _, _, cost in edges)
        graph: networkx.Graph[int] = networkx.Graph()
        graph.add_weighted_edges_from((one, other, highest - cost) for one, other, cost in edges)
        matching = networkx.max_weight_matching(graph, maxcardinality=True)
        by_rank = self._ranks.__getitem__
        return [(min(pair, key=by_rank), max(pair, key=by_rank)) for pair in matching]

    def _cost(self, one: int, other: int) -> int:
        first, *rest = self._costs(one, other)
        cost = first
        for radix, part in zip(self._radices, rest, strict=True):
            cost = cost * radix + part
        return cost

    def _costs(self, one: int, other: int) -> tuple[int, ...]:
        history = self._history
        again = history.byes[one] if other == _BYE else history.met[ordered(one, other)]
        forced, balance = (0, 0) if other == _BYE else self._colours(one, other)
        apart = self._points[one] - self._points[other]
        distance = self._ranks[other] - self._ranks[one]
        is_bye = other == _BYE
        below = distance - 1 if is_bye else 0
        wanted = self._half_group[self._points[one]] if apart == 0 else 1
        off_half = 0 if is_bye else distance - wanted
        ident = f"{self._round}/{one + 1}-{other + 1}"
        lot = derive(self._event.seed, Label.PAIRING, ident) >> (64 - _LOT_BITS)
        return again, forced, apart**2, balance, below, off_half**2, lot

    def _colours(self, one: int, other: int) -> tuple[int, int]:
        first, second = self._history.seated(one, other)
        surplus = self._history.surplus
        after = (surplus[first] + self._surplus, surplus[second] - self._surplus)
        forced = self._surplus != 0 and any(abs(each) > _COLOUR_LIMIT for each in after)
        return int(forced), sum(each**2 for each in after)
