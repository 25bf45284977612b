"""Control files near a build: the nearest counts, no link is followed, and nothing outside of the workspace is read."""

from pathlib import Path

from sitemap_action.walk.folders import Repository


def write(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path)


def test_the_nearest_file_counts(tmp_path: Path) -> None:
    write(tmp_path, "vercel.json", "apps/web/vercel.json", "apps/web/dist/index.html", "netlify.toml")
    repository = Repository(tmp_path, "apps/web/dist")
    found = repository.find("vercel.json")
    assert found is not None
    assert (found.path, found.content, found.distance) == ("apps/web/vercel.json", b"apps/web/vercel.json", 1)
    root = repository.find("netlify.toml")
    assert root is not None
    assert (root.path, root.distance) == ("netlify.toml", 3)
    assert repository.find("firebase.json") is None


def test_a_folder_above_the_build(tmp_path: Path) -> None:
    write(tmp_path, "functions/a.js", "dist/functions/index.html")
    assert Repository(tmp_path, "dist").folder("functions") == "functions"
    assert Repository(tmp_path, "dist").folder("api") is None


def test_no_link_is_followed(tmp_path: Path) -> None:
    write(tmp_path, "outside/vercel.json", "workspace/dist/index.html")
    (tmp_path / "workspace/vercel.json").symlink_to(tmp_path / "outside/vercel.json")
    repository = Repository(tmp_path / "workspace", "dist")
    assert repository.find("vercel.json") is None
    assert repository.find("vercel.json") is None
    (sentence,) = repository.unreadable
    assert sentence.startswith("vercel.json is not read: ")


def test_a_folder_under_the_name_is_no_file(tmp_path: Path) -> None:
    write(tmp_path, "vercel.json/x", "dist/index.html")
    assert Repository(tmp_path, "dist").find("vercel.json") is None


def test_a_build_elsewhere_has_the_files_of_the_root(tmp_path: Path) -> None:
    write(tmp_path, "workspace/vercel.json", "vercel.json", "elsewhere/index.html")
    found = Repository(tmp_path / "workspace", "../elsewhere").find("vercel.json")
    assert found is not None
    assert found.content == b"workspace/vercel.json"


def test_workflows_in_order(tmp_path: Path) -> None:
    write(tmp_path, ".github/workflows/b.yaml", ".github/workflows/a.yml", ".github/workflows/c.txt")
    found = Repository(tmp_path, "dist").workflows()
    assert [file.path for file in found] == [".github/workflows/a.yml", ".github/workflows/b.yaml"]
    assert Repository(tmp_path / "none", "dist").workflows() == []
