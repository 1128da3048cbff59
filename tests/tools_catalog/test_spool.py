"""Results that are handed over as files."""

import os
from pathlib import Path

import pytest

from tools_catalog.spool import SPOOL_MAX_BYTES, SpoolProblem, SpoolTooLarge, prepare_spool, read_spooled


def spooled(folder: Path, text: str, name: str = "a.json") -> dict[str, object]:
    path = folder / name
    path.write_text(text)
    return {"path": str(path), "bytes": len(text)}


def test_a_result_is_read_once_and_deleted(tmp_path: Path) -> None:
    reference = spooled(tmp_path, '{"outcome":"data"}')
    assert read_spooled(reference, tmp_path) == ({"outcome": "data"}, 18)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(SpoolProblem, match="can't be read"):
        read_spooled(reference, tmp_path)


ENVELOPE = '{"outcome":"data","total":2,"data":[{"data":"ä"},1]}'


def test_the_data_of_a_result_can_be_left_unread(tmp_path: Path) -> None:
    begin = len('{"outcome":"data","total":2,"data":')
    reference = spooled(tmp_path, ENVELOPE) | {"data_at": begin}
    envelope, size = read_spooled(reference, tmp_path, unread=True)
    assert envelope == {"outcome": "data", "total": 2, "data": '[{"data":"ä"},1]'.encode()}
    assert size == len(ENVELOPE.encode())


@pytest.mark.parametrize("place", [None, 0, 1, 7, -3, 10_000, "35", True])
def test_data_that_is_not_where_it_should_be_is_read(tmp_path: Path, place: object) -> None:
    reference = spooled(tmp_path, ENVELOPE) | {"data_at": place}
    envelope, _ = read_spooled(reference, tmp_path, unread=True)
    assert envelope["data"] == [{"data": "ä"}, 1]


def test_a_broken_result_is_deleted_as_well(tmp_path: Path) -> None:
    with pytest.raises(SpoolProblem, match="can't be read"):
        read_spooled(spooled(tmp_path, '{"outcome":'), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_huge_result_is_refused_unread(tmp_path: Path) -> None:
    reference = spooled(tmp_path, "")
    os.truncate(str(reference["path"]), SPOOL_MAX_BYTES + 1)
    with pytest.raises(SpoolTooLarge, match="67,108,865 bytes"):
        read_spooled(reference, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["../secret", "inner/secret", "/etc/hostname", ""])
def test_only_files_of_the_folder_are_touched(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "spool"
    (folder / "inner").mkdir(parents=True)
    for secret in (tmp_path / "secret", folder / "inner" / "secret"):
        secret.write_text("{}")
    with pytest.raises(SpoolProblem, match="does not lie in the spool folder"):
        read_spooled({"path": f"{folder}/{name}" if not name.startswith("/") else name}, folder)
    assert (tmp_path / "secret").exists() and (folder / "inner" / "secret").exists()


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "spool"
    folder.mkdir()
    (tmp_path / "secret").write_text("{}")
    (folder / "link.json").symlink_to(tmp_path / "secret")
    with pytest.raises(SpoolProblem, match="does not lie in the spool folder"):
        read_spooled({"path": str(folder / "link.json")}, folder)


def test_old_leftovers_go_and_fresh_files_stay(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "spool"
    prepare_spool(folder)
    assert folder.stat().st_mode & 0o777 == 0o700
    for name in ("old.json", "fresh.json"):
        (folder / name).write_text("{}")
    os.utime(folder / "old.json", (0, 0))
    prepare_spool(folder)
    assert [path.name for path in folder.iterdir()] == ["fresh.json"]
