# Installs packages of the system where that needs no question: as root on Debian or Ubuntu.
# Everywhere else the callers say what to install; the set-up never asks for a password.
from __future__ import annotations

import os
import platform
import shutil
import subprocess


def can_install() -> bool:
    """Whether apt-get is here and may be used."""
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def is_ubuntu() -> bool:
    """Whether this is Ubuntu or made from it, where Chromium is a snap."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return False
    return "ubuntu" in [release.get("ID", ""), *release.get("ID_LIKE", "").split()]


def install_packages(*names: str) -> bool:
    """Refreshes the package lists and installs `names`; whether that went well."""
    environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", "--no-install-recommends", *names]
    for command in (["apt-get", "update"], install):
        if subprocess.run(command, env=environ, stdin=subprocess.DEVNULL, check=False).returncode != 0:
            return False
    return True
