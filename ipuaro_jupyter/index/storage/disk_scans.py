"""Listings of all files on the disk, and when another one is due."""

import time
from collections.abc import Collection

from ipuaro_jupyter.index.resolve.project_paths import folder_of
from ipuaro_jupyter.index.storage.indexing_progress import Meter
from ipuaro_jupyter.workspace.files.linked_packages import LinkedPackages
from ipuaro_jupyter.workspace.files.listing import Listing
from ipuaro_jupyter.workspace.git.git_files import rules_stamp
from ipuaro_jupyter.workspace.workspace import Workspace

_PACKAGE = "package.json"
_DEAR_SCAN_S = 5.0
_WATCHED_PAUSE_S = 10.0
_WATCHED_SHARE = 20.0


class DiskScans:
    """Lists the files of a project, and knows how long ago that was and what it costs.

    Attributes:
        linked: The files with several names, as of the latest listing.

    Args:
        workspace: The project.
        interval_s: How long one listing is enough at least.
    """

    def __init__(self, workspace: Workspace, *, interval_s: float) -> None:
        self._files = workspace.files
        self._root = workspace.root
        self._interval_s = interval_s
        self._rules: dict[str, tuple[object, ...]] = {}
        self.linked: frozenset[str] = frozenset()
        self._packages = LinkedPackages(self._root, ())
        self._began_s = self._ended_s = -1e9

    @property
    def has_listed(self) -> bool:
        """Whether the files have been listed."""
        return bool(self._rules)

    @property
    def age_s(self) -> float:
        """How long ago the files were listed."""
        return time.monotonic() - self._ended_s

    def listing(self, meter: Meter) -> Listing:
        """The present files."""
        meter.begin("scanning")
        began_s = time.monotonic()
        rules = {str(self._root): rules_stamp(str(self._root))}
        listing = self._files(meter.cancel)
        packages = {folder_of(path) for path in listing.files if path.endswith(_PACKAGE)}
        self._packages = LinkedPackages(self._root, packages | {""})
        listing.packages = self._packages.links
        inner = listing.repositories.items()
        self._rules = rules | {f"{self._root}/{path}": stamp for path, stamp in inner}
        self._began_s, self._ended_s, self.linked = began_s, time.monotonic(), listing.linked
        return listing

    def has_new_rules(self) -> bool:
        """Whether other files may be ignored than when they were listed."""
        known = self._rules
        return not known or any(rules_stamp(place) != rules for place, rules in known.items())

    def has_new_links(self, changed: Collection[str]) -> bool:
        """Whether other packages may be linked than when the files were listed.

        Args:
            changed: The paths that have changed since then.
        """
        made = {folder_of(path) for path in changed if path.endswith(_PACKAGE)}
        return not made <= self._packages.folders or self._packages.may_differ()

    def is_due(self, *, is_watched: bool, is_complete: bool) -> bool:
        """Whether all files have to be compared again.

        Args:
            is_watched: The files are watched.
            is_complete: The watcher has told of every change that was made.
        """
        took_s = self._ended_s - self._began_s
        if is_complete:
            return self.age_s >= max(self._interval_s, _WATCHED_PAUSE_S, _WATCHED_SHARE * took_s)
        dear_s = took_s if took_s > _DEAR_SCAN_S else 0.0
        return self.age_s >= (dear_s if is_watched else max(self._interval_s, dear_s))
