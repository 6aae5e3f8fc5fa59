"""What tests with real packages share. SPDX-License-Identifier: MIT"""
import os
import subprocess

import pytest


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory):
    """Triton's cache, empty."""
    os.environ["TRITON_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))
    return os.environ["TRITON_CACHE_DIR"]


@pytest.fixture
def cli():
    """Runs the command-line tool and gives what it prints."""
    def run(*arguments):
        return subprocess.run([os.environ["WARPLINE_PROGRAM"], *map(str, arguments)], check=True, capture_output=True,
                              text=True).stdout
    return run
