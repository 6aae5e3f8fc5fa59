"""What the tests of the Python module share. SPDX-License-Identifier: MIT"""
import os
import pathlib
import subprocess

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
WARPLINE = os.environ["WARPLINE_PROGRAM"]


@pytest.fixture
def cli():
    """Runs the command-line tool and gives what it prints."""
    def run(*arguments):
        return subprocess.run([WARPLINE, *map(str, arguments)], check=True, capture_output=True, text=True).stdout
    return run
