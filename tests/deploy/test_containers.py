"""The files for containers: what they promise, and their start commands run without containers, on real servers."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.compose import COMPOSE, DOCKER, KUBERNETES, OURS
from tests.support.scrapyd import ROOT, clean_environment
from tests.support.servers import HOST, MIGRATED, Postgres, free_port
from tests.support.serving import Answer, article, listing, served, site
from tools import lock

PROGRAM = Path(sys.executable).with_name("newsspider")
START_SECONDS, LOOK_SECONDS = 300.0, 0.2
PORT = re.compile(r"\b(?:9410|8800)\b")
PASSWORD = re.compile(r"://[^/\s]*:[^/\s]*@|\$\{\w*PASSWORD|--requirepass")
SECRET = re.compile(r"/run/secrets/(\w+)")


def objects() -> list[dict[str, Any]]:
    """All objects of the manifests."""
    files = sorted(KUBERNETES.glob("*.yaml"))
    return [manifest for file in files for manifest in yaml.safe_load_all(file.read_text("utf-8"))]


def pods() -> dict[str, dict[str, Any]]:
    """Deployments and the backup."""
    (backup,) = (manifest for manifest in objects() if manifest["kind"] == "CronJob")
    return {**deployments(), "backup": backup["spec"]["jobTemplate"]["spec"]["template"]["spec"]}


def deployments() -> dict[str, dict[str, Any]]:
    manifests = [manifest for manifest in objects() if manifest["kind"] == "Deployment"]
    return {manifest["metadata"]["name"]: manifest["spec"]["template"]["spec"] for manifest in manifests}


def test_no_container_of_ours_is_root_or_writes_to_its_image() -> None:
    dockerfile = (DOCKER / "Dockerfile").read_text("utf-8")
    assert re.findall(r"^USER (.*)$", dockerfile, re.M) == ["10001:10001"]
    assert OURS.keys() == {"crawler", "console", "alerts"}
    for service in (*OURS.values(), COMPOSE["services"]["backup"]):
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
    for spec in pods().values():
        (container,) = spec["containers"]
        rights = container["securityContext"]
        assert rights["readOnlyRootFilesystem"]
        assert not rights["allowPrivilegeEscalation"]
        assert spec["securityContext"]["runAsNonRoot"]


def test_compose_and_kubernetes_start_the_same_commands_and_name_existing_files() -> None:
    manifests = deployments()
    assert manifests.keys() == OURS.keys()
    for name, service in OURS.items():
        ours, theirs = service["command"], manifests[name]["containers"][0]["args"]
        assert ours == theirs or (ours[:-1] == theirs[:-1] and ours[-2] == "--name")
    listed = yaml.safe_load((KUBERNETES / "kustomization.yaml").read_text("utf-8"))["resources"]
    assert {*listed, "kustomization.yaml"} == {file.name for file in KUBERNETES.glob("*.yaml")}
    labels = {manifest["metadata"]["name"]: manifest["spec"] for manifest in objects() if manifest["kind"] == "Deployment"}
    for spec in labels.values():
        assert spec["selector"]["matchLabels"] == spec["template"]["metadata"]["labels"]
    (service,) = [manifest for manifest in objects() if manifest["kind"] == "Service"]
    assert service["spec"]["selector"] == labels["console"]["selector"]["matchLabels"]
    for variable in re.findall(r"\$\{(\w+)", (DOCKER / "compose.yaml").read_text("utf-8")):
        assert f"{variable}=" in (DOCKER / "env.example").read_text("utf-8")
    for line in (DOCKER / "Dockerfile.dockerignore").read_text("utf-8").splitlines():
        assert not line.startswith("!") or (ROOT / line[1:]).exists()


def test_passwords_stand_in_secret_files_only() -> None:
    compose, secrets = COMPOSE["services"], COMPOSE["secrets"]
    for name, service in compose.items():
        granted = service.get("secrets", [])
        words = [*service.get("environment", {}).items(), ("", str(service.get("command"))), ("", str(service.get("healthcheck")))]
        for variable, value in words:
            assert not PASSWORD.search(value), (name, variable)
            assert "PASSWORD" not in variable or variable.endswith("_FILE"), (name, variable)
            assert set(SECRET.findall(value)) <= set(granted), (name, variable)
        assert secrets.keys() >= set(granted)
    assert {secret["file"] for secret in secrets.values()} == {f"secrets/{name}" for name in secrets}
    ignored = (ROOT / ".gitignore").read_text("utf-8").splitlines()
    assert {"secrets/", ".env"} <= set(ignored)
    kustomization = yaml.safe_load((KUBERNETES / "kustomization.yaml").read_text("utf-8"))
    (urls,), (files,) = kustomization["configMapGenerator"], kustomization["secretGenerator"]
    for spec in pods().values():
        (container,) = spec["containers"]
        assert container["envFrom"] == [{"configMapRef": {"name": urls["name"]}}]
        volume = next(candidate["name"] for candidate in spec["volumes"] if candidate.get("secret") == {"secretName": files["name"]})
        mounted = next(mount["mountPath"] for mount in container["volumeMounts"] if mount["name"] == volume)
        lines = [line for line in urls["literals"] if not line.startswith("NEWSSPIDER_CONTACT=")]
        read = {line.partition("=")[0]: line.partition("password_file=")[2] for line in lines}
        assert read.keys() == {"NEWSSPIDER_DATABASE_URL", "NEWSSPIDER_REDIS_URL"}
        assert sorted(read.values()) == sorted(f"{mounted}/{Path(file).name}" for file in files["files"])
    assert not any(PASSWORD.search(line) for line in urls["literals"])
    for file in (ROOT / "deploy").rglob("*"):
        assert not file.is_file() or not PASSWORD.search(file.read_text("utf-8")), file


def test_every_container_has_limits_a_health_check_and_logs_that_end() -> None:
    for name, service in COMPOSE["services"].items():
        assert service["mem_limit"], name
        assert service["pids_limit"], name
        assert service["logging"]["options"].keys() == {"max-size", "max-file"}, name
        assert "healthcheck" in service or name in {"prometheus", "grafana"}, name
    for name, spec in pods().items():
        (container,) = spec["containers"]
        assert container["resources"]["limits"]["memory"], name
        assert name == "backup" or {"readinessProbe", "livenessProbe"} <= container.keys(), name
    assert "HEALTHCHECK" in (DOCKER / "Dockerfile").read_text("utf-8")


def test_disruptions_and_networks_are_bounded_for_pods_that_exist() -> None:
    parts = {manifest["metadata"]["labels"]["part"] for manifest in objects() if manifest["kind"] in ("Deployment", "CronJob")}
    budgets = [manifest["spec"] for manifest in objects() if manifest["kind"] == "PodDisruptionBudget"]
    assert {spec["selector"]["matchLabels"]["part"] for spec in budgets} == {"crawler", "console"}
    policies = [manifest["spec"] for manifest in objects() if manifest["kind"] == "NetworkPolicy"]
    assert {"podSelector": {}, "policyTypes": ["Ingress"]} in policies, "what is not named is refused"
    open_to = {spec["podSelector"]["matchLabels"]["part"] for spec in policies if spec.get("ingress")}
    assert open_to == {"crawler", "console"} <= parts


def test_a_backup_is_made_daily_and_old_ones_go() -> None:
    (job,) = pods()["backup"]["containers"]
    compose = "\n".join(COMPOSE["services"]["backup"]["command"])
    for script in (job["command"][-1], compose):
        assert "newsspider store backup" in script
        assert "-mtime +14 -delete" in script
    assert "postgresql-client-17" in (DOCKER / "Dockerfile").read_text("utf-8")
    assert COMPOSE["services"]["db"]["image"] == "postgres:17"
    folder = COMPOSE["services"]["backup"]["volumes"][0].partition(":")[2]
    assert folder in {mount["mountPath"] for mount in job["volumeMounts"]}
    assert f" {folder}\n" in (DOCKER / "Dockerfile").read_text("utf-8"), "a folder of that user"


@pytest.mark.parametrize(("database", "pause", "left"), [("news.db", "86400", 1), ("garbage.db", "600", 2)])
def test_old_backups_go_only_after_a_new_one(tmp_path: Path, database: str, pause: str, left: int) -> None:
    (tmp_path / "garbage.db").write_text("no database" * 100)
    backups = tmp_path / "backups"
    backups.mkdir()
    for name in ("old.backup", "old.backup.partial"):  # the second one is of a process that was killed
        (backups / name).touch()
        os.utime(backups / name, (0, 0))
    ending = tmp_path / "sleep"
    ending.write_text('#!/bin/sh\necho "$1" > pause\nkill $PPID\n')
    ending.chmod(0o755)
    script = COMPOSE["services"]["backup"]["command"][-1].replace("$$", "$")
    path = f"{tmp_path}:{PROGRAM.parent}:{os.environ['PATH']}"
    environment = {**clean_environment(tmp_path), "PATH": path, "NEWSSPIDER_DATABASE_URL": f"sqlite:///{tmp_path / database}"}
    subprocess.run(["sh", "-c", script], cwd=tmp_path, env=environment, check=False, timeout=START_SECONDS)
    assert (tmp_path / "pause").read_text("utf-8").strip() == pause
    assert len(list(backups.iterdir())) == left


def test_the_image_installs_what_is_pinned_and_all_that_is_needed_is_pinned() -> None:
    lines = lock.LOCK.read_text("utf-8").splitlines()[1:]
    pinned = dict(line.split("==") for line in lines)
    needed = lock.needed()
    assert not needed.keys() - pinned.keys(), "run `make lock`"
    wrong = [str(asked) for name, all_asked in needed.items() for asked in all_asked if not asked.specifier.contains(pinned[name])]
    assert not wrong, "run `make lock`"
    dockerfile = (DOCKER / "Dockerfile").read_text("utf-8")
    assert dockerfile.index("--requirement constraints.txt") < dockerfile.index("COPY . .")


def of_this_machine(text: str, secrets: Path) -> str:
    """What stands in compose.yaml, with secrets in another folder; ``$$`` is a dollar there."""
    return text.replace("/run/secrets", str(secrets)).replace("$$", "$")


@pytest.fixture
def secrets(tmp_path: Path) -> Path:
    """The folder of the secrets of a container."""
    folder = tmp_path / "secrets"
    folder.mkdir()
    for name in COMPOSE["secrets"]:
        (folder / name).write_text(f"0123456789-{name}\n", "utf-8")
    return folder


@pytest.fixture
def redis_port(secrets: Path, tmp_path: Path) -> Iterator[int]:
    """The port of the Redis of compose.yaml, once its health check ends well."""
    service, port, log = COMPOSE["services"]["redis"], free_port(), tmp_path / "redis.log"
    *shell, script = [of_this_machine(word, secrets) for word in service["command"]]
    script = script.replace("docker-entrypoint.sh redis-server -", f"redis-server - --bind {HOST} --port {port} --dir {tmp_path}")
    how, check = service["healthcheck"]["test"]
    assert how == "CMD-SHELL"
    check = of_this_machine(check, secrets).replace("redis-cli", f"redis-cli -h {HOST} -p {port}")
    with log.open("wb") as written:
        process = subprocess.Popen([*shell, script], stdout=written, stderr=written)
    try:
        ends = time.monotonic() + START_SECONDS
        while subprocess.run(["sh", "-c", check], capture_output=True, check=False).returncode:
            assert process.poll() is None, log.read_text("utf-8")
            assert time.monotonic() < ends, log.read_text("utf-8")
            time.sleep(LOOK_SECONDS)
        refused = subprocess.run(["redis-cli", "-h", HOST, "-p", str(port), "ping"], capture_output=True, check=False)
        assert b"NOAUTH" in refused.stdout + refused.stderr
        assert "0123456789" not in Path(f"/proc/{process.pid}/cmdline").read_text("utf-8")
        yield port
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def environment(migrated: Postgres, redis_port: int, secrets: Path, tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of a container, whose URLs lead to these servers."""
    url = migrated.create("containers", MIGRATED)
    urls = {name: of_this_machine(value, secrets) for name, value in OURS["alerts"]["environment"].items()}
    assert urls.pop("NEWSSPIDER_CONTACT") == "${NEWSSPIDER_CONTACT:-}"
    local_urls = {
        "NEWSSPIDER_DATABASE_URL": urls["NEWSSPIDER_DATABASE_URL"].replace("postgresql://newsspider@db/newsspider", url),
        "NEWSSPIDER_REDIS_URL": urls["NEWSSPIDER_REDIS_URL"].replace("redis:6379", f"{HOST}:{redis_port}"),
    }
    assert urls.keys() == local_urls.keys()
    assert not urls.items() & local_urls.items()
    yield clean_environment(
        tmp_path, **local_urls, NEWSSPIDER_DATA_DIR=str(tmp_path), NEWSSPIDER_ALLOWED_ADDRESSES="127.0.0.0/8",
    )  # fmt: skip
    migrated.drop("containers")


