"""What the bench needs and the project does not: published packages, and programs in C.

The packages live in an environment of their own, so that nothing of the project can come to need
them. They are installed by name, in the versions the figures were made with.
"""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parent
ENVIRONMENT: Final = ROOT / ".bench-venv"
# Without their dependencies: of the first only its rules are imported, the second has none.
PACKAGES: Final = ("magmacrunch-chinese-checkers==0.1.1", "chess==1.11.2")


class MissingError(Exception):
    """Something the bench cannot do without, and how to come by it."""


def python() -> Path:
    """The interpreter of the bench's environment, which is made and filled if need be."""
    ready = ENVIRONMENT / "ready"
    interpreter = ENVIRONMENT / "bin" / "python"
    wanted = f"{sys.version}\n{' '.join(PACKAGES)}\n"
    if not ready.exists() or ready.read_text() != wanted:
        venv.create(ENVIRONMENT, clear=True, with_pip=True)
        pip = [str(interpreter), "-m", "pip", "--quiet", "--disable-pip-version-check"]
        done = subprocess.run([*pip, "install", "--no-deps", *PACKAGES], check=False)
        if done.returncode:
            raise MissingError(f"expected {' and '.join(PACKAGES)} to be installed from the index")
        ready.write_text(wanted)
    return interpreter


def program(name: str, folder: Path) -> Path:
    """The program *name*, compiled from this folder's C source into *folder*."""
    target = folder / name
    compiler = ["cc", "-O2", "-o", str(target)]
    try:
        subprocess.run([*compiler, str(HERE / f"{name}.c")], check=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        raise MissingError(f"expected a C compiler called cc that takes {name}.c") from None
    return target
