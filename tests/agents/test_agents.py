"""Every agent that is installed, asked by its name: a question, a change of one file and of two, and what goes wrong.

``python -m tests.agents`` installs them all and runs this; those that are not installed are left out.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from gitclaw_py.core.presets import PRESETS, Preset
from tests.agents.model_server import Fault, ModelServer, Turn
from tests.agents.scripts import ANSWER, ARGUMENTS, FILES, ONE, TWO, WORK, answering
from tests.sandbox import Ended, Sandbox

pytestmark = pytest.mark.agents
KEY = "sk-ant-scripted-key"


class Desk:
    """A repository, and an agent in it whose model is the script."""

    def __init__(self, preset: Preset, repo: Sandbox, home: Path) -> None:
        self.preset = preset
        self.repo = repo
        home.mkdir()
        for name, text in FILES.items():
            repo.write(name, text)
        agent = {"preset": preset.name, "arguments": ARGUMENTS[preset.name]}
        repo.write("suggestions.json", json.dumps({"agent": agent}))
        repo.commit("base")
        repo.environment |= {"HOME": str(home), "PYTHONWARNINGS": ""}

    def ask(
        self,
        request: str,
        script: Sequence[Turn],
        *,
        fault: Fault | None = None,
        code: int = 0,
        timeout: int = 90,
        isolated: bool = False,
    ) -> Ended:
        with ModelServer(script, fault) as server:
            if isolated:
                self.lead_to(server)
            apart = ["--isolate"] if isolated else []
            self.repo.environment |= self.address(server)
            given = ["--json", "--agent", self.preset.name, "--timeout", str(timeout), *apart, request]
            ended = self.repo.gitclaw("suggest", *given, code=None)
        assert ended.code == code, (ended, (self.repo.path / ".gitclaw/state").exists() and self.log())
        assert server.asked, "the model was asked"
        assert request in server.prompts[-1] or any(request in prompt for prompt in server.prompts)
        assert KEY in server.keys, "with the key"
        return ended

    def lead_to(self, server: ModelServer) -> None:
        """The key proxy goes to the script, and the agent may read where it is installed."""
        program = Path(os.path.realpath(shutil.which(self.preset.program) or "")).parents
        folder = next(
            (str(one) for one in program if one.name == "node_modules" or (one / "pyvenv.cfg").exists()), "/usr"
        )
        model = self.preset.model
        assert model is not None
        agent = {
            "preset": self.preset.name,
            "arguments": ARGUMENTS[self.preset.name],
            "model": {"kind": model.kind, "key": model.key, "upstream": server.url},
            "readable": [folder, sys.base_prefix],
        }
        self.repo.write("suggestions.json", json.dumps({"agent": agent}))

    def address(self, server: ModelServer) -> dict[str, str]:
        model = self.preset.model
        if model is None:
            # Copilot with a model of one's own needs no GitHub; see copilot help providers.
            names = {"BASE_URL": f"{server.url}/v1", "API_KEY": KEY}
            return {f"COPILOT_PROVIDER_{name}": value for name, value in names.items()} | {"COPILOT_OFFLINE": "true"}
        return {model.address: server.url + model.suffix, model.key: KEY}

    def log(self) -> str:
        return "".join(path.read_text(errors="replace") for path in self.repo.path.glob(".gitclaw/state/*/*.log"))


@pytest.fixture(params=PRESETS)
def desk(request: pytest.FixtureRequest, repo: Sandbox, tmp_path: Path) -> Desk:
    preset = PRESETS[request.param]
    if shutil.which(preset.program) is None:
        pytest.skip(f"{preset.program} is not installed: {' '.join(preset.install)}")
    return Desk(preset, repo, tmp_path / "home")


def test_a_question_is_answered(desk: Desk) -> None:
    said = desk.ask("What does add do?", answering(desk.preset.name)).json
    assert said["outcome"] == "nothing proposed"
    assert said["answer"] == ANSWER
    assert said["usage"]["input_tokens"] >= 10
    assert said["usage"]["output_tokens"] >= 10


def test_a_change_of_one_file_is_one_suggestion_with_its_reason(desk: Desk) -> None:
    said = desk.ask("Let add add", WORK[desk.preset.name](ONE)).json
    assert [s["path"] for s in said["suggestions"]] == ["calc.py"]
    assert said["suggestions"][0]["hunks"][0].get("reason") == ("add adds" if desk.preset.explains else None)
    assert said["answer"] == "Mended it."
    desk.repo.gitclaw("apply", "all")
    assert desk.repo.read("calc.py") == b"def add(a, b):\n    return a + b\n"


def test_a_change_of_two_files_is_two_suggestions_and_nothing_else(desk: Desk) -> None:
    said = desk.ask("Mend both", WORK[desk.preset.name](TWO)).json
    assert [s["path"] for s in said["suggestions"]] == ["calc.py", "names.py"]
    assert said["warnings"] == []


def test_kept_apart_it_reaches_its_model_through_the_key_proxy_alone(desk: Desk) -> None:
    if desk.preset.model is None:
        pytest.skip("its model has no key that a proxy could hold")
    said = desk.ask("Let add add", WORK[desk.preset.name](ONE), isolated=True).json
    assert [s["path"] for s in said["suggestions"]] == ["calc.py"]
    assert said["proposals"][0]["isolation"] != "none"
    assert KEY not in desk.log()


def test_a_model_that_refuses_the_key_is_told_as_that(desk: Desk) -> None:
    said = desk.ask("Let add add", WORK[desk.preset.name](ONE), fault=Fault(401), code=5).json
    assert said["code"] == "MODEL_UNAVAILABLE"
    assert "401" in said["details"][0]


def test_a_model_that_does_not_answer_ends_in_a_time_out(desk: Desk) -> None:
    said = desk.ask("Let add add", [Turn("late", sleep=60)], code=5, timeout=15).json
    assert said["code"] == "AGENT_TIMEOUT"
    assert desk.repo.gitclaw("status", "--json").json["suggestions"] == []
