"""A topic is changed and trained again in the console: compared on labels that are held out, accepted or discarded."""

import fcntl
import json
import subprocess
import sys
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from newsspider.features.workbench import comparison
from newsspider.features.workbench.comparison import Comparison, Draft
from newsspider.features.workbench.drafts import LONGEST_PROFILE
from newsspider.store import audit_trail
from newsspider.store.articles import labels
from newsspider.store.engine.database import reading
from newsspider.topics.loader import load_topic
from tests.features.console.consoles import console_of, send
from tests.features.console.people import log_in, peopled
from tests.features.workbench.topic_drafts import PROFILE, label_some
from tests.support.events import until

__all__ = ["peopled"]

CHANGED = PROFILE.replace('"丰收" = 0.4', '"丰收" = 0.4\n"插秧机" = 0.8') + '[subtopics]\n"水稻" = "水稻"\n'
PAGE = "/topics/farming/draft"
API = f"/api/v1{PAGE}"
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    path = tmp_path / "farming.toml"
    path.write_text(PROFILE, "utf-8")
    return path


@pytest.fixture
def farmers(filled: Engine, profile: Path) -> TestClient:
    """A console whose crawl watches a topic of one's own."""
    return console_of(filled, TOPIC=str(profile))


def actions(store: Engine) -> list[str]:
    with reading(store) as conn:
        return [row.action for row in audit_trail.trail(conn, 9)]


def finished(client: TestClient) -> dict[str, object]:
    until(lambda: client.get(API).json()["state"] != "running")
    return dict(client.get(API).json())


@pytest.mark.slow
@pytest.mark.usefixtures("new_child_processes")
def test_a_topic_is_trained_again_compared_and_accepted(farmers, filled, profile) -> None:
    label_some(filled, 60)
    assert "相关 60 条标注，无关 60 条标注" in farmers.get(PAGE).text
    assert send(farmers, PAGE, text=CHANGED, retrain="1").status_code == 303
    compared = finished(farmers)
    assert compared["state"] == "ready", compared
    assert compared["retrained"]
    assert compared["learned_from"] + compared["on_topic"] + compared["off_topic"] == 120
    assert compared["after"]["figures"]["f1"] > 0.9
    assert compared["after"]["points"]
    assert '+"插秧机" = 0.8' in compared["diff"]
    page = farmers.get(PAGE).text
    assert page.count('<svg class="curve"') == 2
    assert "改后的" in page
    assert profile.read_text("utf-8") == PROFILE, "nothing holds before it is accepted"
    assert send(farmers, f"{PAGE}/accept").status_code == 303
    assert profile.read_text("utf-8") == CHANGED
    topic = load_topic(str(profile))
    assert topic.learned is not None
    assert list(topic.subtopics) == ["水稻"]
    names = {path.name for path in profile.parent.iterdir() if path.name.startswith("farming")}
    assert names == {"farming.bin", "farming.toml", "farming.draft.lock"}
    assert "训练过" in farmers.get("/topics/farming").text
    assert actions(filled) == ["topic.accept", "topic.train"]
    with reading(filled) as conn:
        assert json.loads(audit_trail.trail(conn, 1)[0].after)["retrained"] is True


@pytest.mark.slow
def test_a_draft_is_discarded_and_a_wrong_one_says_why(farmers, filled, profile) -> None:
    assert farmers.post(API, json={"profile": PROFILE.replace("0.7", "7")}).status_code == 202
    wrong = finished(farmers)
    assert wrong["state"] == "failed"
    assert "farming.toml: terms.crops" in wrong["problem"]
    assert "没有比成" in farmers.get(PAGE).text
    assert farmers.post(f"{API}/accept", json={}).status_code == 409
    farmers.post(API, json={"profile": PROFILE.replace('"farming"', '"other"')})
    assert "keeps its name" in finished(farmers)["problem"]
    farmers.post(API, json={"retrain": True})
    assert "at least 20" in finished(farmers)["problem"], "there are no labels"
    farmers.post(API, json={"profile": CHANGED})
    assert finished(farmers)["state"] == "ready"
    assert "留出的标注太少" in farmers.get(PAGE).text
    assert farmers.delete(API).status_code == 204
    assert farmers.get(API).json() == {"state": "none"}
    assert farmers.delete(API).status_code == 404
    assert profile.read_text("utf-8") == PROFILE
    assert not Draft(profile).profile.exists()
    assert actions(filled) == ["topic.discard", "topic.edit", "topic.train", "topic.edit", "topic.edit"]


