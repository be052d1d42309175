"""The program's own input: cards of GAIT, BIDYN and MOMA (report, section 5.1, Figs 5.1-5.3), read and written.

GAIT   1  F10.6  period of two steps TCYM (s)               BIDYN, MOMA  1  80H   comment (first column blank)
       2  2I5    ILSW, ILSUP (time steps)                                2  80H   comment
       3  80H    name of the pattern (first column blank)                3  2F8.3 PER, SFO: factors of time and angle
       4  I5     LM, number of break points                              4  4F8.3 T1, T2, BE1, BE2: the ZMP
       5  16I5   their time steps                                        5… 4F20.8 starts (theta, psi, theta', psi')
       6  8F10.5 their angles (rad); 3-6 again for the next pattern

The text of 5.1 gives card 2 as 2F10.6, the example in Fig. 5.1 has whole numbers in I5; both are read: with a decimal
point as 2F10.6, else as 2I5. `to_gait` joins a GAIT and a BIDYN deck to a Gait, `from_gait` takes it apart again.
Checked in tests/gait1988/test_cards.py: the printed examples, round trips, and no traceback on any text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bunraku.errors import FormatError, InputError
from bunraku.gait1988.fields import Deck, deck, f_field
from bunraku.gait1988.pattern import LAST, Gait, Pattern
from bunraku.gait1988.zmp import from_card


@dataclass(frozen=True)
class GaitDeck:
    """The cards of GAIT."""

    cycle: float
    swing_start: int
    support_start: int
    patterns: tuple[Pattern, ...]


@dataclass(frozen=True)
class DynamicsDeck:
    """The cards of BIDYN (any number of starts) or MOMA (one start)."""

    comments: tuple[str, str]
    time_factor: float
    angle_factor: float
    t1: float
    t2: float
    be1: float
    be2: float
    starts: tuple[tuple[float, float, float, float], ...]


def read_gait_cards(text: str, name: str = "gait cards") -> GaitDeck:
    """Read the cards of GAIT."""
    cards = deck(text, name)
    card = cards.card("the period of two steps (F10.6)")
    cycle = cards.real(card, 1, 10, 6, "the period of two steps in seconds")
    cards.blank_after(card, 11, "the period")
    if not 0.05 <= cycle <= 60.0:
        raise cards.fail(f"found {cycle:g}, wanted a period of two steps of 0.05 to 60 s.", 1)
    swing, support = phase_card(cards)
    patterns = []
    while cards.left:
        patterns.append(read_pattern(cards))
    if not patterns:
        raise cards.fail("the file ends here, but the first pattern (name, number of points, …) was wanted.")
    return GaitDeck(cycle, swing, support, tuple(patterns))


def phase_card(cards: Deck) -> tuple[int, int]:
    """Card 2: the time steps at which swing and support start."""
    wanted = "the time steps ILSW and ILSUP"
    card = cards.card(wanted)
    if "." in card:
        values = [cards.real(card, 1, 10, 6, wanted), cards.real(card, 11, 10, 6, wanted)]
        cards.blank_after(card, 21, wanted)
        if any(value != int(value) for value in values):
            raise cards.fail(f"found {values[0]:g} and {values[1]:g}, wanted whole time steps.", 1)
        swing, support = (int(value) for value in values)
    else:
        swing, support = cards.whole(card, 1, 5, wanted), cards.whole(card, 6, 5, wanted)
        cards.blank_after(card, 11, wanted)
    if not 1 < swing < support < LAST:
        raise cards.fail(f"found {swing} and {support}, wanted 1 < ILSW < ILSUP < {LAST}.", 1)
    return swing, support


def read_pattern(cards: Deck) -> Pattern:
    """Cards 3-6: one polyline."""
    title = cards.comment("name of the pattern")
    card = cards.card("the number of break points (I5)")
    count = cards.whole(card, 1, 5, "the number of break points")
    cards.blank_after(card, 6, "the number of break points")
    if not 2 <= count <= LAST:
        raise cards.fail(f"found {count}, wanted 2 to {LAST} break points.", 1)
    line = cards.at
    index = cards.wholes(count, 16, 5, "the time steps of the break points")
    angle = cards.reals(count, 8, 10, 5, "the angles at the break points")
    try:
        return Pattern(title.strip() or "pattern", index, angle)
    except InputError as error:
        raise cards.fail(str(error), line=line + 1) from None


def read_dynamics_cards(text: str, name: str = "cards", *, one_start: bool = False) -> DynamicsDeck:
    """Read the cards of BIDYN, or of MOMA with `one_start`."""
    cards = deck(text, name)
    comments = cards.comment("comment"), cards.comment("comment")
    card = cards.card("the factors PER and SFO (2F8.3)")
    per, sfo = (cards.real(card, 1 + 8 * k, 8, 3, f"the factor {('PER', 'SFO')[k]}") for k in range(2))
    cards.blank_after(card, 17, "PER and SFO")
    for k, value in enumerate((per, sfo)):
        if not 0.01 <= value <= 100.0:
            raise cards.fail(f"found {value:g}, wanted a factor {('PER', 'SFO')[k]} of 0.01 to 100.", 1 + 8 * k)
    card = cards.card("the ZMP (T1, T2, BE1, BE2, 4F8.3)")
    names = ("T1", "T2", "BE1", "BE2")
    t1, t2, be1, be2 = (cards.real(card, 1 + 8 * k, 8, 3, names[k]) for k in range(4))
    cards.blank_after(card, 33, "T1, T2, BE1 and BE2")
    if not 0.0 <= t1 <= t2:
        raise cards.fail(f"found T1 = {t1:g} and T2 = {t2:g}, wanted 0 <= T1 <= T2.", 1)
    for k, value in ((2, be1), (3, be2)):
        if abs(value) > 0.5:
            raise cards.fail(f"found {value:g}, wanted {names[k]} within 0.5 m.", 1 + 8 * k)
    starts = []
    while cards.left:
        card = cards.card("a start (4F20.8)")
        parts = [cards.real(card, 1 + 20 * k, 20, 8, ("theta", "psi", "theta'", "psi'")[k]) for k in range(4)]
        starts.append((parts[0], parts[1], parts[2], parts[3]))
    if one_start and len(starts) != 1:
        raise cards.fail(f"found {len(starts)} starts, wanted one (MOMA takes the converged start).")
    return DynamicsDeck(comments, per, sfo, t1, t2, be1, be2, tuple(starts))


def write_gait_cards(cards: GaitDeck) -> str:
    """The cards of GAIT as text."""
    lines = [f_field(cards.cycle, 10, 6), f"{cards.swing_start:5d}{cards.support_start:5d}"]
    for pattern in cards.patterns:
        if not pattern.name.isascii() or not pattern.name.isprintable():
            raise FormatError(f"pattern name {pattern.name!r} cannot be put on a card; use plain ASCII.")
        lines.append(f" {pattern.name}"[:80].rstrip())
        lines.append(f"{len(pattern.index):5d}")
        lines += rows([f"{i:5d}" for i in pattern.index], 16)
        lines += rows([f_field(a, 10, 5) for a in pattern.angle], 8)
    return "\n".join(lines) + "\n"


def write_dynamics_cards(cards: DynamicsDeck) -> str:
    """The cards of BIDYN or MOMA as text."""
    for comment in cards.comments:
        if comment and (not comment.isascii() or not comment.isprintable()):
            raise FormatError(f"comment {comment!r} cannot be put on a card; use plain ASCII.")
    lines = [f" {comment}"[:80].rstrip() for comment in cards.comments]
    lines.append(f_field(cards.time_factor, 8, 3) + f_field(cards.angle_factor, 8, 3))
    lines.append("".join(f_field(value, 8, 3) for value in (cards.t1, cards.t2, cards.be1, cards.be2)))
    lines += ["".join(f_field(value, 20, 8) for value in start) for start in cards.starts]
    return "\n".join(lines) + "\n"


def rows(fields: list[str], per_card: int) -> list[str]:
    """Fields joined to cards."""
    return ["".join(fields[k : k + per_card]) for k in range(0, len(fields), per_card)]


def to_gait(gait: GaitDeck, dynamics: DynamicsDeck, name: str = "cards") -> Gait:
    """Join the cards of GAIT and BIDYN. The first patterns are beta1, beta2 and, if there are three, beta3."""
    if not 2 <= len(gait.patterns) <= 3:
        raise InputError(f"{name}: wanted 2 or 3 patterns (beta1, beta2, beta3), found {len(gait.patterns)}.")
    step_time = 0.5 * gait.cycle * dynamics.time_factor
    return Gait(
        name,
        gait.patterns[0],
        gait.patterns[1],
        from_card(dynamics.t1, dynamics.t2, dynamics.be1, dynamics.be2, step_time),
        gait.patterns[2] if len(gait.patterns) == 3 else None,
        cycle=gait.cycle,
        swing_start=gait.swing_start,
        support_start=gait.support_start,
        time_factor=dynamics.time_factor,
        angle_factor=dynamics.angle_factor,
        starts=dynamics.starts,
        source="cards",
        note=" ".join(c for c in dynamics.comments if c).strip(),
    )


def with_moma(gait: Gait, cards: DynamicsDeck) -> Gait:
    """A gait's legs with the factors, ZMP and start of MOMA's cards, which know nothing of legs: those came from GAIT."""
    step_time = 0.5 * gait.cycle * cards.time_factor
    return replace(
        gait,
        zmp=from_card(cards.t1, cards.t2, cards.be1, cards.be2, step_time),
        time_factor=cards.time_factor,
        angle_factor=cards.angle_factor,
        starts=cards.starts,
    )


def moma_deck(gait: Gait, start: Sequence[float]) -> DynamicsDeck:
    """The cards of MOMA for a solved gait: those of BIDYN with the converged start (theta, psi, theta', psi')."""
    theta, psi, dtheta, dpsi = (float(value) for value in start)
    return replace(from_gait(gait)[1], starts=((theta, psi, dtheta, dpsi),))


def from_gait(gait: Gait) -> tuple[GaitDeck, DynamicsDeck]:
    """Take a Gait apart into the cards of GAIT and BIDYN; an error where the cards cannot say it."""
    card = gait.zmp.to_card()
    if card is None:
        raise InputError(
            f"gait {gait.name!r}: the cards hold a ZMP of three places (-BE2, 0, +BE1) only, got "
            f"{list(gait.zmp.x)}; keep the TOML file."
        )
    if gait.rise != 0.0:
        raise InputError(f"gait {gait.name!r}: the cards know no stairs (rise {gait.rise:g} m); keep the TOML file.")
    t1, t2, be1, be2 = card
    comments = (gait.name[:79], gait.note[:79])
    front = GaitDeck(gait.cycle, gait.swing_start, gait.support_start, gait.patterns)
    return front, DynamicsDeck(comments, gait.time_factor, gait.angle_factor, t1, t2, be1, be2, gait.starts)
