"""Single files out of a wheel, by HTTP range: of the 776 MB around NVRTC 10.2 only 9 MB are wanted.

    python3 wheel.py PACKAGES TOOL FOLDER     # Python packages, a compilers.Tool as JSON, where to put the files

`pip` fetches wheels whole, even for a dry run where the index has no metadata beside them.
"""

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path


class Refused(Exception):
    """What is wrong with what the index has."""


def setting(name, listed):
    """pip's own value of a setting, from `pip config list`: environment, then the commands' part, then all."""
    for section in (":env:", "install", "download", "global"):
        found = re.search(rf"^{re.escape(section)}\.{name}='(.*)'$", listed, re.MULTILINE)
        if found:
            return found[1]
    return None


def extract(tool, folder, listed):
    # Found in the folder of packages, which only main() knows.
    import pypi_simple
    import remotezip
    import requests

    with requests.Session() as session:
        session.verify = setting("cert", listed) or True
        index = setting("index-url", listed) or pypi_simple.PYPI_SIMPLE_ENDPOINT
        with pypi_simple.PyPISimple(index, session=session) as client:
            page = client.get_project_page(tool["package"])
        wheels = [p for p in page.packages if p.version == tool["version"] and p.filename.endswith(tool["tag"])]
        if len(wheels) != 1:
            raise Refused(f"the index has {len(wheels)} wheels of {tool['version']} for *{tool['tag']}, not one")
        with remotezip.RemoteZip(wheels[0].url, session=session) as archive:
            present = set(archive.namelist())
            for name, digest in tool["files"].items():
                if name not in present:
                    raise Refused(f"{wheels[0].filename} has no {name}")
                data = archive.read(name)
                if hashlib.sha256(data).hexdigest() != digest:
                    raise Refused(f"{name} has SHA-256 {hashlib.sha256(data).hexdigest()}, expected {digest}")
                path = Path(folder) / Path(name).name
                path.write_bytes(data)
                path.chmod(0o755)


def main():
    packages, tool, folder = sys.argv[1:]
    sys.path.insert(0, packages)
    listed = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True)
    try:
        extract(json.loads(tool), folder, listed.stdout)
    except Exception as error:  # whatever network, index and archive can raise: one line of it is enough
        sys.exit(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