def healthy(test: list[str], port: int, environment: Mapping[str, str]) -> bool:
    """Whether the check of a container, which asks this port, ends well."""
    command = [PORT.sub(str(port), word) for word in test[1:]]
    program = {"python": Path(sys.executable), "newsspider": PROGRAM}[command.pop(0)]
    return subprocess.run([program, *command], env=environment, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("name", OURS)
def test_a_start_command_works_and_a_stop_ends_it_well(name: str, environment: dict[str, str], tmp_path: Path) -> None:
    def play(path: str, times: int) -> Answer:
        if path == "/robots.txt":
            return 404, "", {}
        return listing(1, 2) if path == "/list/" else article(int(path[-9:-5]))

    if name == "console":  # off its own machine it wants an account
        added = subprocess.run([PROGRAM, "accounts", "add", "wang"], env=environment, input=b"a long secret 1\na long secret 1\n",
                              capture_output=True, check=False)  # fmt: skip
        assert added.returncode == 0, added.stderr
    port, log = free_port(), tmp_path / "log"
    with served("127.0.0.1", play) as (base, _), log.open("wb") as written:
        command = [PORT.sub(str(port), word).replace("${CONSOLE_NAME:-localhost}", "localhost") for word in OURS[name]["command"]]
        more = ["-a", f"sites={site(tmp_path, base, {'/list/': 9})}"] if name == "crawler" else []
        process = subprocess.Popen([PROGRAM, *command, *more], cwd=tmp_path, env=environment, stdout=written, stderr=written)
        try:
            check = OURS[name].get("healthcheck")
            ends = time.monotonic() + START_SECONDS
            while check and not healthy(check["test"], port, environment):
                assert process.poll() is None, log.read_text("utf-8")
                assert time.monotonic() < ends, log.read_text("utf-8")
                time.sleep(LOOK_SECONDS)
            process.send_signal(signal.SIGTERM)
            assert process.wait(START_SECONDS) in (0, -signal.SIGTERM, 128 + signal.SIGTERM), log.read_text("utf-8")
        finally:
            process.kill()
    assert "Traceback" not in log.read_text("utf-8")
