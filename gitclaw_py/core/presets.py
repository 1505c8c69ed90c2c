"""Agents by name: how each is installed, called and understood. A table, so that one more is one more entry.

The invocations are lines of the shell, because what they need is only known where they run: the file with the task
(``GITCLAW_PROMPT``), and the address of the model where a proxy keeps the key (the variable of ``Model.address``).
``$@`` are the arguments that the configuration adds. Versions are those that the tests ran; to move one is a commit.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

COMMAND = "command"
"""The preset that is none: the configuration has the whole command."""


class Model(NamedTuple):
    """Where an agent finds its model.

    ``kind`` is the shape of the API (``anthropic``, ``openai``, ``gemini``), ``upstream`` its usual address, ``key``
    the variable with the key, and ``address`` the one that names another address, which ends with ``suffix``.
    """

    kind: str
    upstream: str
    key: str
    address: str
    suffix: str = ""


class Preset(NamedTuple):
    """One agent.

    ``install`` is the command that installs it, ``program`` what is then on the ``PATH``, ``line`` the invocation with
    ``{rights}`` for what it may do: ``bound`` where nothing but the agent itself keeps it in, ``free`` where it is
    isolated. ``reads`` names the reader of what it prints. ``environment`` are the variables of ours that it may see,
    ``variables`` those it is given; one that ``explains`` may end its words with a block of reasons. ``permission`` is
    what the token of its job needs beside the usual. ``note`` is what one has to know before choosing it.
    """

    name: str
    install: tuple[str, ...]
    program: str
    line: str
    reads: str
    model: Model | None
    bound: str = ""
    free: str = ""
    environment: tuple[str, ...] = ()
    variables: Mapping[str, str] = {}
    with_git: bool = False
    explains: bool = True
    permission: str = ""
    note: str = ""

    @property
    def secret(self) -> str | None:
        """The variable that holds the key of its model, which is a secret of the repository; None for none."""
        return self.model.key if self.model else None


def invocation(preset: Preset, arguments: Sequence[str] = (), *, isolated: bool = False) -> tuple[str, ...]:
    """The command that runs an agent on the task in ``GITCLAW_PROMPT``, with further arguments for it."""
    line = preset.line.replace("{rights}", preset.free if isolated else preset.bound)
    return ("sh", "-c", line, preset.name, *arguments)


_ANTHROPIC = Model("anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")
_OPENAI = Model("openai", "https://api.openai.com", "OPENAI_API_KEY", "OPENAI_BASE_URL", "/v1")
_GEMINI = Model("gemini", "https://generativelanguage.googleapis.com", "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL")

CLAUDE = Preset(
    name="claude",
    install=("npm", "install", "--global", "@anthropic-ai/claude-code@2.1.332"),
    program="claude",
    line='exec claude -p --output-format stream-json --verbose --no-session-persistence {rights} "$@" '
    '<"$GITCLAW_PROMPT"',
    reads="claude",
    model=_ANTHROPIC,
    bound="--permission-mode acceptEdits --allowedTools Read,Edit,Write,Glob,Grep",
    free="--dangerously-skip-permissions",
    variables={
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": "3",
        "DISABLE_AUTOUPDATER": "1",
        "IS_SANDBOX": "1",
    },
)

CODEX = Preset(
    name="codex",
    install=("npm", "install", "--global", "@openai/codex@0.171.0"),
    program="codex",
    # Another provider rather than another address of OpenAI's own: that one would want to log in.
    line="""\
[ -z "$OPENAI_BASE_URL" ] || set -- -c model_provider=gitclaw -c "model_providers.gitclaw={name='gitclaw',\
base_url='$OPENAI_BASE_URL',env_key='OPENAI_API_KEY',wire_api='responses',\
request_max_retries=2,stream_max_retries=2}" "$@"
[ -n "$OPENAI_BASE_URL" ] || [ -z "$OPENAI_API_KEY" ] || export CODEX_API_KEY="$OPENAI_API_KEY"
exec codex exec --json --skip-git-repo-check --ephemeral {rights} "$@" - <"$GITCLAW_PROMPT\"""",
    reads="codex",
    model=_OPENAI,
    bound="--sandbox workspace-write",
    free="--dangerously-bypass-approvals-and-sandbox",
)