def test_a_shipped_topic_is_changed_by_nobody(farmers) -> None:
    for path, way in (("/topics/education/draft", "请复制一份来改"), ("/api/v1/topics/education/draft", "copy it, and change the copy")):
        refused = farmers.get(path)
        assert (refused.status_code, way in refused.text) == (409, True)
    assert farmers.post("/api/v1/topics/education/draft", json={}).status_code == 409
    assert "复制一份来改" in farmers.get("/topics/education").text
    assert PAGE in farmers.get("/topics/farming").text
    assert farmers.get("/topics/nope/draft").status_code == 404


def a_draft(profile: Path, text: str, weights: bytes | None = None) -> Draft:
    """A draft that was compared with what holds."""
    draft = Draft(profile)
    draft.profile.write_text(text, "utf-8")
    if weights is not None:
        draft.weights.write_bytes(weights)
    draft.keep(Comparison(began_from=draft.began_from()))
    return draft


def test_a_draft_does_not_undo_what_changed_meanwhile(farmers, profile) -> None:
    a_draft(profile, CHANGED)
    meanwhile = PROFILE.replace("0.7", "0.8")
    profile.write_text(meanwhile, "utf-8")
    refused = farmers.post(f"{API}/accept", json={})
    assert refused.status_code == 409
    assert "farming.toml or its weights have changed since the draft began" in refused.json()["detail"]
    assert profile.read_text("utf-8") == meanwhile
    page = farmers.get(PAGE).text
    assert "请重新比较" in page
    assert "/draft/accept" not in page
    profile.write_text(PROFILE, "utf-8")
    assert send(farmers, f"{PAGE}/accept").status_code == 303
    assert profile.read_text("utf-8") == CHANGED


def test_the_draft_that_was_looked_at_is_accepted_and_no_later_one(farmers, profile) -> None:
    a_draft(profile, CHANGED)
    page, version = farmers.get(PAGE).text, farmers.get(API).json()["version"]
    assert page.count(f'name="version" value="{version}"') == 2
    later = a_draft(profile, PROFILE.replace("0.7", "0.9"))
    later.keep(Comparison(began_from=later.began_from(), diff=['-"水稻" = 0.7', '+"水稻" = 0.9']))
    for action in ("accept", "discard"):
        refused = send(farmers, f"{PAGE}/{action}", version=version)
        assert (refused.status_code, "请先看新的" in refused.text) == (409, True)
    assert farmers.post(f"{API}/accept", json={"version": version}).status_code == 409
    assert profile.read_text("utf-8") == PROFILE
    assert farmers.post(f"{API}/accept", json={"version": farmers.get(API).json()["version"]}).status_code == 204
    assert "0.9" in profile.read_text("utf-8")


def test_a_draft_does_not_undo_weights_that_were_trained_meanwhile(farmers, profile) -> None:
    a_draft(profile, CHANGED)
    profile.with_suffix(".bin").write_bytes(SHIPPED_WEIGHTS)
    assert farmers.post(f"{API}/accept", json={}).status_code == 409
    assert profile.read_text("utf-8") == PROFILE


def test_a_form_of_an_older_profile_is_shown_again_with_what_was_typed(farmers, profile) -> None:
    base = Draft(profile).began_from()[0]
    assert f'name="base" value="{base}"' in farmers.get(PAGE).text
    profile.write_text(PROFILE.replace("0.7", "0.8"), "utf-8")
    answer = send(farmers, PAGE, text=CHANGED, base=base)
    assert answer.status_code == 409
    assert "插秧机" in answer.text
    assert Draft(profile).began_from()[0] in answer.text
    assert farmers.get(API).json() == {"state": "none"}
    unchanged = send(farmers, PAGE, text="", base=base, retrain="1")
    assert unchanged.status_code == 409
    assert "主题文件在打开这一页之后改过了" in unchanged.text
    assert 'name="retrain" value="1" checked' in unchanged.text
    assert " checked" not in answer.text


def test_a_look_at_the_turn_does_not_take_it(profile, monkeypatch) -> None:
    draft = Draft(profile)
    draft.profile.with_suffix(".lock").touch()
    with draft.profile.with_suffix(".lock").open("rb") as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        monkeypatch.setattr(comparison, "sleep", lambda _: looking.close())
        turn = draft.acquire_turn()
    assert turn is not None
    with turn:
        monkeypatch.setattr(comparison, "sleep", lambda _: None)
        assert draft.acquire_turn() is None
        assert draft.is_running()


