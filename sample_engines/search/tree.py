"""The tree search: UCT with rapid action value estimation, priors as imagined visits, and chance nodes.

Each simulation descends from the root, takes the child with the highest bound, gives a leaf its children when
it has been visited often enough, plays out and adds the result along the path. The bound is that of Shah, Xie
and Xu (Non-asymptotic analysis of Monte Carlo tree search, 2020), exploration * N**(1/4) / n**(1/2): unlike
UCB1's logarithm it needs square roots alone, which every machine rounds alike. Moves made later in a playout
by the same side count for the weighted average of Gelly and Silver (Artificial Intelligence 175, 2011), with
the weight m / (n + m + bias * n * m).
"""

from __future__ import annotations

from math import sqrt

from sample_engines.search.hooks import list_candidates, play, playout, rave_key, set_roll
from sample_engines.search.layout import (
    AWAITS_DICE,
    CAPACITY,
    COUNT,
    DEEPEST,
    DEPTH,
    EXPAND_AT,
    EXPLORATION,
    FIRST,
    MARGIN,
    MARGINS,
    MOVE,
    NODE,
    OVER,
    PLAYOUTS,
    PRIOR,
    RAVE_BIAS,
    RAVE_VISITS,
    RAVE_WINS,
    RESULT,
    ROLLS,
    STAMP,
    TO_MOVE,
    USED,
    VISITS,
    WIN,
    WINS,
    Cells,
    kernel,
)
from sample_engines.search.random_numbers import draw


@kernel
def search(
    simulations: int,
    root: Cells,
    tables: Cells,
    nodes: Cells,
    control: Cells,
    knobs: Cells,
    generator: Cells,
    state: Cells,
    path: Cells,
    trace: Cells,
    marks: Cells,
    moves: Cells,
    priors: Cells,
) -> None:
    """Run simulations from the position `root`; the arrays after `generator` are free to write on."""
    for _ in range(simulations):
        state[:] = root
        depth = _descend(state, tables, nodes, control, knobs, generator, path, moves, priors)
        traced = 0
        if state[OVER] == 0:
            traced = playout(state, tables, generator, trace, moves, priors)
        control[PLAYOUTS] += 1
        control[STAMP] += 1
        control[MARGINS] += state[MARGIN]
        control[DEPTH] = max(control[DEPTH], depth)
        _back_up(nodes, path, depth, state[RESULT])
        if knobs[RAVE_BIAS] > 0:
            _back_up_later_moves(nodes, path, depth, state[RESULT], trace, traced, marks, control[STAMP])


@kernel
def _descend(
    state: Cells,
    tables: Cells,
    nodes: Cells,
    control: Cells,
    knobs: Cells,
    generator: Cells,
    path: Cells,
    moves: Cells,
    priors: Cells,
) -> int:
    """Go down to a leaf; return its depth. `path` gets the nodes and, at odd places, who moved there."""
    node = depth = 0
    path[0] = 0
    path[1] = 0
    while state[OVER] == 0 and depth < DEEPEST - 1:
        cell = node * NODE
        if nodes[cell + FIRST] == 0:
            visits = nodes[cell + VISITS] - nodes[cell + PRIOR]
            if node > 0 and visits < knobs[EXPAND_AT]:
                break
            if not _expand(node, state, tables, nodes, control, moves, priors):
                break
        mover = state[TO_MOVE]
        if state[AWAITS_DICE] != 0:
            first, second = draw(generator, 6), draw(generator, 6)
            larger, smaller = max(first, second), min(first, second)
            set_roll(state, tables, larger + 1, smaller + 1)
            node = nodes[cell + FIRST] + larger * (larger + 1) // 2 + smaller
        else:
            node = _best_child(node, nodes, knobs)
            play(state, tables, nodes[node * NODE + MOVE])
        depth += 1
        path[2 * depth] = node
        path[2 * depth + 1] = mover
    return depth


