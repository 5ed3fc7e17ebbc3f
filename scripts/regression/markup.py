# SPDX-License-Identifier: Apache-2.0
"""Text into HTML. All that comes from results goes through here: names of tests and logs are other people's words."""
import html
import os
import urllib.parse

from results import clean


def text(value):
    return html.escape(clean(value), quote=True)


def number(value):
    """Three significant digits or all whole ones; millions with their letter."""
    if abs(value) >= 1e9:
        return f"{value / 1e9:.2f} G"
    if abs(value) >= 1e6:
        return f"{value / 1e6:.1f} M"
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.1f}" if abs(value) >= 100 else f"{value:.2f}" if abs(value) >= 1 else f"{value:.3g}"


def link(base, target, words):
    """A relative link to a file from a page in the folder `base`; without the file only the words."""
    if not os.path.isfile(target):
        return ""
    path = urllib.parse.quote(os.path.relpath(target, base))
    return f'<a href="./{path}">{text(words)}</a>'


def tag(name, content, kind=""):
    return f"<{name}{f' class={chr(34)}{kind}{chr(34)}' if kind else ''}>{content}</{name}>"


def table(head, rows, numbers=()):
    """Rows of cells that are HTML already; `numbers`: columns that are aligned to the right."""
    def row(kind, cells):
        return tag("tr", "".join(tag(kind, cell, "n" if at in numbers else "") for at, cell in enumerate(cells)))
    return ('<div class="scroll"><table><thead>' + row("th", head) + "</thead><tbody>" + "".join(row("td", r) for r in rows)
            + "</tbody></table></div>")
