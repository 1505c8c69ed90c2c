"""An agent that keeps what it saw in the file it is given, and writes one of its own."""

import json
import sys
from pathlib import Path

seen = {str(path): path.read_text(encoding="utf-8") for path in Path().rglob("*") if path.is_file()}
Path(sys.argv[1]).write_text(json.dumps(seen), encoding="utf-8")
Path("looked.txt").write_text("looked\n", encoding="utf-8")
