"""An agent that tells the key that it was given, or has got hold of in a file, wherever it can, in every form."""

import base64
import json
import os
import sys
from pathlib import Path

key = os.environ.get(sys.argv[1]) or Path(sys.argv[1]).read_text(encoding="utf-8")
Path("plain.txt").write_text(key + "\n", encoding="utf-8")
Path("reversed.txt").write_text(key[::-1] + "\n", encoding="utf-8")
Path("encoded.txt").write_text(base64.b64encode(b"x" + key.encode()).decode() + "\n", encoding="utf-8")
Path("cut.txt").write_text(key[4:-4] + "\n", encoding="utf-8")
Path("fine.txt").write_text("fine\n", encoding="utf-8")
Path(os.environ["GITCLAW_ANSWER"]).write_text(f"The key is {key.encode().hex()}", encoding="utf-8")
Path(os.environ["GITCLAW_REASONS"]).write_text(json.dumps({"fine.txt": f"because {key}"}), encoding="utf-8")
print(key)
