"""Peak memory and processor time of a process and its children, and peak size of a directory, sampled while it runs."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from types import TracebackType

INTERVAL_S = 0.5
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class Monitor:
    """A context that samples in a thread, this process unless told otherwise; read the peaks after it."""

    def __init__(self, directory: Path, process: int | None = None) -> None:
        self.peak_memory: dict[str, int] = {"java": 0, "python": 0, "all": 0}
        self.peak_disk = 0
        self.processor_s = 0.0
        self._directory = directory
        self._process = process or os.getpid()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Monitor:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stop.set()
        self._thread.join()

    def describe(self) -> str:
        """Return the peaks as a line."""
        memory = ", ".join(f"{name} {size / 2**30:.1f} GiB" for name, size in self.peak_memory.items())
        return f"peak memory: {memory}; peak disk: {self.peak_disk / 1e9:.1f} GB"

    def _run(self) -> None:
        while not self._stop.wait(INTERVAL_S):
            used = {"java": 0, "python": 0}
            processes = _tree(self._process)
            for name, size in filter(None, map(_memory, processes)):
                used["java" if name == "java" else "python"] += size
            used["all"] = sum(used.values())
            self.peak_memory = {name: max(size, self.peak_memory[name]) for name, size in used.items()}
            self.processor_s = max(self.processor_s, sum(map(_processor_s, processes)))
            self.peak_disk = max(self.peak_disk, _size(self._directory))


def _tree(top: int) -> list[int]:
    """A process and all below it."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError):
                continue
    wanted, found = {top}, list[int]()
    while wanted:
        found += sorted(wanted)
        wanted = {process for process, parent in parents.items() if parent in wanted}
    return found


def _memory(process: int) -> tuple[str, int] | None:
    """Name and memory of a process: its own pages, and its part of those shared with others."""
    try:
        place = Path("/proc") / str(process)
        rollup = (place / "smaps_rollup").read_text()
        kilobytes = next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
        return (place / "comm").read_text().strip(), kilobytes * 1024
    except (OSError, StopIteration):
        return None


def _processor_s(process: int) -> float:
    """Processor time of a process and of those of its children that have ended."""
    try:
        fields = (Path("/proc") / str(process) / "stat").read_text().rsplit(")", 1)[1].split()
        return sum(map(int, fields[11:15])) / TICKS_PER_S
    except (OSError, IndexError):
        return 0.0


def _size(directory: Path) -> int:
    total = 0
    for place, _, names in os.walk(directory):
        for name in names:
            try:
                total += os.stat(os.path.join(place, name)).st_blocks * 512
            except OSError:
                continue
    return total
