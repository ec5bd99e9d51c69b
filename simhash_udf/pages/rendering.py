"""From a template and values to a page: every value is escaped, and the page may run and fetch nothing but its own."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from simhash_udf.pages.figures import show_figure, show_name, show_seconds, show_share

STYLE = "style.css"


def render_page(template: str, **values: Any) -> str:
    """Return a page as HTML, whole in itself.

    Parameters
    ----------
    template
        Name of a template that fills `base.html`; a script of the same name is put into the page.
    **values
        What the template asks for.

    Returns
    -------
    str
        Its Content-Security-Policy lets run the style and the script in it, by their digests, and nothing else, and
        lets fetch nothing.
    """
    environment = Environment(
        loader=PackageLoader("simhash_udf.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"figure": show_figure, "seconds": show_seconds, "name": show_name}
    environment.globals["share"] = show_share
    style, script = _asset(STYLE), _asset(template.replace(".html", ".js"))
    made = {"style": Markup(style), "script": Markup(script), "policy": _policy(style, script)}  # noqa: S704 - ours
    return environment.get_template(template).render(**made, **values)


def _asset(name: str) -> str:
    """A file of this package beside the templates, empty if there is none; it is no user's text."""
    place = files("simhash_udf.pages") / "templates" / name
    return place.read_text(encoding="utf-8") if place.is_file() else ""


def _policy(style: str, script: str) -> str:
    """Content-Security-Policy: only this style and this script, pictures from the page itself."""
    scripts = f"'{_digest(script)}'" if script else "'none'"
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src {scripts}; img-src data:; "
        f"base-uri 'none'; form-action 'none'"
    )


def _digest(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode("utf-8")).digest()).decode("ascii")