GEMINI = Preset(
    name="gemini",
    install=("npm", "install", "--global", "@google/gemini-cli@0.61.0"),
    program="gemini",
    # With a key it still asks for a choice of how to log in, which only a file of its home can answer.
    line="""\
if [ -n "$GEMINI_API_KEY" ]; then
  GEMINI_CLI_HOME=$(mktemp -d) && export GEMINI_CLI_HOME && mkdir "$GEMINI_CLI_HOME/.gemini" &&
  printf '%s' '{"security":{"auth":{"selectedType":"gemini-api-key"}},"privacy":{"usageStatisticsEnabled":false},\
"general":{"enableAutoUpdate":false,"maxAttempts":3}}' >"$GEMINI_CLI_HOME/.gemini/settings.json"
fi
exec gemini --skip-trust {rights} --output-format stream-json "$@" <"$GITCLAW_PROMPT\"""",
    reads="gemini",
    model=_GEMINI,
    bound="--approval-mode auto_edit",
    free="--approval-mode yolo",
    variables={"NO_BROWSER": "true"},
)

COPILOT = Preset(
    name="copilot",
    install=("npm", "install", "--global", "@github/copilot@1.0.102"),
    program="copilot",
    line="""\
used=$(mktemp)
copilot --output-format json --usage-output-file "$used" --no-auto-update --no-ask-user --no-color \
--disable-builtin-mcps {rights} "$@" <"$GITCLAW_PROMPT"
code=$?; tr -d '\\n' <"$used"; echo; exit $code""",
    reads="copilot",
    model=None,
    bound="--allow-tool write",
    free="--allow-all-tools",
    environment=("COPILOT_GITHUB_TOKEN", "COPILOT_MODEL"),
    permission="copilot-requests",
    note="needs a plan with Copilot, and copilot-requests: write for the token of a job; not tried on GitHub itself",
)

OPENCODE = Preset(
    name="opencode",
    install=("npm", "install", "--global", "opencode-ai@1.18.33"),
    program="opencode",
    line="""\
provider=
[ -z "$OPENAI_BASE_URL" ] || provider=',"provider":{"openai":{"options":{"baseURL":"'"$OPENAI_BASE_URL"'"}}}'
OPENCODE_CONFIG_CONTENT='{"autoupdate":false,"share":"disabled","permission":{"edit":"allow",{rights}}'"$provider}"
export OPENCODE_CONFIG_CONTENT
exec opencode run --format json "$@" <"$GITCLAW_PROMPT\"""",
    reads="opencode",
    model=_OPENAI,
    bound='"bash":"deny","webfetch":"deny"',
    free='"bash":"allow"',
    environment=("OPENCODE_CONFIG",),
    variables={
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
    },
    note='needs a model: "arguments": ["--model", "openai/…"]',
)

AIDER = Preset(
    name="aider",
    install=("pipx", "install", "aider-chat==0.86.2"),
    program="aider",
    # It leaves its histories, and a cache of what it has read, among the files.
    line="""\
[ -z "$OPENAI_BASE_URL" ] || export OPENAI_API_BASE="$OPENAI_BASE_URL"
own=$(mktemp -d)
aider --message-file "$GITCLAW_PROMPT" --yes-always --no-stream --no-pretty --no-check-update --no-analytics \
--no-show-model-warnings --no-show-release-notes --no-gitignore --no-suggest-shell-commands --no-detect-urls \
--no-auto-commits --no-dirty-commits --input-history-file "$own/input" --chat-history-file "$own/chat" "$@"
code=$?; rm -rf .aider.tags.cache.v*; cat "$own/chat"; exit $code""",
    reads="aider",
    model=_OPENAI,
    environment=("AIDER_MODEL",),
    variables={"LITELLM_LOCAL_MODEL_COST_MAP": "True"},
    with_git=True,
    explains=False,
    note='needs a model: "arguments": ["--model", "openai/…"]',
)

MINI = Preset(
    name="mini-swe-agent",
    install=("pipx", "install", "mini-swe-agent==2.4.6"),
    program="mini",
    # The task is an argument, and one argument may hold 128 KiB: what comes late in it, the thread, is cut.
    line="""\
[ -z "$OPENAI_BASE_URL" ] || set -- -c "model.model_kwargs.api_base=$OPENAI_BASE_URL" "$@"
log=$(mktemp)
mini -y --exit-immediately -c mini.yaml "$@" -o "$log" \
-t "$(head -c 100000 "$GITCLAW_PROMPT" | iconv -c -f UTF-8 -t UTF-8)"
code=$?; echo; cat "$log"; exit $code""",
    reads="mini",
    model=_OPENAI,
    environment=("MSWEA_MODEL_NAME",),
    variables={
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "MSWEA_CONFIGURED": "true",
        "MSWEA_COST_TRACKING": "ignore_errors",
        "MSWEA_SILENT_STARTUP": "1",
    },
    note='needs a model: "arguments": ["-m", "openai/…"]; it works with the shell, so only where it is isolated',
)

PRESETS: Mapping[str, Preset] = {
    preset.name: preset for preset in (CLAUDE, CODEX, GEMINI, COPILOT, OPENCODE, AIDER, MINI)
}
"""The agents that are known by name."""
NAMES = (*PRESETS, COMMAND)
