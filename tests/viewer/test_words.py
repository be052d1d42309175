"""The page's words: every one in English and Japanese, every one that is used is there, and the page speaks them."""

import json
import re

import pytest

from bunraku.viewer.one_file import export_html
from viewer_browser import PAGE_SOURCES as SOURCES
from viewer_browser import browser, open_page, until
from viewer_scenes import Walk

__all__ = ["browser"]
WORDS = json.loads((SOURCES / "src/words.json").read_text(encoding="utf-8"))
CODE = {p.name: p.read_text(encoding="utf-8") for p in (SOURCES / "src").glob("*.ts")}
HTML = (SOURCES / "index.html").read_text(encoding="utf-8")
SAME = {"group-zmp"}  # in both languages
PREFIXES = ("layer-", "group-", "state-", "view-")  # words whose names are put together
FROM_THE_SERVER = {"standing", "falling", "fallen", "connecting", "no-server", "disconnected", "no-answer"}
OTHERS = {"restart", "loop"}  # of buttons that not every page has


@pytest.mark.parametrize("word", WORDS)
def test_every_word_is_in_both_languages(word):
    texts = WORDS[word]
    assert set(texts) == {"en", "ja"} and all(t.strip() for t in texts.values())
    assert set(re.findall(r"\{\w+\}", texts["en"])) == set(re.findall(r"\{\w+\}", texts["ja"]))
    assert texts["en"].isascii() or re.fullmatch(r"[\x20-\x7e←→↑↓·…–“”−×]*", texts["en"])
    assert word in SAME or re.search(r"[぀-ヿ一-鿿]", texts["ja"])


def test_every_word_that_is_used_is_there():
    used = set(re.findall(r'data-word(?:-title|-label)?="([^"]+)"', HTML))
    assert len(used) > 60
    for text in CODE.values():
        used |= set(re.findall(r'\b(?:say|label)\((?:[^"`()]*(?:\([^()]*\))?,\s*)?"([a-z-]+)"', text))
    assert used - set(WORDS) == set()
    everything = HTML + "".join(CODE.values())
    unused = {w for w in WORDS if f'"{w}"' not in everything and not w.startswith(PREFIXES)}
    assert unused - FROM_THE_SERVER - OTHERS == set()


def test_no_english_sentence_stands_in_the_page():
    """Text between tags of index.html is a name or comes from the dictionary."""
    body = re.sub(r"<!--.*?-->|<(title|style|script)[^>]*>.*?</\1>", "", HTML, flags=re.S)
    texts = {t.strip() for t in re.findall(r">([^<]+)<", body) if t.strip()}
    assert texts <= {"Bunraku", "x", "y", "BVH", "CSV", "GIF", "PNG", "English", "日本語"}


def test_the_page_speaks_the_language_of_the_browser_and_another_one_on_request(browser, tmp_path):
    walk = Walk(0.5)
    url = export_html(walk.scene, walk.frames(), tmp_path / "walk.html").as_uri()
    page = open_page(browser, url, locale="ja-JP")
    until(page, "window.bunraku?.ready")
    assert page.locator("html").get_attribute("lang") == "ja"
    for test_id, word in (("plots-button", "plots"), ("view-side", "view-side"), ("group-forces", "group-forces")):
        assert page.get_by_test_id(test_id).inner_text().strip() == WORDS[word]["ja"]
    assert page.get_by_test_id("mode").inner_text() == WORDS["mode-recording"]["ja"]
    assert page.get_by_test_id("play").get_attribute("aria-label") == WORDS["play"]["ja"]
    left = page.evaluate(
        """() => [...document.querySelectorAll('#bar button span, #side span, #side h2, #side button, #keys dd')]
          .map(e => e.textContent.trim()).filter(t => /^[A-Za-z][a-z ]{3,}$/.test(t))"""
    )
    assert left == []
    page.get_by_test_id("help-button").click()
    page.get_by_test_id("language").select_option("en")
    until(page, "document.documentElement.lang === 'en'")
    until(page, "document.getElementById('mode').textContent === 'Recording'")
    page.keyboard.press("Escape")
    assert page.get_by_test_id("view-side").inner_text() == "Side"
    page.reload()
    until(page, "window.bunraku?.ready")
    assert page.get_by_test_id("plots-button").inner_text().strip() == "Plots"  # remembered
    page.close()
