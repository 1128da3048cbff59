"""What a browser remembers of its reader's wishes: the colour theme, in a cookie the server reads.

The server writes the theme into the page, so that no page flashes in the wrong colours first.
"""

from django.http import HttpRequest, HttpResponse

THEME_COOKIE = "burp_theme"
THEMES = ("auto", "light", "dark")
DEFAULT_THEME = "auto"
THEME_COOKIE_AGE_S = 365 * 24 * 3600


def theme_of(request: HttpRequest) -> str:
    """Return the theme of the cookie, if it is one."""
    chosen = request.COOKIES.get(THEME_COOKIE, DEFAULT_THEME)
    return chosen if chosen in THEMES else DEFAULT_THEME


def remember_theme(response: HttpResponse, theme: str) -> None:
    """Store the theme in the browser. A script may read and write it: it is no secret."""
    response.set_cookie(THEME_COOKIE, theme, max_age=THEME_COOKIE_AGE_S, samesite="Lax")
