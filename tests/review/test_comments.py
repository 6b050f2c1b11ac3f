"""Reviewers' comments: kept whole or not at all."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from orchestrator.core.errors import StoreWriteError
from orchestrator.panel.comments import Comments


def test_a_comment_that_the_disk_takes_half_of_leaves_the_others_readable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    comments = Comments(tmp_path)
    first = comments.add("s1", "Ines", "Good.")
    write = os.write
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", lambda fd, content: write(fd, content[: len(content) // 2]))
        with pytest.raises(StoreWriteError, match="comments of s1: the disk took"):
            comments.add("s1", "Ines", "And this?")
    second = comments.add("s1", "Ines", "Better.", "x1")
    assert comments.of("s1") == [first, second]


def test_comments_of_many_at_once_are_all_kept(tmp_path: Path) -> None:
    comments = Comments(tmp_path)
    texts = [f"Remark {number}." for number in range(40)]
    writing = [threading.Thread(target=comments.add, args=("s1", "Ines", text)) for text in texts]
    for one in writing:
        one.start()
    for one in writing:
        one.join()
    assert sorted(one.text for one in comments.of("s1")) == sorted(texts)