@kernel
def _expand(
    node: int, state: Cells, tables: Cells, nodes: Cells, control: Cells, moves: Cells, priors: Cells
) -> bool:
    """Give a node its children; False when there is no room for them."""
    first = control[USED]
    is_chance = state[AWAITS_DICE] != 0
    count = ROLLS if is_chance else list_candidates(state, tables, moves, priors)
    if first + count > control[CAPACITY]:
        return False
    for index in range(count):
        cell = (first + index) * NODE
        nodes[cell + FIRST] = nodes[cell + COUNT] = nodes[cell + RAVE_VISITS] = nodes[cell + RAVE_WINS] = 0
        visits = 0 if is_chance else priors[2 * index]
        nodes[cell + MOVE] = index if is_chance else moves[index]
        nodes[cell + VISITS] = nodes[cell + PRIOR] = visits
        nodes[cell + WINS] = 0 if is_chance else visits * priors[2 * index + 1]
    control[USED] = first + count
    nodes[node * NODE + FIRST] = first
    nodes[node * NODE + COUNT] = count
    return True


@kernel
def _best_child(node: int, nodes: Cells, knobs: Cells) -> int:
    """Return the child with the highest bound, the first of equals."""
    first = nodes[node * NODE + FIRST]
    count = nodes[node * NODE + COUNT]
    if count == 1:
        return first
    # Square root of the fourth root's square: the bonus of a child is this over the root of its visits.
    wonder = knobs[EXPLORATION] / 1000.0 * sqrt(sqrt(float(nodes[node * NODE + VISITS] + 1)))
    bias = knobs[RAVE_BIAS] / 1000000.0
    best, best_bound = first, -1.0
    for child in range(first, first + count):
        cell = child * NODE
        visits = float(nodes[cell + VISITS])
        share = nodes[cell + WINS] / (WIN * visits)
        later = float(nodes[cell + RAVE_VISITS])
        if later > 0.0:
            weight = later / (visits + later + bias * visits * later)
            share = (1.0 - weight) * share + weight * (nodes[cell + RAVE_WINS] / (WIN * later))
        bound = share + wonder / sqrt(visits)
        if bound > best_bound:
            best, best_bound = child, bound
    return best


@kernel
def _back_up(nodes: Cells, path: Cells, depth: int, result: int) -> None:
    """Add a result to every node of the path, as seen by who moved there."""
    for step in range(depth + 1):
        cell = path[2 * step] * NODE
        nodes[cell + VISITS] += 1
        nodes[cell + WINS] += result if path[2 * step + 1] == 0 else WIN - result


@kernel
def _back_up_later_moves(
    nodes: Cells,
    path: Cells,
    depth: int,
    result: int,
    trace: Cells,
    traced: int,
    marks: Cells,
    stamp: int,
) -> None:
    """Add a result to all children of path nodes whose move the same side made later.

    From the leaf upwards, `marks` of a move is `stamp` when it has been made below.
    """
    for entry in range(traced):
        marks[trace[entry]] = stamp
    for step in range(depth, -1, -1):
        cell = path[2 * step] * NODE
        if step < depth:
            mover = path[2 * step + 3]
            gain = result if mover == 0 else WIN - result
            first = nodes[cell + FIRST]
            marks[2 * rave_key(nodes[path[2 * step + 2] * NODE + MOVE]) + mover] = stamp
            for child in range(first, first + nodes[cell + COUNT]):
                below = child * NODE
                if marks[2 * rave_key(nodes[below + MOVE]) + mover] == stamp:
                    nodes[below + RAVE_VISITS] += 1
                    nodes[below + RAVE_WINS] += gain


@kernel
def keep_subtree(nodes: Cells, control: Cells, kept: Cells, new_root: int) -> None:
    """Copy the tree below a node into `kept`, breadth first, and count what is used."""
    kept[:NODE] = nodes[new_root * NODE : new_root * NODE + NODE]
    kept[PRIOR] = 0
    used = 1
    node = 0
    while node < used:
        cell = node * NODE
        count = kept[cell + COUNT]
        if count > 0:
            first = kept[cell + FIRST]
            kept[used * NODE : (used + count) * NODE] = nodes[first * NODE : (first + count) * NODE]
            kept[cell + FIRST] = used
            used += count
        node += 1
    control[USED] = used


@kernel
def playouts(
    number: int,
    root: Cells,
    tables: Cells,
    generator: Cells,
    state: Cells,
    trace: Cells,
    moves: Cells,
    priors: Cells,
) -> int:
    """Play out a position a number of times; return the sum of the results, in thousandths of a win."""
    total = 0
    for _ in range(number):
        state[:] = root
        playout(state, tables, generator, trace, moves, priors)
        total += state[RESULT]
    return total
