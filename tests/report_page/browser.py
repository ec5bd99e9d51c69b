"""A real Chromium without a window, for pages: what it logs, what it asks the network for, and how wide it is."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import axe_core_python
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
AXE = Path(axe_core_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")


def is_installed() -> bool:
    """Say whether ``scripts/browser`` has done its work here."""
    return all(shutil.which(name) for name in ("chromium", "chromedriver"))


@contextmanager
def chromium(profile: Path) -> Iterator[webdriver.Chrome]:
    """A browser with a new profile, the installed driver, and logs of the console and of the network."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(shutil.which("chromedriver"))))
    try:
        yield driver
    finally:
        driver.quit()


def show_as(driver: webdriver.Chrome, *, width: int, scheme: str) -> None:
    """Make the window of that width and the colours ``light`` or ``dark``."""
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def requested(driver: webdriver.Chrome) -> list[str]:
    """Addresses that were asked for since the last call."""
    events = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]


def accessibility_faults(driver: webdriver.Chrome) -> list[str]:
    """What axe finds: rule and elements."""
    driver.execute_script(AXE)
    found: dict[str, Any] = driver.execute_async_script("axe.run(document).then(arguments[arguments.length - 1])")
    return [f"{fault['id']}: {[node['html'][:120] for node in fault['nodes'][:5]]}" for fault in found["violations"]]