def test_without_posix_a_draft_is_refused_in_one_sentence(farmers, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    assert farmers.get(PAGE).status_code == 200
    refused = farmers.post(API, json={"profile": CHANGED})
    assert refused.status_code == 409
    assert refused.json()["detail"].endswith("drafts of topics need POSIX")


TARGETED = PROFILE.replace("[thresholds]", "[threshold]\nprecision = 0.9\n[thresholds]")
SHIPPED_WEIGHTS = (Path(comparison.__file__).parents[2] / "topics" / "education.bin").read_bytes()


@pytest.mark.parametrize("text", [CHANGED, TARGETED])
def test_a_topic_works_wherever_accepting_ends_and_then_it_is_accepted_to_the_end(farmers, profile, monkeypatch, text) -> None:
    a_draft(profile, text, SHIPPED_WEIGHTS)
    write, written = comparison.write_whole, []

    def failing(path: Path, content: bytes) -> None:
        if written:
            raise OSError(28, "No space left on device")
        written.append(path)
        write(path, content)

    with monkeypatch.context() as full:
        full.setattr(comparison, "write_whole", failing)
        refused = farmers.post(f"{API}/accept", json={})
    assert (refused.status_code, len(written)) == (409, 1)
    assert "No space left" in refused.json()["detail"]
    load_topic(str(profile))
    assert farmers.post(f"{API}/accept", json={}).status_code == 204
    assert profile.read_text("utf-8") == text
    assert load_topic(str(profile)).learned is not None


HOLDING = """
import sys
from pathlib import Path
from newsspider.features.workbench.comparison import Draft
turn = Draft(Path(sys.argv[1])).acquire_turn()
print("taken", flush=True)
sys.stdin.read()
"""


@pytest.mark.slow
def test_another_process_of_the_console_waits_for_a_comparison(farmers, profile) -> None:
    draft = a_draft(profile, CHANGED)
    command = [sys.executable, "-c", HOLDING, str(profile)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "taken\n"
        assert farmers.get(API).json() == {"state": "running"}
        refused = farmers.post(API, json={"profile": CHANGED})
        assert (refused.status_code, refused.headers["Retry-After"]) == (429, "60")
        assert farmers.post(f"{API}/accept", json={}).status_code == 409
        assert farmers.delete(API).status_code == 409
        other.kill()
    assert farmers.get(API).json()["state"] == "ready", "the turn ends with its process"
    assert draft.profile.read_text("utf-8") == CHANGED


def test_a_profile_that_is_too_long_is_refused_and_not_cut(farmers, profile) -> None:
    refused = send(farmers, PAGE, text=f"{PROFILE}#{LONGEST_PROFILE * 'x'}")
    assert refused.status_code == 413
    assert f"最多 {LONGEST_PROFILE} 个" in refused.text
    assert send(farmers, PAGE, text=PROFILE + "#农" * 30_000).status_code == 413
    assert farmers.get(API).json() == {"state": "none"}


@pytest.mark.parametrize("name", ["farming.draft.lock", "farming.draft.json"])
def test_a_folder_that_cannot_be_written_is_one_sentence(farmers, profile, name) -> None:
    (profile.parent / name / "inside").mkdir(parents=True)
    refused = farmers.post(API, json={"profile": CHANGED})
    assert refused.status_code == 409
    assert "cannot write beside farming.toml: Is a directory" in refused.json()["detail"]
    assert farmers.get(API).json() == {"state": "none"}, "the turn was given back"


def test_a_comparison_that_was_killed_says_so(farmers, profile) -> None:
    Draft(profile).begin()
    assert "比较中途结束了" in farmers.get(PAGE).text
    assert farmers.get(API).json()["state"] == "failed"


def test_labels_are_counted_and_not_read(farmers, filled, monkeypatch) -> None:
    label_some(filled, 3)
    monkeypatch.setattr(labels, "labelled_articles", lambda *_: pytest.fail("all texts are read"))
    assert "相关 3 条标注，无关 3 条标注" in farmers.get(PAGE).text


def test_readers_are_refused_before_anything_else(peopled, profile) -> None:
    client = console_of(peopled, TOPIC=str(profile))
    log_in(client, "王芳")
    for name in ("farming", "education", "nope"):
        assert client.get(f"/topics/{name}/draft").status_code == 403
        for path in ("", "/accept", "/discard"):
            assert client.post(f"/topics/{name}/draft{path}", data={"text": "x" * 300_000}).status_code == 403
        for path in ("", "/accept"):
            assert client.post(f"/api/v1/topics/{name}/draft{path}", json={"profile": 5}).status_code == 403
        assert client.delete(f"/api/v1/topics/{name}/draft").status_code == 403


@pytest.fixture
def shipped(filled: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """A console whose crawl watches a topic that is shipped."""
    monkeypatch.setenv("NEWSSPIDER_DATA_DIR", str(tmp_path / "data"))
    return console_of(filled)


def test_a_shipped_topic_is_copied_to_be_changed(shipped, filled, tmp_path) -> None:
    assert "复制一份来改" in shipped.get("/topics/flood").text
    made = send(shipped, "/topics/flood/copy", name="river", title="江河")
    assert (made.status_code, made.headers["location"]) == (303, "/topics/river/draft")
    file = tmp_path / "data" / "topics" / "river.toml"
    assert load_topic(str(file)).title == "江河"
    page = shipped.get("/topics/river/draft?term=洪水").text
    assert f"TOPIC={file}" in page
    assert 'value="洪水"' in page
    assert "江河" in shipped.get("/topics").text
    assert 'href="/topics/river/draft?term=' in shipped.get("/topics/river").text
    assert actions(filled) == ["topic.copy"]


@pytest.mark.parametrize(
    ("head", "title", "copied"),
    [
        ('name = "farming"\ntitle = "农业"\n', "江\x7f河\b\\1", "江\x7f河\b\\1"),
        ('name = "farming"\ntitle = "农业"\n', '"引" #', '"引" #'),
        ('name = "farming"\ntitle = "农业"\n', "高\0考", "高考"),
        ('name = "farming"\ntitle = "农业"\n', "", "river"),
        ('name = "farming"\n', "江河", "江河"),
    ],
)  # fmt: skip
def test_a_copy_has_the_title_that_was_typed(filled, profile, tmp_path, monkeypatch, head, title, copied) -> None:
    monkeypatch.setenv("NEWSSPIDER_DATA_DIR", str(tmp_path / "data"))
    profile.write_text(f'{head}[terms.crops]\ntitle = 0.5\nname = 0.7\n', "utf-8")
    client = console_of(filled, TOPIC=str(profile))
    body = json.dumps({"name": "river", "title": title})
    made = client.post("/api/v1/topics/farming/copy", content=body, headers=JSON)
    assert made.status_code == 201, made.text
    copy = load_topic(str(tmp_path / "data" / "topics" / "river.toml"))
    assert (copy.name, copy.title, [term.name for term in copy.terms]) == ("river", copied, ["title", "name"])
    assert client.get("/topics").status_code == 200


def test_what_would_be_no_topic_is_not_copied(filled, profile, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("NEWSSPIDER_DATA_DIR", str(tmp_path / "data"))
    profile.write_text(PROFILE.replace("title =", '"title" ='), "utf-8")
    client = console_of(filled, TOPIC=str(profile))
    refused = client.post("/api/v1/topics/farming/copy", json={"name": "river", "title": "江河"})
    assert (refused.status_code, refused.json()["detail"].partition(":")[0]) == (400, "river.toml")
    for title in ("长" * 61, "\ud800"):
        body = json.dumps({"name": "river", "title": title})
        assert client.post("/api/v1/topics/farming/copy", content=body, headers=JSON).status_code == 422
    assert not (tmp_path / "data" / "topics").exists()


def test_a_copy_whose_weights_need_more_than_labels_offers_no_training(shipped, tmp_path) -> None:
    send(shipped, "/topics/education/copy", name="my-education", title="")
    page = shipped.get("/topics/my-education/draft").text
    assert 'name="retrain"' not in page
    assert "只用标注会变差" in page
    send(shipped, "/topics/flood/copy", name="river", title="")
    assert 'name="retrain"' in shipped.get("/topics/river/draft").text


def test_a_copy_takes_the_weights_along(shipped, tmp_path) -> None:
    assert send(shipped, "/topics/education/copy", name="my-education", title="").status_code == 303
    copy = load_topic(str(tmp_path / "data" / "topics" / "my-education.toml"))
    assert (copy.name, copy.title, copy.learned is None) == ("my-education", "my-education", False)
    text = {"title": "教育部公布高考改革方案", "text": ""}
    scores = [shipped.post(f"/api/v1/topics/{name}/score", json=text).json()["score"] for name in ("education", "my-education")]
    assert scores[0] == scores[1]


@pytest.mark.parametrize("name", ["", "education", "any", "../x", "a.draft", "Ä", "a/b", "x" * 41])
def test_a_copy_needs_a_name_of_its_own(shipped, tmp_path, name) -> None:
    answer = send(shipped, "/topics/flood/copy", name=name)
    assert (answer.status_code, "副本要有自己的标识" in answer.text) == (400, True)
    assert not (tmp_path / "data").exists()


def test_what_is_no_copy_is_no_topic(shipped, tmp_path) -> None:
    folder = tmp_path / "data" / "topics"
    folder.mkdir(parents=True)
    for name in ("x.draft.toml", "Y.toml"):
        (folder / name).write_text("no = [", "utf-8")
    assert shipped.get("/topics").status_code == 200
