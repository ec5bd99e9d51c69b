"""What the tests of a cluster share: the packed environment, the cluster, a corpus."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from simhash_udf.sample import generate_documents, write_corpus
from tests.cluster.standalone import Cluster, standalone_cluster
from tests.cluster.submitting import ROOT


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The environment of this run, packed as `make dist` does it."""
    directory = tmp_path_factory.mktemp("dist")
    subprocess.run([ROOT / "scripts" / "dist", sys.executable, directory], check=True)
    return directory / "environment.tar.gz"


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A master and two machines."""
    with standalone_cluster(tmp_path_factory.mktemp("cluster"), machines=2) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's corpus, smaller."""
    place = tmp_path_factory.mktemp("corpus")
    write_corpus(generate_documents(400, seed=5), place)
    return place
