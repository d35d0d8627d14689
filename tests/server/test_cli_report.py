"""`sternhalma report`: what it writes where, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.browsed import league_pages_of, pages_of
from server.kept import CUP, games_of, keep
from server.kept_league import cup_games, keep_league, ladder_games
from sternhalma_server import cli

Captured = pytest.CaptureFixture[str]


def test_report_writes_the_pages_beside_the_results(tmp_path: Path, capsys: Captured) -> None:
    keep(tmp_path / "cup", CUP, games_of(CUP))
    assert cli.main(["report", str(tmp_path / "cup")]) == 0
    out = tmp_path / "cup" / "pages"
    assert capsys.readouterr()[0] == f"11 pages, the first is {out / 'index.html'}\n"
    written = {str(path.relative_to(out)): path for path in out.rglob("*") if path.is_file()}
    right = pages_of(tmp_path / "cup")
    assert {name: path.read_text(encoding="utf-8") for name, path in written.items()} == right


def test_report_writes_over_its_own_pages_only(tmp_path: Path, capsys: Captured) -> None:
    keep(tmp_path / "cup", CUP, games_of(CUP))
    out = tmp_path / "out"
    words = ["report", str(tmp_path / "cup"), "--out", str(out)]
    assert cli.main(words) == 0
    assert cli.main(words) == 0
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("", encoding="utf-8")
    capsys.readouterr()
    assert cli.main([*words[:-1], str(tmp_path / "mine")]) == 2
    assert "expected a new folder for the pages" in capsys.readouterr()[1]


def test_report_writes_the_pages_of_a_league_and_of_one_of_its_events(tmp_path: Path) -> None:
    root = tmp_path / "club"
    keep_league(root, ladder_games(), cup_games())
    assert cli.main(["report", str(root), "--out", str(tmp_path / "all")]) == 0
    written = {str(p.relative_to(tmp_path / "all")) for p in (tmp_path / "all").rglob("*.*")}
    assert written == set(league_pages_of(root))
    assert (
        cli.main(["report", str(root / "events" / "ladder"), "--out", str(tmp_path / "one")]) == 0
    )
    assert (tmp_path / "one" / "games" / "000001.html").exists()


def test_report_says_how_to_install_what_it_lacks(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    assert cli.main(["report", str(tmp_path)]) == 2
    assert capsys.readouterr()[1] == (
        "sternhalma report: expected Jinja2, which the extra 'web' brings:"
        " pip install 'jinja2>=3.1'\n"
    )


def test_report_refuses_a_folder_without_results(tmp_path: Path, capsys: Captured) -> None:
    assert cli.main(["report", str(tmp_path)]) == 2
    assert "expected a results folder" in capsys.readouterr()[1]
    assert list(tmp_path.iterdir()) == []
