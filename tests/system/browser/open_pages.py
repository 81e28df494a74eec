"""Pages in which one test after the other has its notebook."""

from contextlib import suppress

from playwright.sync_api import Error as PlaywrightError

DEFAULT_THEME = "JupyterLab Light"


class Pages:
    """A page for each notebook's name and front end: to load one takes longer than most tests.

    The notebook is read anew from its file, and the kernel is started anew, each time.
    """

    def __init__(self, lab, browser):
        self._lab = lab
        self._browser = browser
        self._sheets = {}

    def open(self, name, *, front_end, theme="", kernel=True):
        """Return the page of a notebook that was written; without a kernel none is waited for.

        Without a theme it has JupyterLab's own, whatever an earlier test has chosen: the server
        keeps that for all pages.
        """
        key = (name, front_end)
        if not self._is_renewed(key, kernel=kernel):
            self.drop(*key)
            self._sheets[key] = self._lab.open(
                self._browser, name, front_end=front_end, kernel=kernel
            )
        self._sheets[key].set_theme(theme or DEFAULT_THEME)
        return self._sheets[key]

    def drop(self, *key):
        """Close a page, so that the next test gets another one."""
        sheet = self._sheets.pop(key, None)
        if sheet:
            with suppress(PlaywrightError):  # the test may have closed it
                sheet.close()

    def close(self):
        """Close all pages."""
        for key in list(self._sheets):
            self.drop(*key)

    def _is_renewed(self, key, *, kernel):
        if key not in self._sheets:
            return False
        try:
            self._sheets[key].renew(kernel=kernel)
        except PlaywrightError:  # it is in a state that only another page gets out of
            return False
        return True
