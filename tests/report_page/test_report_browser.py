"""The pages in Chromium: they open, ask for nothing, work with mouse and keyboard, and keep nobody out."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from simhash_udf.evaluation.page import Column, Page, Table, render_evaluation
from tests.report_page import browser, made

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(not browser.is_installed(), reason="no Chromium; scripts/browser installs it"),
]


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    with browser.chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    place = tmp_path_factory.mktemp("pages")
    rows: list[dict[str, Any]] = [{"at": 0, "setting": "jieba", "recall": 0.5}]
    table = Table("Settings", [Column("Setting", "setting"), Column("Recall", "recall")], rows)
    pages = {
        "report": made.page(),
        "evaluation": render_evaluation(Page("Evaluation", [], _picture(), "A curve.", [table], 0)),
    }
    for name, page in pages.items():
        (place / f"{name}.html").write_text(page, encoding="utf-8")
    return {name: (place / f"{name}.html").as_uri() for name in pages}


@pytest.fixture
def page(driver: webdriver.Chrome, addresses: dict[str, str]) -> webdriver.Chrome:
    """The report, opened anew on a wide window."""
    browser.show_as(driver, width=1280, scheme="light")
    driver.get(addresses["report"])
    return driver


def _picture() -> bytes:
    """One pixel."""
    pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
    return base64.b64decode(pixel)


def first_cells(driver: webdriver.Chrome, table: str) -> list[str]:
    script = "return [...document.querySelectorAll(arguments[0])].filter(b => !b.hidden).map(b => b.dataset.kept)"
    return list(driver.execute_script(script, f"{table} tbody"))


def figures(driver: webdriver.Chrome, key: str) -> list[float]:
    script = "return [...document.querySelectorAll('#group-table tbody')].map(b => Number(b.dataset[arguments[0]]))"
    return list(driver.execute_script(script, key))


def sort_button(driver: webdriver.Chrome, key: str) -> Any:
    return driver.find_element(By.CSS_SELECTOR, f"#group-table button[data-key={key}]")


@pytest.mark.parametrize("name", ["report", "evaluation"])
def test_a_page_opens_from_a_file_and_asks_for_nothing(
    driver: webdriver.Chrome, addresses: dict[str, str], name: str
) -> None:
    driver.get_log("browser")
    browser.requested(driver)
    driver.get(addresses[name])
    others = [url for url in browser.requested(driver) if not url.startswith("data:")]
    assert others == [addresses[name]]
    assert driver.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert [entry["message"] for entry in driver.get_log("browser")] == []


@pytest.mark.parametrize("name", ["report", "evaluation"])
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (360, "light"), (360, "dark")])
def test_a_page_has_no_barriers_and_no_sideways_scroll(
    driver: webdriver.Chrome, addresses: dict[str, str], name: str, width: int, scheme: str
) -> None:
    browser.show_as(driver, width=width, scheme=scheme)
    driver.get(addresses[name])
    driver.execute_script("document.querySelectorAll('details').forEach(details => { details.open = true })")
    assert browser.accessibility_faults(driver) == []
    assert driver.execute_script("return document.documentElement.scrollWidth") <= width


def test_a_document_with_a_script_shows_as_text(page: webdriver.Chrome) -> None:
    assert page.title == "Near-duplicates in lake/pages"
    page.execute_script("document.querySelectorAll('details').forEach(details => { details.open = true })")
    shown = [element.text for element in page.find_elements(By.CSS_SELECTOR, "p.text")]
    assert made.HOSTILE in shown
    assert made.HOSTILE.replace("taken", "gone") in shown
    assert len(page.find_elements(By.TAG_NAME, "script")) == 1
    assert page.find_elements(By.TAG_NAME, "img") == []


def test_no_other_script_and_no_address_is_let_through(page: webdriver.Chrome) -> None:
    page.execute_script(
        "const script = document.createElement('script'); script.textContent = 'window.wasTaken = true';"
        "document.body.append(script); document.body.setAttribute('onclick', 'window.wasTaken = true');"
        "document.body.click()"
    )
    assert page.execute_script("return window.wasTaken === undefined")
    said = " ".join(entry["message"] for entry in page.get_log("browser"))
    assert said.count("Content Security Policy") >= 2


def test_groups_are_sorted_by_a_click_and_back_by_another(page: webdriver.Chrome) -> None:
    sizes = figures(page, "size")
    assert sizes == sorted(sizes, reverse=True)
    button = sort_button(page, "distance")
    for expected in ("descending", "ascending"):
        button.click()
        distances = figures(page, "distance")
        assert distances == sorted(distances, reverse=expected == "descending")
        heading = button.find_element(By.XPATH, "./..")
        assert heading.get_attribute("aria-sort") == expected
        assert len(page.find_elements(By.CSS_SELECTOR, "#group-table th:not([aria-sort=none])[aria-sort]")) == 1
    sort_button(page, "kept").click()
    assert first_cells(page, "#group-table") == page.execute_script(
        "return arguments[0].toSorted((a, b) => a.localeCompare(b))", first_cells(page, "#group-table")
    )


def test_sources_are_sorted_apart_from_the_groups(page: webdriver.Chrome) -> None:
    before = first_cells(page, "#group-table")
    page.find_element(By.CSS_SELECTOR, "button[data-key=share]").click()
    page.find_element(By.CSS_SELECTOR, "button[data-key=share]").click()
    script = "return [...document.querySelectorAll('table[data-sources] tbody')].map(b => Number(b.dataset.share))"
    shares = page.execute_script(script)
    assert shares == sorted(shares)
    assert len(shares) == 3
    assert first_cells(page, "#group-table") == before


@pytest.mark.parametrize(
    ("wanted", "found"), [("五千", ["doc-1"]), ("DOC-2B", ["doc-2"]), ("<script>", ["doc-2"]), ("nowhere", [])]
)
def test_a_search_leaves_the_groups_that_have_it(page: webdriver.Chrome, wanted: str, found: list[str]) -> None:
    field = page.find_element(By.ID, "search")
    field.send_keys(wanted)
    assert first_cells(page, "#group-table") == found
    status = page.find_element(By.CSS_SELECTOR, "[role=status]")
    assert status.text == f"{len(found)} of 39 groups"
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(Keys.DELETE)
    assert (len(first_cells(page, "#group-table")), status.text) == (39, "39 groups")


def test_all_can_be_done_with_the_keyboard_and_is_seen(page: webdriver.Chrome) -> None:
    reached = []
    for _ in range(40):
        page.switch_to.active_element.send_keys(Keys.TAB)
        active = page.switch_to.active_element
        reached.append((active.tag_name, active.get_attribute("data-key")))
        outline = page.execute_script("return getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid" or active.tag_name == "body"
        if reached[-1] == ("button", "near") and reached.count(reached[-1]) == 1:
            active.send_keys(Keys.ENTER)
            assert active.find_element(By.XPATH, "./..").get_attribute("aria-sort") == "descending"
        if active.tag_name == "summary":
            details = active.find_element(By.XPATH, "./..")
            was = details.get_attribute("open")
            active.send_keys(Keys.SPACE)
            assert details.get_attribute("open") != was
    assert {"button", "input", "summary"} <= {tag for tag, _ in reached}
    assert ("button", "near") in reached


def test_chinese_characters_have_shapes_of_their_own(page: webdriver.Chrome) -> None:
    script = """
        const draw = (character) => {
          const canvas = document.createElement('canvas');
          const pen = canvas.getContext('2d');
          pen.font = '40px ' + getComputedStyle(document.body).fontFamily;
          pen.fillText(character, 10, 60);
          return canvas.toDataURL();
        };
        return [...arguments[0]].map(draw)
    """
    drawn = page.execute_script(script, "图书馆")
    assert len(set(drawn)) == 3
    assert page.find_element(By.CSS_SELECTOR, "p.text").get_attribute("lang") == "zh"
